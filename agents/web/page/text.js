// Any other game, as lines of text.

import { write } from "./element.js";

export class Text {
  constructor(pre) {
    this.pre = pre;
  }

  show(scene) {
    write(this.pre, picture(scene));
  }

  tell() {
    // The picture itself is text and can be read.
    return [];
  }

  news() {
    return {};
  }
}

function picture({ picture: lines }) {
  return Array.isArray(lines) ? lines.join("\n") : lines;
}
