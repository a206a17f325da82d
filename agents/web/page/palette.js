// The colours of the canvas, as the style sheet has them at this moment.

const NAMES = [
  "floor", "floor-2", "counter", "counter-edge", "counter-line", "stove", "metal", "metal-2", "crate", "crate-2", "window",
  "window-2", "onion", "onion-2", "tomato", "leaf", "dish", "dish-2", "soup", "ready", "cooking", "ring",
  "sand", "sand-2", "grass", "grass-2", "water", "water-2", "wall", "wall-2", "site", "apple", "dirt", "dirt-2", "fog",
  "aim", "on-aim", "figure-line", "hat", "hat-ink", "mine", "mine-2",
];
export const SEATS = 8;

export function palette(element) {
  const style = getComputedStyle(element);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  const colours = Object.fromEntries(NAMES.map((name) => [name, read(name)]));
  colours.seats = Array.from({ length: SEATS }, (_, seat) => read(`seat-${seat}`));
  return colours;
}
