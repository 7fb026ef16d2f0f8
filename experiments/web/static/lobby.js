// The lobby: set up a table, or open tables and records.

import { api } from "./parts/api.js";
import { el, part, put, say } from "./parts/dom.js";
import { rememberSeats, rememberedSeats } from "./parts/remembered.js";
import { listRecords, listSeats, listTables } from "./parts/lists.js";
import { patiently } from "./parts/patience.js";
import { playerOptions, settingFields } from "./parts/settings.js";

const PERSON = "a person";
const BEST = "best"; // the default opponent
const RULES = "ledford"; // the thesis's rules
const THINKERS = ["best_tree", "bmcts"]; // players to watch, two seats each
const THOUGHT = 500; // simulations per decision of theirs
const LEVELS = [
  { name: "Easy", preset: "heuristic", settings: [], about: "remembers what it was shown" },
  { name: "Middle", preset: "swift", settings: [], about: "asks for the most information per turn" },
  { name: "Strong", preset: "best", settings: ["budget.simulations=1000"], about: "searches before each move" },
];
const NAMES = ["Ann", "Bob", "Cleo", "Dan", "Eve", "Finn"];

let offered; // the server's lists
const seats = NAMES.map(makeSeat);

/** Return the fields of a seat, whose values persist when seats are added or removed. */
function makeSeat(name, number) {
  const label = `seat ${number}`;
  const kind = el("select", { "aria-label": `Who sits in ${label}`, change: show });
  const called = el("input", {
    type: "text",
    value: name,
    maxlength: 24,
    autocomplete: "off",
    "aria-label": `Name of the person in ${label}: a pseudonym`,
  });
  const settings = settingFields(label);
  const rest = el("span", { class: "seat-rest" });
  const element = el("li", { class: "seat-row" }, el("span", { class: "seat-number" }, number), kind, rest);

  function show() {
    const player = offered.players.find((one) => one.name === kind.value);
    if (!player) return put(rest, called);
    settings.show(player);
    return put(rest, settings.element, el("span", { class: "note" }, player.about));
  }

  return {
    element,
    fill() {
      const person = el("option", { value: "", selected: number === 0 }, PERSON);
      put(kind, playerOptions(offered.players, number ? BEST : null, [person]));
      show();
    },
    read() {
      if (!kind.value) return { kind: "person", name: called.value };
      return { kind: "player", preset: kind.value, settings: settings.read() };
    },
  };
}

function showRules() {
  const rules = offered.rules.find(({ name }) => name === part("rules").value);
  say(part("rules-about"), rules.about);
  part("players").value = rules.players;
  showSeats();
}

function showSeats() {
  const number = Number(part("players").value);
  put(part("seats"), seats.slice(0, number).map(({ element }) => element));
}

/** Return the table of the form. */
function readRequest() {
  const seed = part("seed").value.trim();
  const players = Number(part("players").value);
  return {
    rules: part("rules").value,
    players,
    seats: seats.slice(0, players).map((seat) => seat.read()),
    seed: seed === "" ? null : Number(seed),
    pace: Number(part("pace").value),
    hints: part("hints").checked,
  };
}

/** Make the table `asked` and open it; `place` shows the progress. */
async function make(asked, place) {
  say(part("fault"), "");
  const buttons = document.querySelectorAll(".makes");
  for (const button of buttons) button.disabled = true;
  const report = (words) => say(part(place), words);
  try {
    const made = await patiently(report, "Preparing the table …", api.makeTable(asked));
    const links = Object.entries(made.seats).map(([seat, link]) => ({
      table: made.id,
      link,
      name: asked.seats[seat].name,
    }));
    rememberSeats(links);
    if (links.length < 2) location.assign(links[0]?.link ?? made.watch);
    else showLinks(links, made.watch);
  } catch (fault) {
    say(part("fault"), fault.message);
  } finally {
    report("");
    for (const button of buttons) button.disabled = false;
  }
}

/** Return the table of `seats` under the usual rules, at the usual pace. */
function usual(seats) {
  return { rules: RULES, players: seats.length, seats, seed: null, pace: 1, hints: true };
}

function watchTwo() {
  const settings = [`budget.simulations=${THOUGHT}`];
  const seats = [...THINKERS, ...THINKERS].map((preset) => ({ kind: "player", preset, settings }));
  make(usual(seats), "watching");
}

/** Return the buttons of the levels, each with a description of the opponents. */
function showLevels() {
  const start = ({ preset, settings }) => {
    const opponent = { kind: "player", preset, settings };
    make(usual([{ kind: "person", name: part("your-name").value }, opponent, opponent, opponent]), "starting");
  };
  const items = LEVELS.map((level) =>
    el(
      "li",
      {},
      el("button", { type: "button", class: "makes", click: () => start(level) }, level.name),
      el("span", { class: "note" }, `${level.preset}: ${level.about}`),
    ),
  );
  put(part("levels"), items);
}

/** Show the links of a table for several people, one for each person. */
function showLinks(links, watch) {
  part("links-part").hidden = false;
  const rows = [...links, { name: "To watch", link: watch }].map(({ name, link }) => {
    const whole = new URL(link, location.href).href;
    const field = el("input", { type: "text", readonly: true, value: whole, "aria-label": `Link: ${name}` });
    const copy = async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(whole);
        say(part("copied"), `Link copied: ${name}.`);
      } catch {
        say(part("copied"), "Link selected: copy it with the keyboard.");
      }
    };
    return el(
      "li",
      { class: "link-row" },
      el("span", { class: "seat-name" }, name),
      field,
      el("button", { type: "button", click: copy, "aria-label": `Copy the link: ${name}` }, "Copy"),
      el("a", { href: link, "aria-label": `Open: ${name}` }, "Open"),
    );
  });
  put(part("links"), rows);
  say(part("links-reach"), offered.reach);
  part("links-title").focus();
  refresh();
}

function showLists() {
  listSeats(part("your-seats"), rememberedSeats(), offered.tables);
  listTables(part("tables"), offered.tables);
  listRecords(part("records"), offered.records, part("records-order").value);
  say(part("reach"), offered.reach);
}

async function refresh() {
  try {
    offered = await api.lobby();
    showLists();
  } catch (fault) {
    say(part("fault"), fault.message);
  }
}

async function enter() {
  offered = await api.lobby();
  put(part("rules"), offered.rules.map(({ name }) => el("option", { value: name, selected: name === RULES }, name)));
  for (const seat of seats) seat.fill();
  part("rules").addEventListener("change", showRules);
  part("players").addEventListener("change", showSeats);
  part("setup").addEventListener("submit", (event) => {
    event.preventDefault();
    make(readRequest(), "making");
  });
  part("records-order").addEventListener("change", showLists);
  part("watch-two").addEventListener("click", watchTwo);
  showLevels();
  showRules();
  showLists();
  for (const name of ["make", "watch-two"]) part(name).disabled = false;
  document.addEventListener("visibilitychange", () => document.hidden || refresh());
}

enter().catch((fault) => say(part("fault"), fault.message));
