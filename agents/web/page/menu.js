// The menu of the person's seat: what it may start now, in the order of the offer.

import { write } from "./element.js";
import { label } from "./label.js";

// A double click on one menu must not choose from the next, which is shuffled anew.
const SETTLES = 300;

export class Menu {
  // `on` has choose(index), point(what the canvas shows).
  constructor(group, line, on) {
    this.group = group;
    this.line = line;
    this.on = on;
    this.clear();
    group.addEventListener("click", (event) => {
      const index = this.buttons.indexOf(event.target.closest("button"));
      const stray = event.detail > 1 && performance.now() - this.since < SETTLES;
      if (index >= 0 && !stray) this.choose(index);
    });
    for (const [entered, left] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
      group.addEventListener(entered, (event) => this.#aim(event.target.closest("button")));
      group.addEventListener(left, () => on.point({ aim: null }));
    }
  }

  show(offer) {
    const within = this.group.contains(document.activeElement);
    this.offer = offer;
    this.since = performance.now();
    // Beyond Z a letter is two keys, and no shortcut.
    this.buttons = offer.menu.map((entry) => label(entry, entry.letter, entry.letter.length === 1 ? entry.letter : ""));
    this.group.replaceChildren(...this.buttons);
    write(this.line, "Your move.");
    this.on.point({ aim: null, goal: null, letters: targets(offer.menu) });
    if (within) this.buttons[0]?.focus({ preventScroll: true });
    else this.#aim(this.group.querySelector("button:hover"));
  }

  choose(index) {
    const entry = this.offer?.menu[index];
    if (!entry || !this.on.choose(this.offer, index)) return;
    this.#close(`Carrying out: ${entry.words}`, index);
    this.on.point({ aim: null, goal: entry.target, letters: new Map() });
  }

  // The server did not take the choice, and the offer may still be open.
  reopen(offer) {
    this.show(offer);
  }

  close(text) {
    this.#close(text, -1);
    this.on.point({ aim: null, goal: null, letters: new Map() });
  }

  clear() {
    this.offer = null;
    this.buttons = [];
    this.group.replaceChildren();
    write(this.line, "Nothing to choose yet.");
  }

  // Whether the key was one of the menu's.
  key({ key, repeat }) {
    if (!this.offer) return false;
    if (key === "ArrowDown" || key === "ArrowRight") return this.#step(1);
    if (key === "ArrowUp" || key === "ArrowLeft") return this.#step(-1);
    const index = repeat ? -1 : this.offer.menu.findIndex(({ letter }) => letter === key.toUpperCase());
    if (index >= 0) this.choose(index);
    return index >= 0;
  }

  release() {}

  cell(x, y) {
    if (!this.offer) return;
    const there = this.offer.menu.flatMap(({ target }, index) => (target?.[0] === x && target[1] === y ? [index] : []));
    if (there.length === 1) this.choose(there[0]);
    else if (there.length) this.buttons[there[0]].focus();
  }

  #close(text, chosen) {
    this.offer = null;
    write(this.line, text);
    this.buttons.forEach((button, index) => {
      button.setAttribute("aria-disabled", "true");
      button.classList.toggle("chosen", index === chosen);
    });
  }

  #step(by) {
    const at = this.buttons.indexOf(document.activeElement);
    const next = at < 0 ? (by > 0 ? 0 : this.buttons.length - 1) : at + by;
    this.buttons.at(next % this.buttons.length)?.focus();
    return true;
  }

  #aim(button) {
    const entry = this.offer?.menu[this.buttons.indexOf(button)];
    if (entry) this.on.point({ aim: entry });
  }
}

function targets(menu) {
  const letters = new Map();
  for (const { target, letter } of menu) {
    if (!target) continue;
    const place = target.join(",");
    letters.set(place, [...(letters.get(place) ?? []), letter]);
  }
  return letters;
}
