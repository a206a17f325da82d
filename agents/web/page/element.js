// An element and its text. Nothing from the network is ever read as HTML.

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

// What has not changed is left alone, so that a screen reader does not hear it again.
export function write(where, text) {
  if (where.textContent !== text) where.textContent = text;
}

export function show(where, shown) {
  if (where.hidden === shown) where.hidden = !shown;
}

export function find(id) {
  return document.getElementById(id);
}
