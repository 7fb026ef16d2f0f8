// A run of matches: its state, requested every few seconds while it is under way.

import { api } from "./parts/api.js";
import { between, showChart } from "./parts/chart.js";
import { el, part, put, say } from "./parts/dom.js";
import { rateTable } from "./parts/figures.js";
import { labelled } from "./parts/labels.js";

const AGAIN = 3000; // milliseconds until the next request
const SILENT = 30_000; // the same for a silent run
const FEW = 10; // intervals of fewer games are too wide to draw

const id = location.pathname.split("/")[2];
const signed = (value, digits = 0) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;

/** Return seconds as words. */
function ago(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} seconds`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} minutes`;
  return seconds < 129_600 ? `${Math.round(seconds / 3600)} hours` : `${Math.round(seconds / 86_400)} days`;
}

function showStage({ stage, age, table, tests }) {
  const played = table.reduce((sum, { games }) => Math.max(sum, games), 0);
  const most = Math.max(...table.map((line) => line.most ?? 0));
  const games = most ? `${played.toLocaleString("en")} of ${most.toLocaleString("en")} games` : `${played} games`;
  const of = new Set(table.map(({ match }) => match)).size > 1 ? `${games} of each match` : games;
  const left = tests.map((test) => test.left).filter((number) => number !== null);
  const decided = tests.length && tests.every(({ accepted }) => accepted);
  const expected = left.length ? `, about ${Math.max(...left).toLocaleString("en")} to a verdict` : "";
  const ended = played < most ? "Ended early" : "Finished";
  const words = {
    "under way": `Under way: ${of} played${expected}. Last write ${ago(age)} ago.`,
    silent: `Unfinished, and silent for ${ago(age)}: ${of} played${expected}.`,
    finished: decided ? `Decided after ${played} games.` : `${ended}: ${of} played.`,
  };
  say(part("stage"), words[stage]);
}

function showTests({ tests }) {
  part("verdict-part").hidden = !tests.length;
  const items = tests.map(({ words, progress, accepted, left }) => {
    const share = `${Math.round(100 * Math.abs(progress))} % of the way to ${progress > 0 ? "H1" : "H0"}`;
    const more = left === null ? "" : `; about ${left.toLocaleString("en")} more games at this pace`;
    return el("li", {}, el("strong", {}, labelled(words)), accepted ? null : el("div", {}, `${share}${more}.`));
  });
  put(part("verdicts"), items);
}

/** Return the common opponents, as in "against 3 heuristic"; null if they differ. */
function opponentsOf(table) {
  const found = new Set(table.map(({ match, player }) => (match.startsWith(player) ? match.slice(player.length) : null)));
  return found.size === 1 ? [...found][0] : null;
}

function showFigures({ name, table, comparisons }) {
  const met = opponentsOf(table);
  const rates = table.map((line) => ({ ...line, rate: line.win_rate, interval: line.ci95 }));
  put(part("rates"), rateTable(name, rates, met === null));
  const called = (match) => labelled(met === null ? match : match.slice(0, match.length - met.length));
  const items = comparisons.map((pair) => {
    const points = (share) => signed(100 * share, 1);
    const elo = `${signed(pair.elo)} Elo (${pair.elo_ci95.map((end) => signed(end)).join(" to ")})`;
    const alone = `only ${called(pair.first)} ${pair.only_first}, only ${called(pair.second)} ${pair.only_second}`;
    return el(
      "li",
      {},
      el("strong", {}, `${called(pair.second)} minus ${called(pair.first)}`),
      el("div", {}, `${points(pair.difference)} points, 95 %: ${pair.ci95.map(points).join(" to ")}; ${elo}`),
      el("small", {}, `The same ${pair.games} games: both won ${pair.both}, ${alone}, neither ${pair.neither}`),
    );
  });
  put(part("differences"), items);
}

/** Return a line with its interval in per cent. */
function inPercent({ name, points }) {
  const wide = points.filter(([games]) => games >= FEW);
  return {
    name: labelled(name),
    points: wide.map(([games, value]) => [games, 100 * value]),
    band: wide.map(([games, , low, high]) => [games, 100 * low, 100 * high]),
  };
}

function drawChart({ chart, table, tests }) {
  const ratio = chart.of === "ratio";
  const lines = ratio ? chart.lines : chart.lines.map(inPercent);
  const drawn = lines.some(({ points }) => points.length > 1);
  if (!drawn) {
    put(part("chart"));
    return say(part("chart-note"), "The chart needs more games.");
  }
  const parities = new Set(table.map(({ parity }) => parity));
  const levels = ratio
    ? [
        { value: tests[0].bound, words: "H1" },
        { value: -tests[0].bound, words: "H0" },
      ]
    : parities.size === 1
      ? [{ value: 100 * [...parities][0], words: "parity" }]
      : [];
  const words = ratio
    ? { title: "Log-likelihood ratio", across: "games", up: "LLR" }
    : { title: "Games won, per cent", across: "games", up: "per cent" };
  const note = ratio
    ? "The test ends when the line meets a dashed line."
    : "Bands are 95 % intervals; the dashed line is parity.";
  say(part("chart-note"), note);
  const steady = lines.flatMap(({ points, band }) => (band ?? points).slice(Math.floor(points.length / 5)));
  showChart(part("chart"), words, lines, between(steady.flatMap(([, ...values]) => values), levels));
}

function show(run) {
  const matches = [...new Set(run.table.map(({ match }) => match))];
  const met = opponentsOf(run.table);
  const names = met === null ? matches : [`${run.table.map(({ player }) => player).join(", ")}${met}`];
  put(part("title"), names.length < 3 ? labelled(names.join(" · ")) : `${names.length} matches`);
  document.title = `${run.stage}: ${matches[0]} – Sleuth`;
  showStage(run);
  showTests(run);
  showFigures(run);
  drawChart(run);
  const report = run.report ? [el("a", { href: run.report }, "Report"), " · "] : [];
  put(part("more"), ...report, el("span", { class: "path" }, run.name));
}

let last = "";

async function look() {
  let wait = AGAIN;
  try {
    const run = await api.run(id);
    const { age, ...figures } = run;
    const now = JSON.stringify(figures);
    if (now === last) showStage(run);
    else show(run);
    last = now;
    say(part("fault"), "");
    if (run.stage === "finished") return;
    if (run.stage === "silent") wait = SILENT;
  } catch (fault) {
    say(part("fault"), fault.message);
    if (fault.status === 404) return;
    wait = SILENT;
  }
  setTimeout(look, wait);
}

look();
