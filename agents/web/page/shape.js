// Plain shapes, in units of which a cell has 100.

export function disc(ctx, x, y, radius, fill, line, width = 4) {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  paint(ctx, fill, line, width);
}

export function box(ctx, x, y, width, height, round, fill, line, thick = 4) {
  ctx.beginPath();
  ctx.roundRect(x, y, width, height, round);
  paint(ctx, fill, line, thick);
}

export function oval(ctx, x, y, across, down, fill, line, width = 4) {
  ctx.beginPath();
  ctx.ellipse(x, y, across, down, 0, 0, 2 * Math.PI);
  paint(ctx, fill, line, width);
}

export function stroke(ctx, points, line, width) {
  ctx.beginPath();
  points.forEach(([x, y], index) => (index ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
  ctx.lineJoin = ctx.lineCap = "round";
  paint(ctx, null, line, width);
}

export function word(ctx, text, x, y, size, fill) {
  ctx.font = `700 ${size}px ui-rounded, system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillStyle = fill;
  ctx.fillText(text, x, y + size * 0.06);
}

function paint(ctx, fill, line, width) {
  if (fill) {
    ctx.fillStyle = fill;
    ctx.fill();
  }
  if (line) {
    ctx.strokeStyle = line;
    ctx.lineWidth = width;
    ctx.stroke();
  }
}
