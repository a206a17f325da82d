// Primitive actions under fingers: keys and buttons that can be held, each offer a step.
//
// The menu is shuffled for every decision; here every action keeps its place all the
// same, since nobody can hold a button that moves four times a second.

import { write } from "./element.js";
import { label } from "./label.js";
import * as phrase from "./phrase.js";

const KEYS = {
  arrowup: ["north", "forward"], w: ["north", "forward"],
  arrowdown: ["south", "backward"], s: ["south", "backward"],
  arrowleft: ["west", "step_left"], a: ["west", "step_left"],
  arrowright: ["east", "step_right"], d: ["east", "step_right"],
  " ": ["interact", "act", "fire_clean"],
  q: ["turn_left"], e: ["turn_right"], z: ["fire_zap"], x: ["stay", "wait", "noop"],
};
const HINTS = {
  north: "W", forward: "W", south: "S", backward: "S", west: "A", step_left: "A", east: "D", step_right: "D",
  interact: "Space", act: "Space", fire_clean: "Space", turn_left: "Q", turn_right: "E", fire_zap: "Z",
  stay: "X", wait: "X", noop: "X",
};

// Pressed for less, a key is one step, even if a new offer comes before it is let go.
const HELD = 180;

export class Pad {
  // `on` has choose(offer, index), point(what the canvas shows).
  constructor(group, line, on) {
    this.group = group;
    this.line = line;
    this.on = on;
    this.down = [];
    this.clear();
    window.addEventListener("blur", () => this.#drop());
  }

  show(offer) {
    this.offer = offer;
    if (this.known !== names(offer)) this.#build(offer);
    const { next } = this;
    this.next = null;
    write(this.line, "Your move.");
    if (next) this.#choose(next);
    else this.#goOn();
  }

  reopen(offer) {
    this.offer = offer;
    write(this.line, "Your move.");
  }

  close(text) {
    this.offer = null;
    write(this.line, text);
  }

  clear() {
    this.offer = null;
    this.#drop();
    this.known = "";
    this.group.replaceChildren();
    this.group.classList.remove("pad");
    write(this.line, "Nothing to choose yet.");
  }

  key({ key, repeat, target }) {
    const option = this.#option(key);
    // Space on a button is that button's.
    if (!option || (key === " " && target.closest("button, summary, a"))) return false;
    if (!repeat) this.#press(option);
    return true;
  }

  release({ key }) {
    this.#lift(this.#option(key));
  }

  cell() {}

  #option(key) {
    return KEYS[key.toLowerCase()]?.find((name) => this.options?.includes(name));
  }

  #press(option) {
    this.#lift(option);
    this.down.push({ option, since: performance.now() });
    // Pressed between two offers, it is meant for the next one.
    if (this.offer) this.#choose(option);
    else this.next = option;
  }

  #lift(option) {
    this.down = this.down.filter((each) => each.option !== option);
  }

  #goOn() {
    clearTimeout(this.timer);
    const last = this.down.at(-1);
    if (!last || !this.offer) return;
    const early = HELD - (performance.now() - last.since);
    if (early > 0) this.timer = setTimeout(() => this.#goOn(), early);
    else this.#choose(last.option);
  }

  #drop() {
    this.down = [];
    this.next = null;
  }

  #choose(option) {
    const index = this.offer.menu.findIndex((entry) => entry.option === option);
    if (index < 0 || !this.on.choose(this.offer, index)) return;
    this.offer = null;
    write(this.line, `Carrying out: ${phrase.option(option)}`);
  }

  #build(offer) {
    this.known = names(offer);
    this.options = this.known.split(" ");
    this.group.classList.add("pad");
    const entries = [...offer.menu].sort((one, other) => one.option.localeCompare(other.option));
    this.group.replaceChildren(...entries.map((entry) => this.#button(entry)));
  }

  #button(entry) {
    const hint = HINTS[entry.option] ?? "";
    const button = label({ ...entry, words: entry.option }, hint, shortcuts(entry.option));
    button.classList.add(`at-${entry.option}`);
    button.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      button.setPointerCapture(event.pointerId);
      this.#press(entry.option);
    });
    for (const end of ["pointerup", "pointercancel"]) button.addEventListener(end, () => this.#lift(entry.option));
    // Without a pointer: Enter or Space on the button, or a screen reader.
    button.addEventListener("click", (event) => {
      if (event.detail === 0) {
        this.#press(entry.option);
        this.#lift(entry.option);
      }
    });
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    return button;
  }
}

function names(offer) {
  return offer.menu.map(({ option }) => option).sort().join(" ");
}

function shortcuts(option) {
  const keys = Object.keys(KEYS).filter((key) => KEYS[key].includes(option));
  const called = { " ": "Space", arrowup: "ArrowUp", arrowdown: "ArrowDown", arrowleft: "ArrowLeft", arrowright: "ArrowRight" };
  return keys.map((key) => called[key] ?? key.toUpperCase()).join(" ");
}
