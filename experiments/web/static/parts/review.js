// A game reviewed: at each decision a player is asked what it would do, and what the other action loses.

import { el, put, say } from "./dom.js";
import { short } from "./tree.js";

const SPREAD = 1.96; // standard errors on either side: 95 %
const POINTS = 100; // of a chance of winning

/** Return what an action loses to the best by one search, in points with 95 %; null if unknown. */
export function loss(table, action) {
  const rows = (table ?? []).filter(({ value, error }) => value !== null && error !== null);
  const played = rows.find((row) => row.action === action);
  if (!played || rows.length < 2) return null;
  const best = rows.reduce((one, other) => (other.value > one.value ? other : one));
  const spread = best === played ? 0 : SPREAD * Math.hypot(best.error, played.error);
  return { points: POINTS * (best.value - played.value), spread: POINTS * spread };
}

/** Whether a loss is beyond its noise. */
const sure = (found) => found !== null && found.points > found.spread;

const pointsOf = (found) =>
  found === null ? "not on its list" : found.points === 0 ? "0" : `${found.points.toFixed(1)} ± ${found.spread.toFixed(1)}`;

export class Review {
  /**
   * Fill `parent`.  `decisions` are places of events; `ask(at)` promises the advice there; `go(at)`
   * shows an event; `describe(at)` has `turn`, `seat`, `name` and `action`; `changed()` is called
   * when there is more to see.
   */
  constructor(parent, { decisions, names, ask, go, describe, changed }) {
    Object.assign(this, { decisions, ask, go, describe, changed, found: new Map(), running: false });
    this.seat = el(
      "select",
      { "aria-label": "Whose decisions" },
      names.map((name, seat) => el("option", { value: seat }, name)),
    );
    this.button = el("button", { type: "button", class: "main", click: () => this.#toggle() }, "Review");
    this.note = el("p", { class: "note", role: "status" });
    this.rows = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Decisions reviewed" });
    put(parent, el("p", { class: "buttons" }, this.seat, this.button), this.note, this.rows);
    this.rows.hidden = true;
  }

  /** Review the decisions of `seat`. */
  begin(seat) {
    this.seat.value = seat;
    if (this.seat.value === seat) this.button.click();
  }

  /** The places where something was lost beyond noise. */
  get marks() {
    return [...this.found.values()].filter((one) => sure(one.loss)).map(({ at }) => at);
  }

  /** By seat, pairs of turn and chance of winning by the searches so far. */
  chances(seats) {
    const all = [...this.found.values()].sort((one, other) => one.at - other.at);
    return Array.from({ length: seats }, (_, seat) =>
      all.filter((one) => one.seat === seat && one.value !== null).map(({ turn, value }) => [turn, value]),
    );
  }

  async #toggle() {
    if (this.running) {
      this.running = false;
      return;
    }
    this.running = true;
    say(this.button, "Stop");
    const seat = Number(this.seat.value);
    const left = this.decisions.filter((at) => this.describe(at).seat === seat && !this.found.has(at));
    try {
      for (const [done, at] of left.entries()) {
        if (!this.running) break;
        say(this.note, `Decision ${done + 1} of ${left.length} …`);
        const advice = await this.ask(at);
        const values = (advice.table ?? []).map(({ value }) => value).filter((value) => value !== null);
        const about = this.describe(at);
        const value = values.length ? Math.max(...values) : null;
        this.found.set(at, { at, ...about, advice, value, loss: loss(advice.table, about.action) });
        this.#show();
      }
      this.#conclude();
    } catch (fault) {
      say(this.note, fault.message);
    } finally {
      this.running = false;
      say(this.button, "Review");
    }
  }

  #conclude() {
    const all = [...this.found.values()];
    const lost = all.filter((one) => sure(one.loss)).length;
    say(this.note, `${all.length} decisions reviewed; ${lost} lost something beyond the noise of the searches.`);
  }

  #show() {
    const all = [...this.found.values()].sort((one, other) => one.at - other.at);
    const heads = ["turn", "player", "played", "would have", "loses, points"];
    const body = all.map((one) =>
      el(
        "tr",
        { class: sure(one.loss) ? "chosen" : null },
        el("td", {}, el("button", { type: "button", class: "link", click: () => this.go(one.at) }, String(one.turn))),
        el("td", { class: "words" }, one.name),
        el("td", { class: "words" }, short(one.words)),
        el("td", { class: "words" }, one.advice.action === one.action ? "the same" : short(one.advice.words)),
        el("td", {}, sure(one.loss) ? `${pointsOf(one.loss)} !` : pointsOf(one.loss)),
      ),
    );
    this.rows.hidden = false;
    put(
      this.rows,
      el(
        "table",
        { class: "figures review" },
        el("thead", {}, el("tr", {}, heads.map((head, column) => el("th", { scope: "col", class: column < 4 ? "words" : null }, head)))),
        el("tbody", {}, body),
      ),
    );
    this.changed();
  }
}
