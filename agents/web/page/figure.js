// A figure seen from above: its seat's colour, its number, where it looks, what it holds.

import { item } from "./item.js";
import { SEATS } from "./palette.js";
import { disc, word } from "./shape.js";

export const ANGLES = { north: -Math.PI / 2, east: 0, south: Math.PI / 2, west: Math.PI };

// Drawn around (x, y) of the canvas; `hat` for cooks.
export function figure(pen, { x, y, angle, scale, seat, mine, held, hat }) {
  const { ctx, colours } = pen;
  const colour = colours.seats[seat % SEATS];
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(scale, scale);
  if (mine) {
    disc(ctx, 0, 0, 42, null, colours.mine, 9);
    disc(ctx, 0, 0, 37, null, colours["mine-2"], 4);
  }
  ctx.save();
  ctx.rotate(angle);
  beak(ctx, colours);
  ctx.restore();
  disc(ctx, 0, 0, 33, colour, colours["figure-line"], 4);
  if (hat) disc(ctx, 0, 0, 22, colours.hat, null);
  word(ctx, String(seat), 0, 0, hat ? 32 : 44, hat ? colours["hat-ink"] : colours.hat);
  if (held && held !== "nothing") item(pen, held, Math.cos(angle) * 44, Math.sin(angle) * 44, 0.6);
  ctx.restore();
}

function beak(ctx, colours) {
  ctx.beginPath();
  ctx.moveTo(20, -24);
  ctx.lineTo(54, 0);
  ctx.lineTo(20, 24);
  ctx.closePath();
  ctx.lineJoin = "round";
  ctx.fillStyle = colours.hat;
  ctx.strokeStyle = colours["figure-line"];
  ctx.lineWidth = 5;
  ctx.fill();
  ctx.stroke();
}
