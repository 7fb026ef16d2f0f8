// Lists of links: own seats, tables, recorded games, runs.

import { el, put } from "./dom.js";
import { rateTable } from "./figures.js";
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

/** The runs under way, each with a live page. */
export function listUnderWay(parent, runs) {
  const items = runs.map(({ id, name, matches }) =>
    el(
      "li",
      {},
      el("a", { href: `/runs/${encodeURIComponent(id)}` }, name),
      el("small", {}, matches.map(labelled).join(" · ")),
    ),
  );
  parent.parentElement.hidden = !items.length;
  put(parent, items);
}

const TRIAL = /^(.*)\/(?:trial-\d+|fresh-\w+)$/; // of a sweep, which is a single entry
const FRESH = /\/fresh-(?!start$)\w+$/; // the best, or the end of a climb, on games that did not select it

export function listRuns(parent, runs) {
  const sweeps = Map.groupBy(runs, ({ name }) => name.match(TRIAL)?.[1] ?? null);
  const items = runs.flatMap((run) => {
    const sweep = run.name.match(TRIAL)?.[1];
    if (sweep === undefined) return [aRun(run)];
    const played = sweeps.get(sweep);
    return played[0] === run ? [aSweep(sweep, played)] : [];
  });
  fill(parent, items, "No run yet.");
}

function aRun({ id, name, report, rates }) {
  return el(
    "li",
    {},
    id ? el("a", { href: `/runs/${encodeURIComponent(id)}` }, name) : el("span", { class: "path" }, name),
    report ? [" · ", el("a", { href: report, "aria-label": `Report of ${name}` }, "report")] : null,
    rates?.length ? el("details", {}, el("summary", {}, "Win rates"), rateTable(name, rates)) : null,
  );
}

function aSweep(name, played) {
  const trials = played.filter((run) => !/\/fresh-\w+$/.test(run.name));
  const percent = (share) => (100 * share).toFixed(1);
  const [fresh] = played.filter((run) => FRESH.test(run.name)).flatMap(({ rates }) => rates);
  const best = Math.max(...trials.flatMap(({ rates }) => rates.map(({ rate }) => rate)));
  const count = `A sweep: ${trials.length} trial${trials.length === 1 ? "" : "s"}`;
  let found = Number.isFinite(best) ? `, the best of them ${percent(best)} %, which flatters it` : "";
  if (fresh) found = `; the best on ${fresh.games} fresh games ${percent(fresh.rate)} % (${fresh.interval.map(percent).join(" to ")})`;
  return el(
    "li",
    {},
    el("span", { class: "path" }, name),
    el("details", {}, el("summary", {}, `${count}${found}`), el("ul", { class: "list" }, played.map(aRun))),
  );
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
