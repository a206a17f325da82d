// How to play, in a few lines for this game, role and interface.

import { element } from "./element.js";

const PICTURES = {
  kitchen: [
    "Fill a pot, let it cook, take the soup out with a dish, and bring it to the window with the awning.",
    "The ring around a pot fills while it cooks; the number is the ticks left; a tick mark says that the soup is done.",
  ],
  world: [
    "To step on an apple is to eat it. Brown patches are dirt, small rings are places where apples grow.",
    "The beak of a figure shows where it looks. What your seat does not see is dimmed.",
  ],
  text: [],
};
const KEYS = {
  menu: [
    "A letter chooses its entry; so does a click on it, or on the cell it is aimed at.",
    "Arrow keys move between entries, Enter or Space chooses. The order is drawn anew for each menu.",
  ],
  kitchen: ["Arrow keys or WASD move, Space interacts, X waits. A key that is held goes on."],
  world: ["Arrow keys or WASD move, Q and E turn, Space cleans, Z zaps, X waits. A key that is held goes on."],
  text: ["Arrow keys or WASD move, Space acts, X waits. A key that is held goes on."],
};

export function help(list, { role, map, interface: kind }) {
  const keys = role === "seat" ? KEYS[kind === "native" ? map.kind : "menu"] ?? [] : [];
  const lines = [...keys, ...(PICTURES[map.kind] ?? [])];
  list.replaceChildren(...lines.map((line) => element("li", {}, line)));
  list.parentElement.hidden = !lines.length;
}
