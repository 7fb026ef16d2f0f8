// One simulation at a time: a tree with its current figures, with buttons and keys.

import { el, part, put, say } from "./parts/dom.js";
import { explore } from "./parts/explore.js";
import { figures } from "./parts/tree.js";

const PHASES = ["Select", "Expand", "Roll out", "Back up"];
const PACE = 900; // milliseconds per phase

const { nodes, simulations } = JSON.parse(part("data").textContent);
const { picture, about, count: showVisits } = explore(nodes);
const drawn = (kind, number) => [...picture.querySelectorAll(`[data-${kind}="${number}"]`)];
const branches = new Map(); // by the action of a node: the number of the node with its drawing
nodes.forEach(({ above, action }, number) => {
  const name = `${above} ${action}`;
  if (above !== null && !branches.has(name)) branches.set(name, number);
});
const branchOf = (number) => branches.get(`${nodes[number].above} ${nodes[number].action}`);

let at = 0; // number of phases done
let playing = null;

/** Return visits of nodes, and visits and returns of actions, after the first `count` simulations. */
function countUp(count) {
  const visits = new Array(nodes.length).fill(0);
  const actions = new Map();
  for (const { way, values } of simulations.slice(0, count)) {
    visits[0] += 1;
    way.forEach((number, i) => {
      visits[number] += 1;
      const branch = branchOf(number);
      const sum = actions.get(branch) ?? { played: 0, total: 0 };
      actions.set(branch, { played: sum.played + 1, total: sum.total + values[i] });
    });
  }
  return { visits, actions };
}

/** Return a description of a phase. */
function describe(phase, { way, values, grew, beyond }) {
  const words = way.map((number, i) => {
    const { action, seen } = nodes[number];
    return seen && !(grew && i === way.length - 1) ? `${action} (${seen})` : action;
  });
  const end = way.length && nodes[way.at(-1)].end;
  const back = values.at(-1).toFixed(2);
  if (phase === 0) return `Down the tree, by actions with the best values or the fewest visits: ${words.join(", then ")}.`;
  if (phase === 1) {
    if (beyond) return "It continues below the drawing.";
    if (end) return "Nothing to add: the game ends here.";
    const what = nodes[way.at(-1)].seen || "what comes next";
    return grew ? `Seen: ${what}, for the first time. The tree grows by this node.` : `Seen: ${what}, as before, with something else that is not drawn. The tree grows by a node here.`;
  }
  if (phase === 2) return end ? `No roll-out: it pays ${back}.` : `The roll-out policy plays on from there and returns ${back}.`;
  return "Back up: each action gets a visit, and the return enters its mean.";
}

function draw() {
  const count = Math.min(Math.floor(at / 4), simulations.length - 1);
  const phase = at - 4 * count;
  const simulation = simulations[count];
  const { visits, actions } = countUp(phase === 3 ? count + 1 : count);
  showVisits(visits);
  const { way, grew } = simulation;
  const reached = new Set(phase === 0 && grew ? way.slice(0, -1) : way);
  const played = new Set(way.map(branchOf));
  const on = (element, name, is) => element.classList.toggle(name, Boolean(is));
  nodes.forEach((_, number) => {
    for (const element of drawn("node", number)) {
      on(element, "faint", number && !visits[number] && !reached.has(number));
      on(element, "way", reached.has(number) || !number);
      on(element, "up", phase === 3 && (reached.has(number) || !number));
      if (element.matches("text:not(.seen)")) element.textContent = visits[number] || "";
    }
    for (const element of drawn("branch", number)) {
      const sum = actions.get(number);
      on(element, "faint", !sum && !played.has(number));
      on(element, "way", played.has(number));
      on(element, "up", phase === 3 && played.has(number));
      if (element.matches("text.visits")) {
        element.textContent = sum ? figures({ played: sum.played, value: sum.total / sum.played }) : "";
      }
    }
  });
  put(
    part("phases"),
    PHASES.map((name, i) => el("li", { "aria-current": i === phase ? "step" : null }, name)),
  );
  say(part("which"), `Simulation ${count + 1} of ${simulations.length}`);
  say(part("words"), describe(phase, simulation));
  part("first").disabled = part("back").disabled = at === 0;
  part("forward").disabled = part("last").disabled = at === 4 * simulations.length - 1;
}

function go(to) {
  at = Math.max(0, Math.min(to, 4 * simulations.length - 1));
  draw();
}

function stop() {
  clearInterval(playing);
  playing = null;
  say(part("play"), "Play");
}

const moves = {
  first: () => go(0),
  back: () => go(at - 1),
  forward: () => go(at + 1),
  last: () => go(Infinity),
};
for (const [id, move] of Object.entries(moves)) {
  part(id).addEventListener("click", () => {
    stop();
    move();
  });
}
part("play").addEventListener("click", () => {
  if (playing) return stop();
  if (at === 4 * simulations.length - 1) go(0);
  say(part("play"), "Stop");
  playing = setInterval(() => {
    go(at + 1);
    if (at === 4 * simulations.length - 1) stop();
  }, PACE);
});
const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
document.addEventListener("keydown", (event) => {
  if (event.target.closest("#tree") || !(event.key in keys)) return;
  event.preventDefault();
  part(keys[event.key]).click();
});

put(part("tree"), picture);
put(part("at"), about);
draw();
