// Lists of what can be opened: own seats, tables, recorded games, runs.

import { el, put } from "./dom.js";
import { labelled } from "./labels.js";

const MOST = 12; // shown at once; the rest behind a button

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

/** The seats that this browser has been given, at tables that are still there. */
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
  const stands = ({ over, aside }) => (over ? "over" : aside ? "put aside" : "under way");
  const items = tables.map(({ id, rules, seats, ...table }) =>
    el(
      "li",
      {},
      el("a", { href: `/watch/${encodeURIComponent(id)}` }, `${rules}, ${stands(table)}`),
      about(seats),
    ),
  );
  fill(parent, items, "No table yet.");
}

export function listRecords(parent, records) {
  const items = records.map(({ id, name, rules, game, seats }) =>
    el(
      "li",
      {},
      el("a", { href: `/records/${encodeURIComponent(id)}` }, `${rules}, game ${game}`),
      about(seats),
      el("small", { class: "path" }, name),
    ),
  );
  fill(parent, items, "No recorded game yet: python -m experiments.compare run.records=10 writes some.");
}

export function listRuns(parent, runs) {
  const items = runs.map(({ name, report, rates }) =>
    el(
      "li",
      {},
      report ? el("a", { href: report }, name) : el("span", { class: "path" }, name),
      rates?.length ? rateTable(name, rates) : null,
    ),
  );
  fill(parent, items, "No run yet.");
}

function rateTable(name, rates) {
  const row = ({ match, player, games, rate, interval }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, labelled(player)),
      el("td", { class: "words" }, labelled(match)),
      el("td", {}, String(games)),
      el("td", {}, `${(100 * rate).toFixed(1)} %`),
      el("td", {}, `${(100 * interval[0]).toFixed(1)} to ${(100 * interval[1]).toFixed(1)}`),
    );
  const heads = ["player", "match", "games", "wins", "95 %"];
  return el(
    "details",
    {},
    el("summary", {}, "Win rates"),
    el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": `Win rates of ${name}` },
      el(
        "table",
        { class: "figures" },
        el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
        el("tbody", {}, rates.map(row)),
      ),
    ),
  );
}

function about(seats) {
  return el("small", {}, seats.map(labelled).join(", "));
}
