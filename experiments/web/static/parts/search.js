// A search: actions at its root with visits and values, the line it expects, its speed.

import { inWords } from "./actions.js";
import { el, put, svg } from "./dom.js";

const SPREAD = 1.96; // standard errors on either side of a value: 95 %
const WIDE = 160;
const HIGH = 18;

/** Return the words of an action: some messages bring them along, others its number. */
function words(row) {
  if (row.words) return row.words;
  return typeof row.action === "number" ? inWords(row.action) : row.action;
}

/** Return a value from 0 to 1 as a bar, with its interval. */
function bar(value, error) {
  const shapes = [svg("rect", { width: WIDE, height: HIGH, class: "bar-ground" })];
  if (value !== null && value !== undefined) {
    const at = (share) => WIDE * Math.min(1, Math.max(0, share));
    shapes.push(svg("rect", { y: 3, width: at(value), height: HIGH - 6, class: "bar" }));
    if (error !== null && error !== undefined) {
      const [low, high] = [at(value - SPREAD * error), at(value + SPREAD * error)];
      const whisker = `M${low} 5v8M${high} 5v8M${low} 9H${high}`;
      shapes.push(svg("path", { d: whisker, class: "whisker" }));
    }
  }
  return svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "value-bar", "aria-hidden": "true" }, ...shapes);
}

function figure(value, error) {
  if (value === null || value === undefined) return "–";
  const spread = error === null || error === undefined ? "" : ` ± ${(SPREAD * error).toFixed(3)}`;
  return `${value.toFixed(3)}${spread}`;
}

/** Return the table of the root's actions; `whose` names the player, `chosen` what it does. */
export function rootTable(rows, whose, chosen = null) {
  const heads = ["action", "visits", "value, 95 %", ""];
  const body = rows.map((row) =>
    el(
      "tr",
      { class: chosen !== null && row.action === chosen ? "chosen" : null },
      el("th", { scope: "row" }, words(row)),
      el("td", {}, String(row.visits)),
      el("td", {}, figure(row.value, row.error)),
      el("td", {}, bar(row.value, row.error)),
    ),
  );
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": `Actions that ${whose} considers` },
    el(
      "table",
      { class: "figures root" },
      el("thead", {}, el("tr", {}, heads.map((head) => (head ? el("th", { scope: "col" }, head) : el("td", {}))))),
      el("tbody", {}, body),
    ),
  );
}

/** Return the line that is expected, as a list. */
export function expected(steps) {
  if (!steps?.length) return null;
  return el(
    "div",
    {},
    el("h4", {}, "Most visited line"),
    el(
      "ol",
      { class: "expected" },
      steps.map((step) =>
        el("li", {}, words(step), " ", el("small", {}, `${step.visits} visits, ${figure(step.value)}`)),
      ),
    ),
  );
}

/** Fill `parent` with the last word on a search. */
export function showSearch(parent, search, name) {
  const speed = search.per_second ? `, ${search.per_second.toLocaleString("en")} a second` : "";
  put(
    parent,
    el("h3", {}, `${name} searches`),
    el("p", { class: "note" }, `${search.simulations.toLocaleString("en")} simulations${speed}`),
    rootTable(search.root, name),
    expected(search.line),
  );
}
