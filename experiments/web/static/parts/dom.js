// Elements, made of tags, attributes and text.  Text is text: nothing here reads HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (typeof value === "boolean") made.toggleAttribute(name, value);
    else if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** Return an element; an attribute that is a function handles the event of that name. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Return an element of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Return words for screen readers only. */
export function unseen(words) {
  return el("span", { class: "unseen" }, words);
}

/** Return the element of the page with this id. */
export function part(id) {
  return document.getElementById(id);
}

/** Replace the content of `parent` by `children`. */
export function put(parent, ...children) {
  parent.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

/** Set the text of `element`, if it differs: a live region announces every change. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Return a function that calls `draw` once per batch of messages. */
export function soon(draw) {
  let due = false;
  return () => {
    if (due) return;
    due = true;
    setTimeout(() => {
      due = false;
      draw();
    });
  };
}
