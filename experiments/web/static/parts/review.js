// A review of a game: at each decision, a player's choice and the loss of the recorded action.

import { el, put, say } from "./dom.js";
import { short } from "./tree.js";

const POINTS = 100; // of a chance of winning

/** Whether a loss is beyond its noise. */
const sure = ({ loss, spread }) => loss !== null && loss > spread;

/** Return a verdict of the server (`experiments.web.analysis.verdict`) in words. */
function inPoints({ kind, loss, spread }) {
  if (kind === "proved") return "0, proved to be right";
  if (loss === null) return "not evaluated";
  const points = (share) => (POINTS * share).toFixed(1);
  return loss === 0 ? "0" : `${points(loss)} ± ${points(spread)}`;
}

export class Review {
  /**
   * Fill `parent`.  `decisions` are places of events; `ask(at)` promises the judged advice there;
   * `go(at)` shows an event; `describe(at)` has `turn`, `seat`, `name` and `action`; `end` has `turn`
   * and `winner`; `changed()` is called when the display changes.
   */
  constructor(parent, { decisions, names, ask, go, describe, end, changed }) {
    Object.assign(this, { decisions, ask, go, describe, end, changed, found: new Map(), running: false });
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

  /** The places of losses beyond noise. */
  get marks() {
    return [...this.found.values()].filter(({ verdict }) => sure(verdict)).map(({ at }) => at);
  }

  /** By seat, pairs of turn and chance of winning by the verdicts so far; the last is the outcome. */
  chances(seats) {
    const all = [...this.found.values()].sort((one, other) => one.at - other.at);
    return Array.from({ length: seats }, (_, seat) => {
      const own = all.filter((one) => one.seat === seat && one.verdict.chance !== null);
      const points = own.map(({ turn, verdict }) => [turn, verdict.chance]);
      return points.length ? [...points, [this.end.turn, Number(this.end.winner === seat)]] : points;
    });
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
        this.found.set(at, { at, ...this.describe(at), advice, verdict: advice.verdict });
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
    const lost = all.filter(({ verdict }) => sure(verdict)).length;
    const open = all.filter(({ verdict }) => verdict.loss === null).length;
    const left = open ? ` ${open} could not be evaluated and count as no loss.` : "";
    say(this.note, `${all.length} decisions reviewed; ${lost} lost something beyond the noise of the searches.${left}`);
  }

  #show() {
    const all = [...this.found.values()].sort((one, other) => one.at - other.at);
    const heads = ["turn", "player", "played", "would have", "loses, points"];
    const body = all.map((one) =>
      el(
        "tr",
        { class: sure(one.verdict) ? "chosen" : null },
        el("td", {}, el("button", { type: "button", class: "link", click: () => this.go(one.at) }, String(one.turn))),
        el("td", { class: "words" }, one.name),
        el("td", { class: "words" }, short(one.words)),
        el("td", { class: "words" }, one.advice.action === one.action ? "the same" : short(one.advice.words)),
        el("td", {}, inPoints(one.verdict), sure(one.verdict) ? " !" : null),
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
