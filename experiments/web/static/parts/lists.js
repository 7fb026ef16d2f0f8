// Lists of links: own seats, tables, recorded games.

import { el, put } from "./dom.js";
import { labelled } from "./labels.js";

const MOST = 12; // shown at first; a button shows the rest

function fill(parent, items, none) {
  if (!items.length) return put(parent, el("li", { class: "note" }, none));
  const more = items.length - MOST;
  put(parent, items.slice(0, MOST));
  if (more <= 0) return undefined;
  const show = () => put(parent, items);
  return parent.append(
    el("li", {}, el("button", { type: "button", click: show }, `Show ${more} more`)),
  );
}

/** The seats of this browser at existing tables. */
export function listSeats(parent, kept, tables) {
  const items = kept.flatMap(({ table, link, name }) => {
    const found = tables.find(({ id }) => id === table);
    if (!found || found.over) return [];
    return [el("li", {}, el("a", { href: link }, `${name}, ${found.rules}`), about(found.seats))];
  });
  parent.parentElement.hidden = !items.length;
  put(parent, items);
}

export function listTables(parent, tables) {
  const stage = ({ over, aside }) => (over ? "over" : aside ? "put aside" : "under way");
  const items = tables.map(({ id, rules, seats, ...table }) =>
    el(
      "li",
      {},
      el("a", { href: `/watch/${encodeURIComponent(id)}` }, `${rules}, ${stage(table)}`),
      about(seats),
      ended(table),
    ),
  );
  fill(parent, items, "No table yet.");
}

const ORDERS = {
  newest: () => 0, // in the given order
  shortest: (one, other) => (one.turns ?? Infinity) - (other.turns ?? Infinity),
  longest: (one, other) => (other.turns ?? -1) - (one.turns ?? -1),
  time: (one, other) => (other.seconds ?? -1) - (one.seconds ?? -1),
  winner: (one, other) => (one.winner ?? "\uffff").localeCompare(other.winner ?? "\uffff"),
};

/** The recorded games, in the `order` of `ORDERS`. */
export function listRecords(parent, records, order = "newest") {
  const items = [...records].sort(ORDERS[order]).map(({ id, name, rules, game, seats, ...record }) =>
    el(
      "li",
      {},
      el("a", { href: `/records/${encodeURIComponent(id)}` }, `${rules}, game ${game}`),
      about(seats),
      ended(record),
      el("small", { class: "path" }, name),
    ),
  );
  fill(parent, items, "No recorded game yet: python -m experiments.compare run.records=10 writes some.");
}

/** Return how a game ended; null if it continues or its end is unknown. */
function ended({ winner, turns, seconds }) {
  if (turns === undefined || turns === null) return null;
  const who = winner === null ? "Nobody won" : `${labelled(winner)} won`;
  return el("small", { class: "ended" }, `${who} in ${turns} turns${seconds ? `, ${lasting(seconds)}` : ""}`);
}

/** Return a time in words. */
function lasting(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

function about(seats) {
  return el("small", {}, seats.map(labelled).join(", "));
}
