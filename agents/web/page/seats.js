// The other seats, or all of them: who holds each and what it is doing.

import { element, show, write } from "./element.js";
import { SEATS } from "./palette.js";
import * as phrase from "./phrase.js";

export class Seats {
  // `swap(seat, agent)` is for the host alone, else null.
  constructor(list, title, welcome, swap) {
    const mine = welcome.role === "seat" ? welcome.seat : null;
    write(title, mine === null ? "Seats" : welcome.seats === 2 ? "Your partner" : "Your partners");
    const numbers = Array.from({ length: welcome.seats }, (_, seat) => seat).filter((seat) => seat !== mine);
    this.rows = numbers.map((seat) => new Row(seat, swap, welcome.map.kind === "world", welcome.links?.[seat]));
    list.replaceChildren(...this.rows.map(({ item }) => item));
    if (welcome.links?.watch) list.append(element("li", { id: "watch" }, invitation("To watch", welcome.links.watch)));
    show(list.parentElement, numbers.length > 0);
  }

  show(state) {
    for (const row of this.rows) row.show(state);
  }
}

class Row {
  constructor(seat, swap, earns, link) {
    this.seat = seat;
    this.earns = earns;
    this.holder = element("span", { class: "holder" });
    this.doing = element("p", { class: "doing" });
    this.earned = element("span", { class: "earned" });
    const head = element("p", { class: "head" }, swatch(seat), " ", element("strong", {}, `Seat ${seat}`), " ", this.holder, " ", this.earned);
    this.item = element("li", { id: `seat-${seat}` }, head, this.doing);
    if (link) this.item.append(invitation("To sit here", link));
    if (swap) this.item.append(form(seat, swap));
  }

  show({ phase, places, returns }) {
    const place = places[this.seat];
    if (!place) return;
    write(this.holder, place.holder);
    write(this.earned, this.earns ? phrase.points(returns?.[this.seat] ?? 0) : "");
    write(this.doing, words(phase, place));
    this.item.classList.toggle("away", place.here === false);
  }
}

function words(phase, { here, doing, going }) {
  if (here === false) return phase === "waiting" ? "Not here yet." : "Away: the connection is lost.";
  if (phase === "waiting") return "Ready.";
  if (phase === "over") return "Done.";
  if (!doing) return "Choosing.";
  return going ? phrase.sentence(phrase.key(doing)) : `Choosing; last: ${phrase.key(doing)}.`;
}

export function swatch(seat) {
  return element("span", { class: `swatch seat-${seat % SEATS}`, "aria-hidden": "true" }, String(seat));
}

// A link that the host hands on: whoever opens it sits there, or watches.
function invitation(words, path) {
  const address = new URL(path, location.href).href;
  return element("p", { class: "link" }, `${words}: `, element("a", { href: address, target: "_blank", rel: "noreferrer" }, address));
}

function form(seat, swap) {
  const id = `agent-${seat}`;
  const input = element("input", { id, name: "agent", required: "", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const made = element(
    "form", { "aria-label": `Swap seat ${seat}` },
    element("label", { for: id }, `Agent for seat ${seat}`), input, element("button", { type: "submit" }, "Swap"),
  );
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    if (swap(seat, input.value.trim())) input.value = "";
  });
  return made;
}
