// A recorded game on a time line; any player can be asked for its choice at a decision.

import { api } from "./parts/api.js";
import { Board } from "./parts/board.js";
import { showChart } from "./parts/chart.js";
import { el, part, put, say } from "./parts/dom.js";
import { facts } from "./parts/facts.js";
import { Log } from "./parts/log.js";
import { showMaps } from "./parts/maps.js";
import { Question } from "./parts/question.js";
import { showSeats } from "./parts/seats.js";
import { begin, fold } from "./parts/state.js";
import { names, phraser } from "./parts/words.js";

const FIRST_LINE = 2; // of the events in a record; the header is line 1
const NOTEBOOKS_AFTER = 200; // milliseconds after the last step
const ASKED = ["best", "swift"];
const EVENT = "#event="; // in the address, before its number

const id = decodeURIComponent(location.pathname.split("/").at(-1));

/** Return the table of a record, in the form of a game under way. */
function tableOf({ rules, seats }) {
  return { rules, seats, seat: null, board: rules.board };
}

/** Return the states after each event. */
function allStates(table, events) {
  const states = [];
  let state = begin(table, facts.starts[table.rules.starts ?? "box"]);
  for (const event of events) {
    state = fold(state, { kind: "event", event });
    states.push(state);
  }
  return states;
}

async function replay() {
  const { header, events, decisions } = await api.record(id);
  const table = tableOf(header);
  const called = names(table.seats);
  const phrase = phraser(table.seats, null);
  const states = allStates(table, events);
  const board = new Board(table.seats, table.board);
  const log = new Log(part("log"), table);
  const line = part("line");
  let timeline = null;
  put(part("board"), board.element);
  const seed = header.seed === null ? "" : ` of seed ${header.seed}`;
  say(part("title"), `${header.rules.name}, game ${header.game}${seed}`);
  line.max = events.length - 1;

  const players = (await api.lobby()).players;
  const questions = ASKED.map((preset, place) => new Question(place + 1, players, preset, ask, called));
  put(part("asked"), questions.map(({ element }) => element));

  /** Ask a player about the current decision. */
  function ask(preset, settings) {
    return api.explain(id, { line: Number(line.value) + FIRST_LINE, preset, settings });
  }

  function show() {
    const at = Number(line.value);
    const state = states[at];
    const event = events[at];
    showSeats(part("seats"), table, state);
    board.place(state);
    log.show(state.log);
    const words = phrase(event);
    say(part("now"), event.turn ? `Turn ${event.turn}: ${words}` : words);
    line.setAttribute("aria-valuetext", `Event ${at + 1} of ${events.length}: ${words}`);
    const decision = decides(at);
    const who = decision ? called[event.seat] : "";
    say(
      part("ask-about"),
      decision
        ? `Before this event ${who} decides. Each player gets only what ${who} had seen.`
        : "No decision here. Go to the next decision to ask.",
    );
    for (const question of questions) question.enable(decision);
    showTimeline(event.turn);
    readNotebooks();
    history.replaceState(null, "", `${EVENT}${at + 1}`);
  }

  let asked = null;
  /** Show the seats' knowledge, if unfolded; drop outdated answers. */
  function readNotebooks() {
    clearTimeout(asked);
    if (!part("beliefs").open) return;
    asked = setTimeout(async () => {
      const at = Number(line.value);
      try {
        const { seats } = await api.notebooks(id, at + FIRST_LINE);
        if (at === Number(line.value)) showMaps(part("maps"), seats, table, called);
        say(part("beliefs-fault"), "");
      } catch (fault) {
        say(part("beliefs-fault"), fault.message);
      }
    }, NOTEBOOKS_AFTER);
  }

  /** Go to the first event of a turn. */
  const choose = (turn) => go(Math.max(0, events.findIndex((event) => event.turn >= turn)));

  function showTimeline(now) {
    if (timeline) {
      const bits = called.map((name, seat) => ({ name, points: timeline.map((turn) => [turn.turn, turn.bits[seat]]) }));
      const entropy = { title: "Entropy of the envelope", across: "turn", up: "bits" };
      showChart(part("entropy"), entropy, bits, { now, choose });
    }
  }

  function go(at) {
    line.value = Math.min(events.length - 1, Math.max(0, at));
    show();
  }

  /** Go to the next event for which `fits` holds, or to the last one. */
  function seek(way, fits) {
    let at = Number(line.value) + way;
    while (at > 0 && at < events.length - 1 && !fits(at)) at += way;
    go(at);
  }

  const decides = (at) => decisions.includes(at + FIRST_LINE);
  const opens = (at) => events[at].turn !== events[at - 1].turn;
  const moves = {
    first: () => go(0),
    "turn-back": () => seek(-1, opens),
    back: () => go(Number(line.value) - 1),
    on: () => go(Number(line.value) + 1),
    "turn-on": () => seek(1, opens),
    decision: () => seek(1, decides),
    last: () => go(events.length - 1),
  };
  for (const [name, move] of Object.entries(moves)) part(name).addEventListener("click", move);
  line.addEventListener("input", show);
  part("beliefs").addEventListener("toggle", readNotebooks);
  document.addEventListener("keydown", (pressed) => {
    const { key, shiftKey, target } = pressed;
    if (target.closest("input, select, textarea, button, summary, .scroll, svg")) return;
    const keys = { ArrowLeft: shiftKey ? "turn-back" : "back", ArrowRight: shiftKey ? "turn-on" : "on", Home: "first", End: "last" };
    if (!(key in keys) || pressed.altKey || pressed.ctrlKey || pressed.metaKey) return;
    pressed.preventDefault();
    moves[keys[key]]();
  });
  const wanted = () => Number(location.hash.startsWith(EVENT) ? location.hash.slice(EVENT.length) : 1) || 1;
  addEventListener("hashchange", () => go(wanted() - 1));
  go(wanted() - 1);

  try {
    timeline = (await api.recordBeliefs(id)).turns;
    say(part("timeline-note"), "");
    show();
  } catch (fault) {
    say(part("timeline-note"), fault.message);
  }
}

replay().catch((fault) => say(part("fault"), fault.message));
