// Lets one step through an episode, and folds what is looked up rather than read.
"use strict";

class Episode {
  constructor(section) {
    this.section = section;
    this.stepper = section.querySelector(".stepper");
    this.data = JSON.parse(this.stepper.querySelector("script").textContent);
    this.slider = this.stepper.querySelector("input");
    this.world = this.stepper.querySelector(".world");
    this.rows = [...this.stepper.querySelectorAll("tbody tr")];
    this.last = this.data.points.length - 1;
    this.stepper.hidden = false;
    this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
    this.stepper.addEventListener("keydown", (event) => this.key(event));
    for (const button of this.stepper.querySelectorAll("button")) {
      button.addEventListener("click", () => this.show(this.aim(button.dataset.go)));
    }
    this.show(0);
  }

  aim(where) {
    const { points } = this.data;
    if (where === "next") {
      const found = points.findIndex((each, tick) => tick > this.now && each !== points[tick - 1]);
      return found < 0 ? this.last : found;
    }
    return { first: 0, back: this.now - 1, on: this.now + 1, last: this.last }[where];
  }

  key(event) {
    const where = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
    if (where === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.show(this.aim(where));
  }

  show(tick) {
    this.now = Math.min(Math.max(tick, 0), this.last);
    const { points, happened } = this.data;
    const said = happened[this.now].join(", ");
    this.slider.value = this.now;
    this.slider.setAttribute("aria-valuetext", `tick ${this.now}, return ${points[this.now]}`);
    this.stepper.querySelector(".tick").textContent = `tick ${this.now}`;
    this.stepper.querySelector(".points").textContent = `return so far ${points[this.now]}`;
    this.stepper.querySelector(".happened").textContent = said ? `Just now: ${said}` : "";
    this.stepper.classList.toggle("paid", this.now > 0 && points[this.now] !== points[this.now - 1]);
    const doing = this.at("doing");
    const ended = new Map(this.data.ended[this.now]);
    this.rows.forEach((row, seat) => {
      row.cells[1].textContent = doing[seat] || "-";
      row.cells[2].textContent = ended.get(seat) || "";
    });
    if (this.world) this.draw();
  }

  // What has changed up to this tick, put together.
  at(key) {
    const found = [];
    for (const changes of this.data[key].slice(0, this.now + 1)) {
      for (const [place, ...what] of changes) found[place] = what.length > 1 ? what : what[0];
    }
    return found;
  }

  draw() {
    const { cell } = this.data;
    const lines = this.at("lines").map((line) => [{ text: line }]);
    this.at("places").forEach(([x, y], seat) => {
      if (cell && x >= 0 && lines[y]) lines[y] = cut(lines[y], x * cell, cell, seat);
    });
    this.world.replaceChildren(...lines.flatMap((line) => [...line.map(piece), "\n"]));
  }
}

// Cut a seat's characters out of a line.
function cut(line, start, length, seat) {
  let at = 0;
  return line.flatMap((each) => {
    const from = start - at;
    at += each.text.length;
    if (each.seat !== undefined || from < 0 || from >= each.text.length) return [each];
    const trimmed = each.text.slice(from, from + length).trimEnd();
    return [{ text: each.text.slice(0, from) }, { text: trimmed, seat }, { text: each.text.slice(from + trimmed.length) }];
  });
}

function piece({ text, seat }) {
  if (seat === undefined) return text;
  const mark = document.createElement("b");
  mark.className = `seat-${seat % 8}`;
  mark.textContent = text;
  return mark;
}

for (const section of document.querySelectorAll(".story")) new Episode(section);

// Only a table that is wider than the page is a stop for those who scroll by keyboard.
const watch = new ResizeObserver((changes) => {
  for (const { target } of changes) target.tabIndex = target.scrollWidth > target.clientWidth ? 0 : -1;
});
for (const each of document.querySelectorAll(".scroll")) watch.observe(each);

const folds = [...document.querySelectorAll("details")];
const closed = new Set(folds);
for (const each of folds) each.open = false;
addEventListener("beforeprint", () => {
  for (const each of folds) {
    if (each.open) closed.delete(each);
    else closed.add(each);
    each.open = true;
  }
});
addEventListener("afterprint", () => {
  for (const each of closed) each.open = false;
});
