// What an episode came to.

import { element, find, show, write } from "./element.js";
import * as phrase from "./phrase.js";

export class Result {
  constructor(section, mayAgain) {
    this.section = section;
    show(find("again"), mayAgain);
  }

  // `trace` is empty for who came after the end.
  show({ total, returns, trace }) {
    write(find("result-total"), `Team score: ${phrase.points(total)}`);
    find("result-returns").replaceChildren(
      ...returns.map((points, seat) => element("li", {}, `Seat ${seat}: ${phrase.points(points)}`)),
    );
    write(find("result-trace"), trace ? `Trace: ${trace}` : "");
    show(this.section, true);
  }

  hide() {
    show(this.section, false);
  }
}
