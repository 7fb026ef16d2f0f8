// A question to a player on its choice, and its answer.

import { inWords } from "./actions.js";
import { assumptions } from "./assumptions.js";
import { el, put } from "./dom.js";
import { explore } from "./explore.js";
import { patiently } from "./patience.js";
import { expected, rootTable } from "./search.js";
import { playerOptions, settingFields } from "./settings.js";
import { short } from "./tree.js";

export class Question {
  /**
   * Field number `number`, with `preset` chosen; `ask(preset, settings)` gets an answer.  The
   * players of the game have the names `called`, by seat.
   */
  constructor(number, players, preset, ask, called) {
    Object.assign(this, { number, players, ask, called, waiting: false, open: false });
    this.preset = el(
      "select",
      { "aria-label": `Player ${number}`, change: () => this.#choose() },
      playerOptions(players, preset),
    );
    this.settings = settingFields(`player ${number}`);
    this.button = el("button", { class: "main" }, `Ask player ${number}`);
    this.answer = el("div", { class: "answer", role: "status" });
    const submit = (event) => {
      event.preventDefault();
      this.#submit();
    };
    const form = el(
      "form",
      { class: "question-form", submit, "aria-label": `Player ${number}` },
      this.preset,
      this.settings.element,
      this.button,
    );
    this.element = el("div", {}, form, this.answer);
    this.#choose();
  }

  /** Allow the question, or not. */
  enable(open) {
    this.open = open;
    this.button.disabled = !open || this.waiting;
  }

  #choose() {
    const player = this.players.find(({ name }) => name === this.preset.value);
    if (player) this.settings.show(player);
  }

  async #submit() {
    this.waiting = true;
    this.button.disabled = true;
    const report = (words) => put(this.answer, el("p", {}, words));
    try {
      this.#show(await patiently(report, "Thinking …", this.ask(this.preset.value, this.settings.read())));
    } catch (fault) {
      put(this.answer, el("p", { class: "fault" }, fault.message));
    } finally {
      this.waiting = false;
      this.button.disabled = !this.open;
    }
  }

  #show(advice) {
    const { action, words, table, line, tree, simulations } = advice;
    const spent = simulations ? `${simulations.toLocaleString("en")} simulations` : "without a search";
    put(
      this.answer,
      el("p", { class: "would" }, short(words ?? inWords(action)), " ", el("small", {}, spent)),
      table?.length ? rootTable(table, `player ${this.number}`, action) : null,
      expected(line),
      ...assumptions(advice, this.called),
      ...(tree ? [this.#explore(tree)] : []),
    );
  }

  /** Return the tree, folded, with the knowledge at its nodes. */
  #explore(tree) {
    const { picture, about } = explore(tree);
    const label = `Tree of player ${this.number}`;
    return el(
      "details",
      {},
      el("summary", {}, `Its tree: the ${tree.length} most visited outcomes`),
      el("p", { class: "note" }, "A line is an action with visits and value, followed by its outcomes; a square is an end. Click a node to see the knowledge there; the arrow keys move on from it."),
      el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, picture),
      about,
    );
  }
}
