// Score, time left and phase.

import { find, write } from "./element.js";
import * as phrase from "./phrase.js";

export class Status {
  constructor(welcome) {
    this.welcome = welcome;
  }

  show(state) {
    const { steps, hz } = this.welcome;
    const left = Math.max(0, steps - state.tick);
    write(find("score"), phrase.points(state.total));
    write(find("time"), hz ? `${phrase.count(left, "tick")}, ${Math.ceil(left / hz)} s` : phrase.count(left, "tick"));
    write(find("phase"), this.words(state));
    find("clock").max = Math.max(1, steps);
    find("clock").value = state.tick;
  }

  words({ phase, places }) {
    if (phase === "waiting") return `Waiting for ${missing(places)}`;
    return { playing: "Playing", paused: "Paused", over: "Over" }[phase] ?? phase;
  }
}

function missing(places) {
  const seats = places.flatMap(({ here }, seat) => (here === false ? [seat] : []));
  if (!seats.length) return "the start";
  return `${seats.length === 1 ? "seat" : "seats"} ${seats.join(", ")}`;
}
