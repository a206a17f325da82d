// The canvas: its size, its frames, and which cell is under a pointer.

import { figure } from "./figure.js";
import { palette } from "./palette.js";
import { box, disc, stroke, word } from "./shape.js";

const SMALLEST = 18; // CSS pixels of a cell, below which a seat is shown its surroundings alone
const LARGEST = 120;
const LONGEST = 250; // milliseconds of one eased step: a slow clock must not make slow walkers

export class Stage {
  // `room` is what the canvas may fill in width; `on` has cell(x, y) for a click and zoomable(whether there is a whole map to switch to).
  constructor(canvas, room, on) {
    this.canvas = canvas;
    this.room = room;
    this.ctx = canvas.getContext("2d");
    this.on = on;
    this.drawing = this.scene = null;
    this.walkers = new Map();
    this.aim = null; // the entry under pointer or focus: target and path
    this.goal = null; // the target that is being gone to
    this.letters = new Map(); // by "x,y"
    this.whole = false;
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.resize());
    new ResizeObserver(() => this.resize()).observe(room);
    window.addEventListener("resize", () => this.resize());
    canvas.addEventListener("click", (event) => on.cell(...this.#cellAt(event)));
    canvas.addEventListener("pointermove", (event) => {
      canvas.classList.toggle("aimed", this.letters.has(this.#cellAt(event).join(",")));
    });
  }

  open(drawing) {
    this.drawing = drawing;
    this.scene = null;
    this.walkers.clear();
    this.canvas.setAttribute("aria-label", drawing.title);
    this.resize();
  }

  show(scene, hz) {
    const now = performance.now();
    const from = this.#between(now);
    this.walkers = new Map(this.drawing.figures(scene).map((each) => [each.seat, this.#walker(each, now)]));
    this.scene = scene;
    this.since = now;
    this.lasts = this.still.matches ? 0 : Math.min(1000 / (hz || 4), LONGEST);
    const fits = this.zoomed === this.#zooms();
    if (!fits) this.resize();
    this.camera = this.#camera();
    this.from = fits ? from : this.camera;
    this.request();
  }

  point({ aim = this.aim, goal = this.goal, letters = this.letters }) {
    Object.assign(this, { aim, goal, letters });
    this.request();
  }

  setWhole(whole) {
    this.whole = whole;
    this.resize();
  }

  resize() {
    if (!this.drawing) return;
    const { columns, rows } = this.drawing;
    const room = this.room.clientWidth;
    const height = Math.max(160, parseFloat(getComputedStyle(this.canvas).maxHeight) || innerHeight);
    this.small = Math.min(room / columns, height / rows) < SMALLEST;
    this.zoomed = this.#zooms();
    const focus = this.drawing.focus(this.scene);
    const span = this.zoomed ? focus?.span ?? this.across : Infinity;
    [this.across, this.down] = [Math.min(columns, span), Math.min(rows, span)];
    const ratio = window.devicePixelRatio || 1;
    // A whole number of device pixels a cell keeps every edge sharp.
    this.pixels = Math.max(4, Math.floor(Math.min(room / this.across, height / this.down, LARGEST) * ratio));
    this.canvas.width = this.pixels * this.across;
    this.canvas.height = this.pixels * this.down;
    this.canvas.style.width = `${this.canvas.width / ratio}px`;
    this.canvas.style.height = `${this.canvas.height / ratio}px`;
    this.unit = (100 * ratio) / this.pixels; // of one CSS pixel
    this.colours = palette(this.canvas);
    this.camera = this.from = this.#camera();
    this.on.zoomable(this.small && Boolean(focus || this.zoomed));
    this.#paintGround();
    this.request();
  }

  request() {
    if (!this.drawing) return;
    this.frame ||= requestAnimationFrame((now) => {
      this.frame = 0;
      this.#draw(now);
    });
  }

  #zooms() {
    return this.small && !this.whole && Boolean(this.zoomed || this.drawing.focus(this.scene)) && Boolean(this.scene);
  }

  #camera() {
    const focus = this.zoomed ? this.drawing.focus(this.scene) : { x: 0, y: 0 };
    if (!focus) return this.camera; // out of the game: look where it was
    const clamp = (middle, span, size) => Math.max(0, Math.min(middle - span / 2, size - span));
    return [clamp(focus.x, this.across, this.drawing.columns), clamp(focus.y, this.down, this.drawing.rows)];
  }

  #between(now) {
    const part = this.#part(now);
    return this.camera.map((to, axis) => this.from[axis] + (to - this.from[axis]) * part);
  }

  #part(now) {
    return this.lasts ? Math.max(0, Math.min(1, (now - this.since) / this.lasts)) : 1;
  }

  #walker(each, now) {
    const before = this.walkers.get(each.seat);
    const from = before ? this.#pose(before, now) : { x: each.at[0], y: each.at[1], angle: each.angle };
    const jumps = Math.hypot(each.at[0] - from.x, each.at[1] - from.y) > 2;
    return { ...each, from: jumps ? { x: each.at[0], y: each.at[1], angle: each.angle } : from };
  }

  #pose({ from, at, angle }, now) {
    const part = this.#part(now);
    const turn = Math.atan2(Math.sin(angle - from.angle), Math.cos(angle - from.angle));
    return {
      x: from.x + (at[0] - from.x) * part,
      y: from.y + (at[1] - from.y) * part,
      angle: from.angle + turn * Math.min(1, part * 2),
    };
  }

