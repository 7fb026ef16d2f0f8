// A tree with nodes to choose: the path to the node, and the knowledge there.

import { el, put } from "./dom.js";
import { percent } from "./percent.js";
import { treePicture } from "./tree.js";

const FEW = 3; // candidates with a bar, per kind of card

/** Return the actions and outcomes from the root to a node, as a list. */
function history(nodes, number) {
  const steps = [];
  for (let at = number; nodes[at].above !== null; at = nodes[at].above) steps.unshift(nodes[at]);
  if (!steps.length) return el("p", {}, "The root: nothing has happened yet.");
  return el("ol", { class: "expected" }, steps.map(({ action, seen }) => el("li", {}, seen ? `${action}: ${seen}` : action)));
}

function figuresOf({ visits, after, exact, bits }) {
  const shown = [`${visits.toLocaleString("en")} ${visits === 1 ? "visit" : "visits"}`];
  if (after !== undefined) shown.push(`value from here ${after.toFixed(3)}`);
  if (exact !== undefined) shown.push(`seen with ${percent(exact)} % by the exact posterior`);
  if (bits !== undefined) shown.push(`${bits.toFixed(2)} bits left`);
  return el("p", { class: "note" }, shown.join(", "));
}

/** Return the belief about the envelope: the likeliest cards per kind, and the number of others. */
function belief(envelope) {
  const rows = envelope.map(([kind, cards]) => {
    const likely = cards.slice(0, FEW).map(([card, chance]) => {
      const bar = el("span", { class: "share" }, `${card} ${percent(chance)} %`);
      bar.style.setProperty("--chance", chance);
      return el("td", {}, bar);
    });
    const more = cards.length > FEW ? `${cards.length - FEW} more` : "";
    return el("tr", {}, el("th", { scope: "row" }, kind), likely, el("td", {}, more));
  });
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Belief about the envelope here" },
    el("table", { class: "figures envelope" }, el("tbody", {}, rows)));
}

/** Return the node to which an arrow key leads; the node itself if there is none. */
function neighbour(nodes, places, number, key) {
  if (key === "ArrowLeft") return nodes[number].above ?? number;
  const below = nodes.findIndex(({ above }) => above === number);
  if (key === "ArrowRight") return below < 0 ? number : below;
  const [here, way] = [places[number], key === "ArrowDown" ? 1 : -1];
  const level = places.map(([x, y], at) => ({ x, y, at })).filter(({ x, y }) => x === here[0] && way * (y - here[1]) > 0);
  level.sort((one, other) => way * (one.y - other.y));
  return level[0]?.at ?? number;
}

/**
 * Return the `picture` of a tree, whose nodes react to clicks and arrow keys, and `about`, which
 * shows the knowledge at the chosen one.
 *
 * `nodes` are as for `treePicture`; their `after` (the value from there on), `exact` (the probability
 * of the outcome), `bits` and `envelope` are shown, if present.  `count(visits)` shows other numbers
 * of visits, by node, as of an earlier moment.
 */
export function explore(nodes) {
  const picture = treePicture(nodes);
  const about = el("div", { class: "at-node", role: "status" });
  const knots = nodes.map((_, number) => picture.querySelector(`.knot[data-node="${number}"]`));
  const number = (element, name) => Number(element.getAttribute(name));
  const places = knots.map((knot) =>
    knot.tagName === "circle" ? [number(knot, "cx"), number(knot, "cy")] : [number(knot, "x") + 4, number(knot, "y") + 4],
  );
  picture.setAttribute("role", "group");
  let chosen = 0;
  let visits = nodes.map((node) => node.visits);

  function choose(number, focus) {
    knots.forEach((knot, at) => {
      knot.setAttribute("tabindex", at === number ? 0 : -1);
      knot.setAttribute("aria-pressed", at === number);
    });
    if (focus) knots[number].focus();
    chosen = number;
    report();
  }

  function report() {
    const node = nodes[chosen];
    const whole = visits[chosen] === node.visits; // else its value was another
    const figures = figuresOf({ ...node, visits: visits[chosen], after: whole ? node.after : undefined });
    put(about, el("p", {}, el("strong", {}, "At the chosen node")), history(nodes, chosen), figures,
      node.envelope ? belief(node.envelope) : null);
  }

  function count(counted) {
    const changed = counted[chosen] !== visits[chosen];
    visits = counted;
    if (changed) report();
  }

  knots.forEach((knot, number) => {
    const { action, seen } = nodes[number];
    knot.setAttribute("role", "button");
    knot.setAttribute("aria-label", number ? [action, seen].filter(Boolean).join(": ") : "The root");
  });
  picture.addEventListener("click", ({ target }) => {
    const clicked = target.dataset?.node ?? target.dataset?.branch;
    if (clicked !== undefined) choose(Number(clicked), true);
  });
  picture.addEventListener("keydown", (event) => {
    const at = knots.indexOf(event.target);
    if (at < 0 || !event.key.startsWith("Arrow")) return;
    event.preventDefault();
    choose(neighbour(nodes, places, at, event.key), true);
  });
  choose(0, false);
  return { picture, about, count };
}
