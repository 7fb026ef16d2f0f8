// The question to a seat: where to walk, what to suggest, which card to show.

import { accuse } from "./accuse.js";
import { showAfter } from "./after.js";
import { api } from "./api.js";
import { meaning, named, square, suggesting } from "./actions.js";
import { MAY_BE } from "./board.js";
import { choice } from "./choice.js";
import { el, put, say, unseen } from "./dom.js";
import { facts } from "./facts.js";
import { steps } from "./distance.js";
import { names } from "./words.js";

const OVER = "over"; // instead of the number of a question
const FIRST = 0; // the number of the first question
const AIM =
  "A suspect, a weapon and a room lie in the envelope: find out which. Go to a room and suggest; " +
  "the holder of one of the three cards has to show you one. Once you are sure, accuse.";
const SEVERAL = 12; // maximum number of squares listed as buttons

export class PromptPanel {
  /**
   * Fill the panel `parent`; `board` offers the same choices, `answer(prompt, action)` gets the
   * choice, `note(card)` is the notebook's word on a card, `open()` the cards that may be in the
   * envelope.
   */
  constructor(parent, board, table, answer, note, open) {
    Object.assign(this, { parent, board, table, answer, note, open });
    this.names = names(table.seats);
    this.heading = parent.querySelector("h2");
    this.body = parent.querySelector(".prompt-body");
    this.number = null;
    this.choices = [];
  }

  /** Show the question of `state`; choices persist while the question is the same. */
  show(state) {
    say(this.heading, this.#title(state));
    const number = state.over ? OVER : (state.prompt?.number ?? null);
    if (number === this.number) return;
    this.number = number;
    this.parent.dataset.number = state.prompt?.number ?? "";
    const held = this.#hasFocus();
    document.querySelector("dialog[open]")?.close();
    if (state.prompt) this.#ask(state);
    else this.clear();
    if (state.over) this.#part(state);
    if (held) this.heading.focus({ preventScroll: true });
  }

  /** Update the notebook's words on the cards. */
  renote() {
    for (const one of this.choices) one.renote();
    this.#mark();
  }

  /** Remove the question. */
  clear() {
    this.choices = [];
    put(this.body);
    this.board.offer([]);
    this.parent.classList.remove("asked");
  }

  /** Show the links after the game. */
  #part(state) {
    const watch = `/watch/${encodeURIComponent(this.table.table)}`;
    const [suspect, weapon, room] = state.envelope ?? [];
    const after = el("p", { class: "buttons" });
    const token = decodeURIComponent(location.pathname.split("/").at(-1));
    put(
      this.body,
      suspect ? el("p", {}, `It was ${suspect} with the ${weapon} in the ${room}.`) : null,
      after,
      el("p", {}, el("a", { href: watch }, "See all cards, and what each player knew")),
      el("p", {}, el("a", { href: "/" }, "To the lobby")),
    );
    const { seats } = this.table;
    const about = { words: "Play again", names: seats.map(({ label }) => label) };
    showAfter(after, { ask: () => api.after(token), repeat: () => api.again(token), ...about });
  }

