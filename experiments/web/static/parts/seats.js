// The seats in the order of play: the turn, the roll, the awaited player.

import { initials } from "./board.js";
import { el, put } from "./dom.js";
import { rest } from "./labels.js";
import { names, shared } from "./words.js";

/** Positions of the pips of a die by number, on a grid of three by three. */
const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

/** Return a token in the colour of a suspect. */
export function token(suspect) {
  return el("span", { class: `token suspect-${suspect}`, "aria-hidden": "true" }, initials(suspect));
}

/** Return the roll: a die, or the sum of two. */
function die(roll, dice) {
  const shown = { class: "die", role: "img", "aria-label": `rolled ${roll}` };
  if (dice !== 1 || !PIPS[roll]) return el("span", shown, String(roll));
  const spots = [...Array(9).keys()].map((place) =>
    el("span", { class: PIPS[roll].includes(place) ? "pip" : "" }),
  );
  return el("span", { ...shown, class: "die pips" }, spots);
}

/** Fill the list `parent` with the seats of `table` as they are in `state`. */
export function showSeats(parent, table, state) {
  const called = names(table.seats);
  const items = table.seats.map(({ label, suspect, person }, seat) => {
    const moving = seat === state.seat && !state.over;
    const marks = [];
    if (seat === state.me) marks.push("you");
    if (state.over && seat === state.winner) marks.push("wins");
    if (state.out[seat]) marks.push("out");
    const awaited = seat === state.waiting && !state.over;
    if (awaited && seat !== state.me) marks.push(person ? "is asked" : "thinks");
    return el(
      "li",
      { class: moving ? "seat moving" : "seat", "aria-current": moving ? "true" : null },
      token(suspect),
      el(
        "span",
        { class: "seat-name" },
        called[seat],
        el(
          "small",
          {},
          shared(table.seats, label) ? rest(label) : suspect,
          el("span", { class: "marks" }, marks.map((mark) => ` · ${mark}`)),
        ),
      ),
      moving && state.roll !== null ? die(state.roll, table.rules.dice) : null,
    );
  });
  put(parent, items);
}
