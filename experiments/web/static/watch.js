// Watching a table: the game, beliefs by seat, the current search; the pace if no person plays.

import { showAfter } from "./parts/after.js";
import { api } from "./parts/api.js";
import { Board } from "./parts/board.js";
import { showChart } from "./parts/chart.js";
import { part, put, say, soon } from "./parts/dom.js";
import { facts } from "./parts/facts.js";
import { Log } from "./parts/log.js";
import { showMaps } from "./parts/maps.js";
import { SearchView } from "./parts/search.js";
import { showSeats } from "./parts/seats.js";
import { begin, fold } from "./parts/state.js";
import { follow } from "./parts/stream.js";
import { names } from "./parts/words.js";

const BELIEFS_AFTER = 400; // milliseconds between two requests for beliefs

const id = decodeURIComponent(location.pathname.split("/").at(-1));

/** Draw the remaining bits of each seat by turn. */
function showEntropy(called, turns) {
  const lines = called.map((name, seat) => ({ name, points: turns.map(({ turn, bits }) => [turn, bits[seat]]) }));
  const words = { title: "Entropy of the envelope", across: "turn", up: "bits" };
  showChart(part("entropy"), words, lines);
}

function listen(control) {
  const pause = part("pause");
  const order = async (wanted) => {
    try {
      const now = await api.control(id, wanted);
      pause.setAttribute("aria-pressed", String(now.paused));
      say(pause, now.paused ? "Resume" : "Pause");
      say(part("fault"), "");
    } catch (fault) {
      say(part("fault"), fault.message);
    }
  };
  part("controls").hidden = !control;
  pause.addEventListener("click", () => order({ pause: pause.getAttribute("aria-pressed") !== "true" }));
  part("one-event").addEventListener("click", () => order({ step: "event" }));
  part("one-turn").addEventListener("click", () => order({ step: "turn" }));
  part("pace").addEventListener("change", (event) => order({ pace: Number(event.target.value) }));
}

/** Choose the offered pace nearest to the table's. */
function showPace(table) {
  const offered = [...part("pace").options];
  const far = (option) => Math.abs(Number(option.value) - table.pace);
  offered.reduce((best, option) => (far(option) < far(best) ? option : best)).selected = true;
  part("pause").setAttribute("aria-pressed", String(Boolean(table.paused)));
  say(part("pause"), table.paused ? "Resume" : "Pause");
}

async function watch() {
  const table = { ...(await api.watch(id)), seat: null };
  const called = names(table.seats);
  const starts = facts.starts[table.rules.starts ?? "box"];
  const board = new Board(table.seats, table.board);
  const log = new Log(part("log"), table);
  const searching = new SearchView(part("search"), part("tree"), part("assumes"));
  put(part("board"), board.element);
  listen(table.control);
  showPace(table);
  let state = begin(table, starts);

  const show = soon(() => {
    showSeats(part("seats"), table, state);
    board.place(state);
    log.show(state.log);
    say(part("status"), status());
    searching.show(state.search, called);
    if (!state.over || !part("after").hidden) return;
    part("controls").hidden = true;
    part("after").hidden = false;
    showAfter(part("after"), { ask: () => api.afterWatch(id), repeat: () => api.watchAgain(id), words: "Watch again", names: [] });
  });

  function status() {
    if (state.halted) return `Halted: ${state.halted}.`;
    if (state.over) return state.winner === null ? "The game is over, without a winner." : `${called[state.winner]} wins.`;
    if (state.trouble) return `For now ${state.trouble}. Retrying.`;
    if (state.waiting !== null) return `Waiting for ${called[state.waiting]}.`;
    return state.seat === null ? "The cards are dealt." : `Turn ${state.turn}: ${called[state.seat]}.`;
  }

  let asked = null;
  let open = table.open;
  /** Request the seats' beliefs, if they are visible; one request at a time. */
  function readBeliefs() {
    if (asked !== null || !open || document.hidden) return;
    asked = setTimeout(async () => {
      const events = state.log.length;
      try {
        const beliefs = await api.beliefs(id);
        showMaps(part("maps"), beliefs.seats, table, called);
        showEntropy(called, beliefs.turns);
        part("beliefs").dataset.events = events;
        say(part("beliefs-fault"), "");
      } catch (fault) {
        say(part("beliefs-fault"), fault.message);
      } finally {
        asked = null;
        if (events < state.log.length) readBeliefs();
      }
    }, BELIEFS_AFTER);
  }

  part("beliefs").hidden = !open;
  part("closed").hidden = open;
  document.addEventListener("visibilitychange", readBeliefs);
  follow(api.watchStream(id), {
    message(message) {
      state = fold(state, message);
      if (state.over && !open) {
        open = true;
        part("beliefs").hidden = false;
        part("closed").hidden = true;
      }
      show();
      if (message.kind === "event" || message.kind === "over") readBeliefs();
    },
    lost: () => say(part("connection"), "Connection lost. Retrying …"),
    back: () => say(part("connection"), ""),
    again() {
      state = begin(table, starts);
    },
  });
  show();
}

watch().catch((fault) => say(part("fault"), fault.message));
