// A button that starts an option: its key, its words, its place set apart.

import { element } from "./element.js";
import * as phrase from "./phrase.js";

// `shortcuts` as aria-keyshortcuts has them, or "" where there are none.
export function label({ option, words }, key, shortcuts) {
  const [deed, place] = (words === option ? phrase.option(words) : words).split(/ (?=@ \()/);
  const button = element("button", { type: "button" });
  if (shortcuts) button.setAttribute("aria-keyshortcuts", shortcuts);
  if (key) button.append(element("kbd", {}, key), " ");
  button.append(element("span", { class: "words" }, deed));
  if (place) button.append(" ", element("span", { class: "place" }, place));
  return button;
}
