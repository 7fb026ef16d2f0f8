// A choice of cards: radio buttons that look like cards.

import { el, say } from "./dom.js";
import { classOf, face } from "./faces.js";

/**
 * Return a field set for a choice among `items`; `note(item)` is a word under an item.
 *
 * `changed()` is called after each choice; the result's `value()` is the choice, or null, and
 * `renote()` updates the words under the items.
 */
export function choice(legend, name, items, changed, note = () => "") {
  const inputs = items.map((item) =>
    el("input", { type: "radio", name, value: item, change: changed }),
  );
  const notes = items.map((item) => el("span", { class: "card-note" }, note(item)));
  const element = el(
    "fieldset",
    { class: "choice" },
    el("legend", {}, legend),
    el(
      "div",
      { class: "cards" },
      items.map((item, place) =>
        el(
          "label",
          { class: `card ${classOf(item)}` },
          inputs[place],
          face(item),
          el("span", { class: "card-name" }, item),
          notes[place],
        ),
      ),
    ),
  );
  return {
    element,
    value: () => inputs.find(({ checked }) => checked)?.value ?? null,
    renote: () => items.forEach((item, place) => say(notes[place], note(item))),
  };
}