  #paintGround() {
    this.ground = document.createElement("canvas");
    this.ground.width = this.pixels * this.drawing.columns;
    this.ground.height = this.pixels * this.drawing.rows;
    const ctx = this.ground.getContext("2d");
    ctx.scale(this.pixels / 100, this.pixels / 100);
    this.drawing.ground({ ctx, colours: this.colours });
  }

  #draw(now) {
    const { ctx, drawing, scene, colours } = this;
    const [left, top] = this.#between(now).map((cells) => Math.round(cells * this.pixels));
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.drawImage(this.ground, -left, -top);
    if (!scene) return;
    ctx.setTransform(this.pixels / 100, 0, 0, this.pixels / 100, -left, -top);
    const pen = { ctx, colours };
    drawing.things(pen, scene);
    drawing.above(pen, scene);
    this.#drawAim();
    // Numbers stay readable where cells are small: a figure may then reach over its cell.
    const scale = Math.max(1, Math.min(1.5, (SMALLEST * this.unit) / 100));
    for (const walker of this.walkers.values()) {
      const { x, y, angle } = this.#pose(walker, now);
      figure(pen, { ...walker, x: x * 100 + 50, y: y * 100 + 50, angle, scale });
    }
    this.#drawLetters();
    if (this.#part(now) < 1) this.request();
  }

  #drawAim() {
    const { ctx, colours, unit } = this;
    if (this.goal) this.#frame(this.goal, 3 * unit, 6 * unit);
    if (!this.aim) return;
    // A path does not tell where it begins: that is where this seat stands.
    const mine = [...this.walkers.values()].find((walker) => walker.mine);
    const path = [...(mine && this.aim.path.length ? [mine.at] : []), ...this.aim.path].map(([x, y]) => [x * 100 + 50, y * 100 + 50]);
    ctx.setLineDash([7 * unit, 6 * unit]);
    if (path.length) stroke(ctx, path, colours.aim, 3.5 * unit);
    ctx.setLineDash([]);
    const end = path.at(-1);
    if (end && !this.aim.target) disc(ctx, ...end, 5 * unit, colours.aim, null);
    if (this.aim.target) this.#frame(this.aim.target, 4 * unit, 0);
  }

  #frame([x, y], width, dash) {
    const { ctx, colours } = this;
    ctx.setLineDash(dash ? [dash, dash] : []);
    box(ctx, x * 100 + 4, y * 100 + 4, 92, 92, 14, null, colours.aim, width);
    ctx.setLineDash([]);
  }

  // Letters where a menu's entries are aimed at; dots where a cell is too small to read one.
  #drawLetters() {
    const { ctx, colours, unit } = this;
    const readable = 100 / unit >= 20;
    for (const [place, letters] of this.letters) {
      const [x, y] = place.split(",").map(Number);
      if (!readable) {
        disc(ctx, x * 100 + 50, y * 100 + 50, 2.5 * unit, colours.aim, colours["on-aim"], unit);
        continue;
      }
      const text = letters.length > 2 ? `${letters[0]}+` : letters.join("");
      const height = Math.min(18 * unit, Math.max(13 * unit, 30));
      const width = height * (0.45 + 0.5 * text.length);
      box(ctx, x * 100 + 100 - width, y * 100, width, height, height / 4, colours.aim, colours["on-aim"], unit);
      word(ctx, text, x * 100 + 100 - width / 2, y * 100 + height / 2, height * 0.75, colours["on-aim"]);
    }
  }

  #cellAt({ clientX, clientY }) {
    const { left, top, width } = this.canvas.getBoundingClientRect();
    const [right, down] = this.camera;
    const cell = width / this.across;
    return [Math.floor((clientX - left) / cell + right), Math.floor((clientY - top) / cell + down)];
  }
}
