// Things that are carried: onion, tomato, dish and soup, drawn around (0, 0).

import { disc, oval, stroke } from "./shape.js";

const SPOTS = [[[0, 0]], [[-10, 0], [10, 0]], [[-10, 5], [10, 5], [0, -8]]];

export function item(pen, name, x, y, scale) {
  const [kind, contents] = name.split(":");
  if (kind === "nothing") return;
  pen.ctx.save();
  pen.ctx.translate(x, y);
  pen.ctx.scale(scale, scale);
  ({ onion, tomato, dish, soup })[kind]?.(pen, contents ? contents.split(",") : []);
  pen.ctx.restore();
}

// Ingredients lying in something round.
export function ingredients(pen, names, x, y, scale) {
  const spots = SPOTS[Math.min(names.length, 3) - 1] ?? [];
  names.slice(0, 3).forEach((name, index) => {
    const [right, down] = spots[index];
    item(pen, name, x + right * scale * 2.4, y + down * scale * 2.4, scale);
  });
}

function onion({ ctx, colours }) {
  ctx.beginPath();
  ctx.moveTo(0, -34);
  ctx.bezierCurveTo(6, -20, 30, -14, 30, 8);
  ctx.bezierCurveTo(30, 26, 14, 32, 0, 32);
  ctx.bezierCurveTo(-14, 32, -30, 26, -30, 8);
  ctx.bezierCurveTo(-30, -14, -6, -20, 0, -34);
  ctx.fillStyle = colours.onion;
  ctx.strokeStyle = colours["onion-2"];
  ctx.lineWidth = 5;
  ctx.fill();
  ctx.stroke();
  stroke(ctx, [[-10, 24], [-13, 6], [-4, -14]], colours["onion-2"], 3);
  stroke(ctx, [[10, 24], [13, 6], [4, -14]], colours["onion-2"], 3);
}

function tomato({ ctx, colours }) {
  disc(ctx, 0, 4, 29, colours.tomato, colours["figure-line"], 3);
  for (const turn of [-1.1, -0.4, 0.4, 1.1]) {
    stroke(ctx, [[0, -20], [Math.sin(turn) * 20, -20 - Math.cos(turn) * 2 + Math.abs(turn) * 8]], colours.leaf, 7);
  }
  stroke(ctx, [[0, -20], [0, -33]], colours.leaf, 6);
}

function dish({ ctx, colours }) {
  disc(ctx, 0, 0, 33, colours.dish, colours["dish-2"], 5);
  disc(ctx, 0, 0, 20, null, colours["dish-2"], 3);
}

function soup(pen, contents) {
  const { ctx, colours } = pen;
  disc(ctx, 0, 0, 37, colours.dish, colours["dish-2"], 5);
  oval(ctx, 0, 0, 27, 27, contents.includes("tomato") ? colours.tomato : colours.soup, null);
  ingredients(pen, contents, 0, 0, 0.36);
}
