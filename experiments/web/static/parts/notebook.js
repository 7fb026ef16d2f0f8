// Holders of the cards: what is proved, and, as a hint, the probabilities of the rest.

import { initials } from "./board.js";
import { el, put, unseen } from "./dom.js";
import { percent } from "./percent.js";
import { list, names, withSuspect } from "./words.js";

const MARKS = { yes: "✓", no: "✗", maybe: "·" };
const KINDS = { suspect: "Suspects", weapon: "Weapons", room: "Rooms" };

/** Return what is certain about a card and a holder: the posterior proves more than the closure. */
function certainly(holds, chance) {
  if (holds !== "maybe") return holds;
  return chance === 1 ? "yes" : chance === 0 ? "no" : "maybe";
}

/** Return an unproved cell, whose mark changes at a click. */
function markable(marks, card, column, holder, chance) {
  const shown = () => marks.at(card, column) || (chance === null ? MARKS.maybe : percent(chance));
  const label = () => `${card}, ${holder}: ${marks.words(card, column)}`;
  const click = ({ currentTarget }) => {
    marks.next(card, column);
    currentTarget.textContent = shown();
    currentTarget.setAttribute("aria-label", label());
  };
  const made = el("td", { class: chance === null ? "maybe" : "maybe heat" },
    el("button", { type: "button", class: "mark", "aria-label": label(), click }, shown()));
  if (chance !== null) made.style.setProperty("--chance", chance);
  return made;
}

function cell(proved, chance) {
  const holds = certainly(proved, chance);
  if (holds === "maybe" && chance !== null) {
    const made = el("td", { class: "maybe heat" }, percent(chance), unseen(" percent"));
    made.style.setProperty("--chance", chance);
    return made;
  }
  const made = el(
    "td",
    { class: chance === null ? holds : `${holds} heat` },
    el("span", { "aria-hidden": "true" }, MARKS[holds]),
    unseen(holds),
  );
  if (chance !== null) made.style.setProperty("--chance", holds === "yes" ? 1 : 0);
  return made;
}

/**
 * Fill `parent` with the table of `notebook`; with `hints` also with its probabilities.
 *
 * Columns are the envelope and the seats of `table`; `me` is the seat of the notebook.  With `marks`
 * (`marksOf`) the user can mark unproved cells.
 */
export function showNotebook(parent, notebook, table, me, hints, marks = null) {
  const called = names(table.seats);
  const chance = hints ? notebook.chance : null;
  const head = el(
    "tr",
    {},
    el("td", {}),
    el("th", { scope: "col" }, el("abbr", { title: "Envelope" }, "Env")),
    table.seats.map(({ suspect }, seat) =>
      el(
        "th",
        { scope: "col", class: seat === me ? "own" : null },
        el("abbr", { title: withSuspect(called[seat], suspect) }, initials(suspect)),
      ),
    ),
  );
  const bodies = Object.entries(KINDS).map(([kind, title]) =>
    el(
      "tbody",
      {},
      el("tr", { class: "kind" }, el("th", { colspan: 2 + table.seats.length, scope: "rowgroup" }, title)),
      notebook.cards
        .map((row, number) => ({ ...row, number }))
        .filter((row) => row.kind === kind)
        .map((row) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, row.card),
            row.holders.map((holds, column) => {
              const likely = chance ? chance[row.number][column] : null;
              const holder = column ? called[column - 1] : "envelope";
              const sure = certainly(holds, likely);
              if (marks && sure === "maybe") return markable(marks, row.card, column, holder, likely);
              return cell(holds, likely);
            }),
          ),
        ),
    ),
  );
  const accused = notebook.accused.map((cards) => list(cards)).join("; ");
  put(
    parent,
    el("table", { class: "notebook" }, el("thead", {}, head), bodies),
    accused ? el("p", { class: "note accused" }, `Not all three in the envelope: ${accused}.`) : null,
  );
}

/** Return the cards that may be in the envelope by `notebook`; with `hints` by its probabilities. */
export function openCards(notebook, hints) {
  const rows = notebook?.cards ?? [];
  const chance = (number) => (hints && notebook.chance ? notebook.chance[number][0] : null);
  return new Set(rows.filter(({ holders }, number) => certainly(holders[0], chance(number)) === "maybe").map(({ card }) => card));
}

/** Return what the notebook of seat `me` says about a card, in one word. */
export function noteOn(notebook, table, me, card) {
  const row = notebook?.cards.find((entry) => entry.card === card);
  const holder = row ? row.holders.indexOf("yes") : -1;
  if (holder === 0) return "envelope";
  if (holder - 1 === me) return "yours";
  if (holder > 0) return names(table.seats)[holder - 1];
  return row && row.holders.every((holds) => holds === "no") ? "face up" : "";
}
