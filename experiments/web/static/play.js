// The page of a seat: it follows a stream, shows its state and sends answers.

import { api } from "./parts/api.js";
import { Board } from "./parts/board.js";
import { el, part, put, say, soon } from "./parts/dom.js";
import { facts } from "./parts/facts.js";
import { classOf, face } from "./parts/faces.js";
import { Log } from "./parts/log.js";
import { marksOf } from "./parts/marks.js";
import { noteOn, openCards, showNotebook } from "./parts/notebook.js";
import { PromptPanel } from "./parts/prompt.js";
import { recall, remember } from "./parts/remembered.js";
import { showSeats } from "./parts/seats.js";
import { begin, fold } from "./parts/state.js";
import { follow } from "./parts/stream.js";

const NAME = "Sleuth";
const ENDS = "sleuth.ends"; // whether turns end automatically
const NOTEBOOK_AFTER = 60; // milliseconds: consecutive events share one notebook

const token = decodeURIComponent(location.pathname.split("/").at(-1));

function starts(rules) {
  return facts.starts[rules.starts ?? "box"];
}

/** Show the cards of the seat, and the face-up cards. */
function showHand(state) {
  const cards = (items) => items.map((card) => el("li", { class: `card-name ${classOf(card)}` }, face(card), card));
  put(part("hand"), cards(state.hands[state.me] ?? []));
  part("face-up-part").hidden = !state.faceUp?.length;
  put(part("face-up"), cards(state.faceUp ?? []));
}

async function play() {
  const table = await api.seat(token);
  const board = new Board(table.seats, table.board);
  put(part("board"), board.element);
  const marks = marksOf(token);
  let notebook = null;
  let state = begin(table, starts(table.rules));
  const note = (card) => noteOn(notebook, table, table.seat, card);
  const open = () => openCards(notebook, table.hints && hints.checked);
  const log = new Log(part("log"), table);
  const panel = new PromptPanel(part("prompt"), board, table, answer, note, open);
  const hints = part("hints");
  part("hints-part").hidden = !table.hints;
  hints.addEventListener("change", drawNotebook);

  const ends = part("ends");
  ends.checked = recall(ENDS, false) === true;
  ends.addEventListener("change", () => {
    remember(ENDS, ends.checked);
    show();
  });

  /** End the turn, if the only alternative is to accuse and the user wants it; return whether. */
  function endTurn() {
    const { prompt } = state;
    if (!ends.checked || !prompt || prompt.number === answered) return false;
    const pass = prompt.choices.find(({ kind }) => kind === "pass");
    if (!pass || prompt.choices.some(({ kind }) => kind !== "pass" && kind !== "accuse")) return false;
    answer(prompt, pass.action);
    return true;
  }

  for (const button of part("tabs").querySelectorAll("button")) {
    button.addEventListener("click", () => {
      document.body.dataset.tab = button.value;
      for (const one of part("tabs").children) one.setAttribute("aria-pressed", one === button);
      part(button.value).closest("section").scrollIntoView();
    });
  }

  const show = soon(() => {
    const ending = endTurn();
    showSeats(part("seats"), table, state);
    board.place(state);
    const done = ending || (state.prompt !== null && state.prompt.number === answered);
    panel.show(done ? { ...state, prompt: null, waiting: null } : state);
    log.show(state.log);
    showHand(state);
    part("ends-part").hidden = state.over || state.halted !== null || state.out[table.seat];
    document.title = `${state.prompt ? "Your turn – " : ""}${NAME}`;
  });

  let asked = null;
  let known = -1;
  function readNotebook() {
    clearTimeout(asked);
    asked = setTimeout(async () => {
      const events = state.log.length;
      if (events === known) return;
      try {
        notebook = await api.notebook(token);
        known = events;
        drawNotebook();
        part("notebook").dataset.events = known;
      } catch (fault) {
        say(part("notebook-fault"), fault.message);
      }
    }, NOTEBOOK_AFTER);
  }

  function drawNotebook() {
    if (!notebook) return;
    say(part("notebook-fault"), "");
    panel.renote();
    const shown = table.hints && hints.checked;
    showNotebook(part("notebook"), notebook, table, table.seat, shown, marks);
    const bits = shown && notebook.bits !== null;
    say(part("bits"), bits ? `Envelope: ${notebook.bits.toFixed(2)} bits left.` : "");
  }

  let sending = null; // number of the question whose answer is under way
  let answered = null; // number of the question whose answer the server accepted
  async function answer(prompt, action) {
    if (sending === prompt.number) return;
    sending = prompt.number;
    say(part("fault"), "");
    try {
      await api.answer(token, prompt.number, action);
      answered = prompt.number;
      show();
    } catch (fault) {
      say(part("fault"), fault.message);
    } finally {
      if (sending === prompt.number) sending = null; // the next answer may be under way
    }
  }

  follow(api.seatStream(token), {
    message(message) {
      state = fold(state, message);
      show();
      if (message.kind === "event") readNotebook();
    },
    lost: () => say(part("connection"), "Connection lost. Retrying …"),
    back: () => say(part("connection"), ""),
    again() {
      state = begin(table, starts(table.rules));
      known = -1;
    },
  });
  show();
}

play().catch((fault) => say(part("fault"), fault.message));
