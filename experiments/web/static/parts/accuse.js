// An accusation: three cards, and a confirmation, since it can end the game.

import { accusing, named } from "./actions.js";
import { choice } from "./choice.js";
import { el, put, say } from "./dom.js";
import { facts } from "./facts.js";

/** Ask for the three cards in a dialogue, and call `send(action)` once they are confirmed. */
export function accuse(send, note) {
  const rooms = facts.rooms.map(({ name }) => name);
  const next = el("button", { type: "button", class: "main", disabled: true }, "Accuse …");
  const changed = () => {
    next.disabled = parts.some((part) => part.value() === null);
  };
  const parts = [
    choice("Suspect", "accused", facts.suspects, changed, note),
    choice("Weapon", "accused-weapon", facts.weapons, changed, note),
    choice("Room", "accused-room", rooms, changed, note),
  ];
  const heading = el("h2", { id: "accuse-title" }, "Accuse");
  const first = el(
    "div",
    {},
    parts.map(({ element }) => element),
    el("p", { class: "buttons" }, next, closer("Not now")),
  );
  const body = el("div", {}, first);
  const dialog = el("dialog", { "aria-labelledby": "accuse-title" }, heading, body);

  next.addEventListener("click", () => {
    const [suspect, weapon, room] = parts.map((part) => part.value());
    const yes = el(
      "button",
      {
        type: "button",
        class: "main danger",
        click: () => {
          dialog.close();
          send(accusing(suspect, weapon, room));
        },
      },
      "Yes, accuse",
    );
    const back = el(
      "button",
      {
        type: "button",
        click: () => {
          say(heading, "Accuse");
          put(body, first);
          next.focus();
        },
      },
      "Back",
    );
    say(heading, "Are you sure?");
    put(
      body,
      el(
        "p",
        { class: "question" },
        `You accuse ${named(suspect)} with ${named(weapon)} in ${named(room)}. `,
        "If it is right, you win. If it is wrong, you are out and only show cards from then on.",
      ),
      el("p", { class: "buttons" }, yes, back),
    );
    back.focus();
  });

  function closer(words) {
    return el("button", { type: "button", click: () => dialog.close() }, words);
  }

  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