  #hasFocus() {
    const active = document.activeElement;
    return this.parent.contains(active) || this.board.element.contains(active);
  }

  #title(state) {
    const { prompt, waiting, me } = state;
    if (state.over) {
      if (state.winner === me) return "You have won.";
      return state.winner === null ? "The game is over." : `${this.names[state.winner]} has won.`;
    }
    if (state.halted) return `Halted: ${state.halted}.`;
    if (!prompt) {
      if (state.trouble) return `For now ${state.trouble}. Retrying.`;
      if (waiting !== null && waiting !== me) return `Waiting for ${this.names[waiting]}.`;
      if (state.seat === null || state.seat === me) return "A moment …";
      return `It is the turn of ${this.names[state.seat]}.`;
    }
    if (prompt.shows) return `Which card do you show ${this.names[state.asked.seat]}?`;
    const kinds = new Set(kindsOf(prompt));
    const begin = state.roll === null ? "Your turn." : `Your turn: you rolled ${state.roll}.`;
    const { room } = state.pawns[me];
    if (kinds.has("move") && kinds.has("suggest")) return `${begin} Suggest here, or go elsewhere.`;
    if (kinds.has("move")) return `${begin} Where do you go?`;
    if (kinds.has("suggest")) return `You are in the ${room}. What do you suggest?`;
    return "Do you accuse, or end your turn?";
  }

  #ask(state) {
    const { prompt } = state;
    this.parent.classList.add("asked");
    const send = (action) => this.answer(prompt, action);
    if (prompt.shows) {
      this.board.offer([]);
      put(this.body, this.#cardsToShow(prompt, send));
      return;
    }
    const kinds = new Set(kindsOf(prompt));
    const parts = prompt.number === FIRST ? [el("p", { class: "note" }, AIM)] : [];
    if (kinds.has("suggest")) parts.push(this.#suggestion(state, send));
    const ways = this.#ways(state, send);
    this.board.offer(ways);
    if (kinds.has("suggest") && ways.length) parts.push(el("h3", {}, "Or go to"));
    if (ways.length) parts.push(wayList(ways, kinds.has("walk")));
    const last = [];
    if (kinds.has("pass")) {
      const words = kinds.has("move") ? "Stay where you are" : "End the turn";
      const { action } = prompt.choices.find(({ kind }) => kind === "pass");
      last.push(el("button", { type: "button", click: () => send(action) }, words));
    }
    if (kinds.has("accuse")) {
      const open = () => accuse(send, this.note);
      last.push(el("button", { type: "button", class: "danger", click: open }, "Accuse …"));
    }
    if (last.length) parts.push(el("p", { class: "buttons" }, last));
    put(this.body, parts);
    this.#mark();
  }

  /** Mark reachable rooms that may be in the envelope. */
  #mark() {
    const open = this.open();
    this.board.mark(open);
    for (const button of this.body.querySelectorAll("button[data-room]")) {
      const may = open.has(button.dataset.room);
      button.classList.toggle("open", may);
      say(button.querySelector(".query-words"), may ? MAY_BE : "");
    }
  }

  #cardsToShow(prompt, send) {
    return el(
      "p",
      { class: "buttons" },
      prompt.choices.map(({ action }) => {
        const { card } = meaning(action);
        const words = `Show ${named(card)}`;
        return el("button", { type: "button", class: "main", click: () => send(action) }, words);
      }),
    );
  }

  #suggestion(state, send) {
    const { room } = state.pawns[state.me];
    const button = el("button", { type: "submit", class: "main", disabled: true }, "Suggest");
    const changed = () => {
      button.disabled = suspect.value() === null || weapon.value() === null;
    };
    const suspect = choice("Suspect", "suspect", facts.suspects, changed, this.note);
    const weapon = choice("Weapon", "weapon", facts.weapons, changed, this.note);
    this.choices = [suspect, weapon];
    const submit = (event) => {
      event.preventDefault();
      if (!button.disabled) send(suggesting(suspect.value(), weapon.value()));
    };
    return el(
      "form",
      { submit, "aria-label": `Suggest in the ${room}` },
      el("h3", {}, `Suggest in the ${room}`),
      suspect.element,
      weapon.element,
      el("p", { class: "buttons" }, button),
    );
  }

  /** Return the destinations of walks as targets of the board. */
  #ways(state, send) {
    const pawn = state.pawns[state.me];
    const far = steps(pawn, this.table.rules);
    return state.prompt.choices.flatMap(({ action, kind }) => {
      const choose = () => send(action);
      if (kind === "walk") {
        const { xy } = meaning(action);
        return [{ label: `Walk to ${square(xy)}`, before: "Walk to ", short: square(xy), choose, near: true, xy }];
      }
      if (kind === "passage") {
        const { passage } = facts.rooms.find(({ name }) => name === pawn.room);
        const short = `Passage to the ${passage}`;
        return [{ label: short, before: "", short, choose, near: true, stairs: pawn.room }];
      }
      if (kind !== "move") return [];
      const { room } = meaning(action);
      const least = far ? (far.least[room] === 0 ? 2 : far.least[room]) : null;
      const near = least === null || state.roll === null || least <= state.roll;
      const count = far?.exact ? least : null;
      const away = count === null ? "" : `, ${count} steps`;
      const label = `Walk to the ${room}${away}`;
      return [{ label, before: "Walk to the ", short: room, count, choose, near, room }];
    });
  }
}

function kindsOf(prompt) {
  return prompt.choices.map(({ kind }) => kind);
}

/** Return the destinations as buttons; many squares are only on the board. */
function wayList(ways, free) {
  const listed = ways.filter(({ xy }) => !xy || ways.length <= SEVERAL);
  const near = listed.filter((way) => way.near);
  const far = listed.filter((way) => !way.near);
  const parts = [];
  if (near.length) parts.push(el("p", { class: "buttons" }, near.map(wayButton)));
  if (far.length) {
    parts.push(
      el("p", { class: "note" }, "Farther than your roll; you go part of the way:"),
      el("p", { class: "buttons far" }, far.map(wayButton)),
    );
  }
  if (free) parts.push(el("p", { class: "note" }, "Or choose a square on the board (arrow keys, Enter)."));
  return el("div", {}, parts);
}

function wayButton({ before, short, count, choose, near, room }) {
  const known = count !== null && count !== undefined;
  const away = known ? [el("span", { class: "count" }, String(count)), unseen(" steps")] : [];
  const marked = near && room ? el("span", { class: "unseen query-words" }) : null;
  const about = { type: "button", click: choose, "data-room": marked ? room : null };
  return el("button", about, unseen(before), short, " ", away, marked);
}
