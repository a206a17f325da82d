// A kitchen of Overcooked: how it is drawn and told.

import { ANGLES } from "./figure.js";
import { ingredients, item } from "./item.js";
import * as phrase from "./phrase.js";
import { box, disc, stroke, word } from "./shape.js";

const STATES = { filling: "being filled", full: "full, not cooking yet", ready: "the soup is done" };

export class Kitchen {
  constructor(map, seat) {
    this.grid = map.grid;
    this.seat = seat;
    this.columns = Math.max(...this.grid.map((row) => row.length));
    this.rows = this.grid.length;
    this.title = `Kitchen of ${this.columns} by ${this.rows} cells`;
    // The protocol tells how long a pot has left, not how long it takes: the longest seen is that.
    this.longest = new Map();
  }

  ground(pen) {
    for (let y = 0; y < this.rows; y++) for (let x = 0; x < this.columns; x++) this.#cell(pen, x, y);
  }

  things(pen, scene) {
    for (const pot of scene.pots) this.#pot(pen, pot);
    for (const { at: [x, y], item: name } of scene.counters) item(pen, name, x * 100 + 50, y * 100 + 46, 0.85);
  }

  above() {}

  figures(scene) {
    return scene.cooks.map(({ at, facing, held }, seat) => ({
      seat, at, angle: ANGLES[facing] ?? 0, held, hat: true, mine: seat === this.seat,
    }));
  }

  focus() {
    return null;
  }

  tell(scene) {
    const cooks = scene.cooks.map(({ at, facing, held }, seat) => {
      const who = seat === this.seat ? "You are" : `Cook ${seat} is`;
      return `${who} at ${phrase.place(at)}, facing ${facing}, holding ${phrase.held(held)}.`;
    });
    const counters = scene.counters.map(({ at, item: name }) => `${phrase.held(name)} at ${phrase.place(at)}`);
    const there = counters.length ? `On counters: ${counters.join("; ")}.` : "The counters are empty.";
    return [...cooks, ...scene.pots.map(potWords), there];
  }

  news(before, after) {
    const told = {};
    const held = (scene) => scene.cooks[this.seat]?.held;
    if (held(after) !== held(before)) told.held = `You hold ${phrase.held(held(after))}.`;
    after.pots.forEach((pot, index) => {
      if (pot.state !== before.pots[index]?.state) told[`pot ${index}`] = potWords(pot);
    });
    return told;
  }

  #cell({ ctx, colours }, x, y) {
    const mark = this.grid[y][x] ?? " ";
    ctx.save();
    ctx.translate(x * 100, y * 100);
    if (mark === " ") {
      ctx.fillStyle = (x + y) % 2 ? colours["floor-2"] : colours.floor;
      ctx.fillRect(0, 0, 100, 100);
    } else {
      this.#counter(ctx, colours, x, y);
      ({ P: stove, O: onions, T: tomatoes, D: dishes, S: hatch })[mark]?.({ ctx, colours });
    }
    ctx.restore();
  }

  #counter(ctx, colours, x, y) {
    ctx.fillStyle = colours.counter;
    ctx.fillRect(0, 0, 100, 100);
    ctx.strokeStyle = colours["counter-line"];
    ctx.lineWidth = 2;
    ctx.strokeRect(1, 1, 98, 98);
    if (this.grid[y + 1]?.[x] === " ") {
      ctx.fillStyle = colours["counter-edge"];
      ctx.fillRect(0, 90, 100, 10);
    }
  }

  #pot(pen, { at: [x, y], contents, state, left }) {
    const { ctx, colours } = pen;
    const place = `${x},${y}`;
    const longest = Math.max(left, state === "cooking" ? this.longest.get(place) ?? 0 : 0);
    this.longest.set(place, longest);
    ctx.save();
    ctx.translate(x * 100 + 50, y * 100 + 48);
    const hot = state === "cooking" || state === "ready";
    if (hot) {
      disc(ctx, 0, 0, 25, contents.includes("tomato") ? colours.tomato : colours.soup, null);
    }
    ingredients(pen, contents, 0, 0, hot ? 0.3 : 0.36);
    if (state === "full") disc(ctx, 0, 0, 39, null, colours.ring, 7);
    if (hot) {
      disc(ctx, 0, 0, 39, null, colours.ring, 8);
      const done = state === "ready" || !longest ? 1 : 1 - left / longest;
      ctx.beginPath();
      ctx.arc(0, 0, 39, -Math.PI / 2, -Math.PI / 2 + done * 2 * Math.PI);
      ctx.strokeStyle = state === "ready" ? colours.ready : colours.cooking;
      ctx.lineWidth = 9;
      ctx.stroke();
    }
    if (state === "cooking") {
      disc(ctx, 28, 28, 21, colours.stove, null);
      word(ctx, String(left), 28, 28, left > 99 ? 22 : 28, colours.hat);
    }
    if (state === "ready") {
      disc(ctx, 28, 28, 19, colours.ready, null);
      stroke(ctx, [[19, 28], [26, 35], [37, 21]], colours.hat, 7);
    }
    ctx.restore();
  }
}

function potWords({ at, contents, state, left }) {
  const stage = state === "cooking" ? `cooking, ${phrase.count(left, "tick")} left` : STATES[state] ?? state;
  return `Pot ${phrase.place(at)}: ${stage}${contents.length ? `, with ${contents.join(", ")}` : ""}.`;
}

function stove({ ctx, colours }) {
  box(ctx, 6, 5, 88, 84, 12, colours.stove, null);
  disc(ctx, 50, 48, 34, colours.metal, colours["metal-2"], 5);
  disc(ctx, 50, 48, 26, colours["metal-2"], null);
  for (const x of [8, 92]) box(ctx, x - 6, 40, 12, 16, 5, colours.metal, null);
}

function crate(ctx, colours) {
  box(ctx, 10, 10, 80, 76, 8, colours.crate, colours["crate-2"], 5);
}

function pile(pen, name) {
  crate(pen.ctx, pen.colours);
  for (const [x, y] of [[34, 36], [66, 36], [50, 56]]) item(pen, name, x, y, 0.56);
}

function onions(pen) {
  pile(pen, "onion");
}

function tomatoes(pen) {
  pile(pen, "tomato");
}

function dishes(pen) {
  for (const y of [60, 50, 40]) item(pen, "dish", 50, y, 0.95);
}

// An awning over a hatch: what stands here goes out to the guests.
function hatch({ ctx, colours }) {
  box(ctx, 6, 6, 88, 84, 8, colours["window-2"], null);
  for (let stripe = 0; stripe < 5; stripe++) {
    ctx.beginPath();
    ctx.roundRect(6 + stripe * 17.6, 6, 17.6, 30, [0, 0, 9, 9]);
    ctx.fillStyle = stripe % 2 ? colours.hat : colours.window;
    ctx.fill();
  }
  stroke(ctx, [[50, 48], [50, 78]], colours.hat, 8);
  stroke(ctx, [[36, 64], [50, 79], [64, 64]], colours.hat, 8);
}
