// Keys, items and places as phrases.

export function option(name) {
  return name.replaceAll("_", " ");
}

// `place_in_pot@4,2` reads "place in pot (4, 2)".
export function key(text) {
  const [name, target] = text.split("@");
  return target ? `${option(name)} ${place(target.split(","))}` : option(name);
}

export function place([x, y]) {
  return `(${x}, ${y})`;
}

export function held(item) {
  const [kind, contents] = item.split(":");
  if (kind === "soup") return contents ? `a soup of ${contents.split(",").join(", ")}` : "a soup";
  return kind === "nothing" ? "nothing" : `${kind === "onion" ? "an" : "a"} ${kind}`;
}

export function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

export function points(number) {
  return Number.isInteger(number) ? String(number) : number.toFixed(1);
}

export function sentence(text) {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
