// Cards to choose one of: radio buttons that look like cards.

import { el, say } from "./dom.js";
import { classOf, face } from "./faces.js";

/**
 * Return a field set in which one of `items` is chosen; `note(item)` is a word under an item.
 *
 * `changed()` is called after each choice; of the result `value()` is the choice, or null, and
 * `renote()` writes the words under the items again.
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
