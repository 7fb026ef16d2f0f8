// A search: actions at its root with visits and values, the line it expects, its speed.

import { inWords } from "./actions.js";
import { assumptions } from "./assumptions.js";
import { el, put, say, svg } from "./dom.js";
import { short, treePicture } from "./tree.js";

const SPREAD = 1.96; // standard errors on either side of a value: 95 %
const WIDE = 160;
const HIGH = 18;

/** Return the words of an action, which a message has as text or as a number. */
function words(row) {
  if (typeof row.action === "number" && !row.words) return inWords(row.action);
  return short(row.words ?? row.action);
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

/** Return the table of the root's actions; `chosen` is the player's choice. */
function rootRows(rows, chosen = null) {
  const more = ["bits", "right"].filter((name) => rows.some((row) => row[name] !== null && row[name] !== undefined));
  const heads = ["action", "visits", "value, 95 %", ...more];
  const body = rows.map((row) =>
    el(
      "tr",
      { class: chosen !== null && row.action === chosen ? "chosen" : null },
      el("th", { scope: "row" }, words(row)),
      el("td", {}, String(row.visits)),
      el("td", {}, figure(row.value, row.error), bar(row.value, row.error)),
      more.map((name) => el("td", {}, row[name] === null || row[name] === undefined ? "" : row[name].toFixed(3))),
    ),
  );
  return el(
    "table",
    { class: "figures root" },
    el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, body),
  );
}

function region(label) {
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label });
}

/** Return the table of the root's actions in a scrollable region; `whose` names the player. */
export function rootTable(rows, whose, chosen = null) {
  const made = region(`Actions of ${whose}`);
  put(made, rootRows(rows, chosen));
  return made;
}

/** Return the most visited line as a list. */
export function expected(steps) {
  if (!steps?.length) return null;
  return el(
    "div",
    {},
    el("h3", {}, "Most visited line"),
    el(
      "ol",
      { class: "expected" },
      steps.map((step) =>
        el("li", {}, words(step), " ", el("small", {}, `${step.visits === 1 ? "1 visit" : `${step.visits} visits`}, ${figure(step.value)}`)),
      ),
    ),
  );
}

/**
 * The latest state of a search in `parent`, the top of its tree in `below`, its assumptions in
 * `aside`; all are hidden before.
 */
export class SearchView {
  constructor(parent, below, aside) {
    Object.assign(this, { parent, below, aside });
    this.heading = el("h2", {});
    this.spent = el("p", { class: "note" });
    this.rows = region("Actions of the search");
    this.line = el("div", {});
    this.about = el("p", { class: "note" });
    this.tree = region("Drawing of the tree");
    put(parent, this.heading, this.spent, this.rows, this.line);
    put(below, el("h2", {}, "The top of its tree"), this.about, this.tree);
  }

  /** Show `search`, or nothing if it is null; `called` are the players' names by seat. */
  show(search, called) {
    this.parent.hidden = !search;
    this.below.hidden = !search?.tree?.length;
    if (!search) this.aside.hidden = true;
    if (!search || search === this.shown) return;
    this.shown = search;
    const figure = (value) => value.toLocaleString("en");
    const speed = search.per_second ? `, ${figure(search.per_second)} per second` : "";
    say(this.heading, `${called[search.seat]} ${search.over ? "has searched" : "searches"}`);
    say(this.spent, `${figure(search.simulations)} simulations${speed}`);
    put(this.rows, rootRows(search.root));
    put(this.line, expected(search.line));
    put(this.aside, assumptions(search, called));
    this.aside.hidden = !this.aside.childElementCount;
    if (this.below.hidden) return;
    const part = `The ${search.tree.length} most visited outcomes, in a tree of ${figure(search.nodes)} nodes`;
    say(this.about, `${part}: a line is an action, with visits and value, and what was seen after it; a square is an end.`);
    put(this.tree, treePicture(search.tree));
  }
}
