// The events in words, as a growing list; screen readers announce new ones.

import { token } from "./seats.js";
import { el } from "./dom.js";
import { phraser } from "./words.js";

export class Log {
  constructor(parent, table) {
    this.parent = parent;
    this.table = table;
    this.phrase = phraser(table.seats, table.seat ?? null);
    this.clear();
  }

  /** Begin again. */
  clear() {
    this.shown = 0;
    this.turn = null;
    this.list = el("ol", { class: "log-list" });
    this.parent.replaceChildren(this.list);
  }

  /** Show new entries of `events`. */
  show(events) {
    if (events.length < this.shown) this.clear();
    if (events.length === this.shown) return;
    const below = this.parent.scrollHeight - this.parent.scrollTop - this.parent.clientHeight;
    for (const event of events.slice(this.shown)) this.list.append(this.#item(event));
    this.shown = events.length;
    if (below < 40) this.parent.scrollTop = this.parent.scrollHeight;
  }

  #item(event) {
    const words = this.phrase(event);
    const turn = `${event.turn} ${event.seat}`;
    if (event.turn === 0 || turn === this.turn) return el("li", {}, words);
    this.turn = turn;
    if (event.seat === null) return el("li", { class: "new-turn" }, words);
    return el(
      "li",
      { class: "new-turn" },
      el("span", { class: "turn" }, `Turn ${event.turn}`, " "),
      token(this.table.seats[event.seat].suspect),
      " ",
      words,
    );
  }
}
