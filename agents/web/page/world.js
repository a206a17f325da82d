// A world of Melting Pot: how it is drawn and told.

import { ANGLES } from "./figure.js";
import * as phrase from "./phrase.js";
import { disc, oval, stroke } from "./shape.js";

const AROUND = 1;

export class World {
  constructor(map, seat) {
    this.map = map;
    this.seat = seat;
    this.columns = map.width;
    this.rows = map.height;
    this.title = `World of ${this.columns} by ${this.rows} cells`;
  }

  ground(pen) {
    const { ctx, colours } = pen;
    for (let y = 0; y < this.rows; y++) {
      for (let x = 0; x < this.columns; x++) {
        fill(ctx, x, y, (x + y) % 2 ? colours["sand-2"] : colours.sand);
      }
    }
    for (const [x, y] of this.map.grass) grass(pen, x, y);
    for (const [x, y] of this.map.water) water(pen, x, y);
    for (const [x, y] of this.map.sites) disc(ctx, x * 100 + 50, y * 100 + 54, 15, null, colours.site, 6);
    for (const [x, y] of this.map.walls) wall(pen, x, y);
  }

  things(pen, scene) {
    for (const [x, y] of scene.dirt) dirt(pen, x * 100 + 50, y * 100 + 50);
    for (const [x, y] of scene.apples) apple(pen, x * 100 + 50, y * 100 + 52);
  }

  above({ ctx, colours }, scene) {
    if (!scene.view) return;
    const seen = new Set(scene.view.map(([x, y]) => y * this.columns + x));
    ctx.fillStyle = colours.fog;
    for (let y = 0; y < this.rows; y++) {
      for (let x = 0; x < this.columns; x++) {
        if (!seen.has(y * this.columns + x)) ctx.fillRect(x * 100, y * 100, 100, 100);
      }
    }
  }

  figures(scene) {
    return scene.avatars
      .filter(({ at }) => at)
      .map(({ seat, at, facing }) => ({ seat, at, angle: ANGLES[facing] ?? 0, mine: seat === this.seat }));
  }

  // The cells to look at where the whole map would be too small: what this seat sees, and a little around it.
  focus(scene) {
    if (!scene?.view?.length) return null;
    const [xs, ys] = [0, 1].map((axis) => scene.view.map((cell) => cell[axis]));
    const [left, top, right, bottom] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    return { x: (left + right + 1) / 2, y: (top + bottom + 1) / 2, span: 11 + 2 * AROUND };
  }

  // Whether this seat has been zapped and is not back yet.
  out(scene) {
    return scene.avatars.some(({ seat, at }) => seat === this.seat && !at);
  }

  tell(scene) {
    const avatars = scene.avatars.map(({ seat, at, facing }) => {
      const who = seat === this.seat ? "You are" : `Avatar ${seat} is`;
      return at ? `${who} at ${phrase.place(at)}, facing ${facing}.` : `${who} out of the game for a while.`;
    });
    const seen = `${phrase.count(scene.apples.length, "apple")} and ${scene.dirt.length} of dirt in view.`;
    return [...avatars, seen];
  }

  news(before, after) {
    const at = (scene) => scene.avatars.find(({ seat }) => seat === this.seat)?.at;
    const told = {};
    if (at(before) && !at(after)) told.out = "You have been zapped out of the game for a while.";
    if (!at(before) && at(after)) told.out = `You are in the game, at ${phrase.place(at(after))}.`;
    if (this.seat !== null && after.apples.length !== before.apples.length) {
      told.apples = `${phrase.count(after.apples.length, "apple")} in view.`;
    }
    return told;
  }
}

function fill(ctx, x, y, colour) {
  ctx.fillStyle = colour;
  ctx.fillRect(x * 100, y * 100, 100, 100);
}

function grass({ ctx, colours }, x, y) {
  fill(ctx, x, y, colours.grass);
  // Tufts lie differently in neighbouring cells, and always the same in one.
  const shift = ((x * 7 + y * 13) % 5) * 8;
  for (const [right, down] of [[20 + shift, 34], [68 - shift / 2, 78]]) {
    stroke(ctx, [[x * 100 + right - 9, y * 100 + down - 12], [x * 100 + right, y * 100 + down]], colours["grass-2"], 6);
    stroke(ctx, [[x * 100 + right + 9, y * 100 + down - 12], [x * 100 + right, y * 100 + down]], colours["grass-2"], 6);
  }
}

function water({ ctx, colours }, x, y) {
  fill(ctx, x, y, colours.water);
  const top = y * 100 + 34 + ((x * 5 + y * 3) % 3) * 14;
  const left = x * 100;
  stroke(ctx, [[left + 20, top], [left + 35, top - 8], [left + 50, top], [left + 65, top - 8], [left + 80, top]], colours["water-2"], 6);
}

function wall({ ctx, colours }, x, y) {
  fill(ctx, x, y, colours.wall);
  ctx.fillStyle = colours["wall-2"];
  ctx.fillRect(x * 100, y * 100 + 46, 100, 7);
  ctx.fillRect(x * 100, y * 100 + 93, 100, 7);
  ctx.fillRect(x * 100 + 30, y * 100, 7, 46);
  ctx.fillRect(x * 100 + 72, y * 100 + 53, 7, 40);
}

function apple({ ctx, colours }, x, y) {
  disc(ctx, x, y, 27, colours.apple, colours["figure-line"], 4);
  stroke(ctx, [[x, y - 22], [x + 4, y - 38]], colours["dirt-2"], 6);
  oval(ctx, x + 17, y - 33, 12, 6, colours.leaf, null);
}

function dirt({ ctx, colours }, x, y) {
  for (const [right, down, radius] of [[-16, -8, 22], [14, -12, 20], [2, 15, 25]]) {
    disc(ctx, x + right, y + down, radius, colours.dirt, null);
  }
  for (const [right, down] of [[-14, -6], [12, 12], [6, -16]]) disc(ctx, x + right, y + down, 6, colours["dirt-2"], null);
}
