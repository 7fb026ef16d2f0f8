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

/** Return an element; an attribute that is a function listens to the event of that name. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Return an element of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Return words that are read out and not seen. */
export function unseen(words) {
  return el("span", { class: "unseen" }, words);
}

/** Return the element of the page that has this id. */
export function part(id) {
  return document.getElementById(id);
}

/** Put `children` in the place of what is in `parent`. */
export function put(parent, ...children) {
  parent.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

/** Give `element` the text, if it has another one: a live region speaks of every change. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Return a function by whose call `draw` is called once, after the messages that come together. */
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
