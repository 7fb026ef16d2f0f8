// The top of a search's tree as a drawing, from left to right: a line is an action, its width the
// visits; it fans out into its outcomes, each a circle.  A square is an end.

import { svg } from "./dom.js";

const LEAF = 22; // height of a leaf
const ROW = 34; // minimum height of an action: its words above the line, its figures below
const SLANT = 22; // from a node to the level part of its actions' lines
const FAN = 34; // from the words of the action to those of its outcomes
const CHARACTER = 6.3; // its width
const LETTER = 6.2; // its width in the words of an outcome
const MARGIN = 26;
const FIGURES = 20; // characters of the figures below a line
const WIDEST = 9; // width of a line with all simulations

const number = (value) => value.toLocaleString("en");

/** Return the words of an action without the room, which is the pawn's. */
export const short = (words) => words.replace(/ here$/, "");

export const figures = ({ played, value }) =>
  value === null ? number(played) : `${number(played)} · ${value.toFixed(2)}`;

/** Return the number of omitted outcomes of an action, in words. */
const hidden = ({ outcomes, nodes }) => (outcomes > nodes.length ? `, ${number(outcomes - nodes.length)} more` : "");

/** Return the nodes with their branches: one per action, most visited first. */
function connect(list) {
  const nodes = list.map((node, number) => ({ ...node, number, branches: [] }));
  for (const node of nodes) {
    if (node.above === null) continue;
    const { branches } = nodes[node.above];
    const known = branches.find(({ action }) => action === node.action);
    if (known) known.nodes.push(node);
    else branches.push({ ...node, nodes: [node] });
  }
  for (const { branches } of nodes) branches.sort((one, other) => other.played - one.played);
  return nodes;
}

/** Place `node` and its descendants from `top` on, and return the next free position. */
function place(node, top, depth) {
  node.depth = depth;
  if (!node.branches.length) {
    node.y = top + LEAF / 2;
    return top + LEAF;
  }
  let free = top;
  for (const branch of node.branches) {
    const from = free;
    for (const below of branch.nodes) free = place(below, free, depth + 1);
    const missing = ROW - (free - from);
    if (missing > 0) {
      for (const below of branch.nodes) shift(below, missing / 2);
      free += missing;
    }
    branch.y = (branch.nodes[0].y + branch.nodes.at(-1).y) / 2;
  }
  node.y = (node.branches[0].y + node.branches.at(-1).y) / 2;
  return free;
}

function shift(node, down) {
  node.y += down;
  for (const branch of node.branches) {
    branch.y += down;
    for (const below of branch.nodes) shift(below, down);
  }
}

/** Return the positions of the nodes by depth, and of the fans before them. */
function columnsOf(nodes) {
  const acts = [];
  const seen = [];
  for (const { depth, branches } of nodes) {
    for (const { action, nodes: below } of branches) {
      acts[depth] = Math.max(acts[depth] ?? FIGURES, short(action).length);
      for (const outcome of below) seen[depth] = Math.max(seen[depth] ?? 0, outcome.seen.length);
    }
  }
  const columns = [MARGIN];
  const fans = [MARGIN];
  acts.forEach((characters, depth) => {
    fans.push(columns.at(-1) + SLANT + CHARACTER * characters);
    columns.push(fans.at(-1) + FAN + LETTER * seen[depth]);
  });
  return { columns, fans };
}

/** Mark the most visited line, from the root down. */
function markMain(root) {
  for (let node = root; node; node = node.branches[0]?.nodes[0]) {
    node.main = true;
    if (node.branches[0]) node.branches[0].main = true;
  }
}

function drawNode(node, x) {
  const kind = node.main ? "knot main" : "knot";
  const mark = node.end
    ? svg("rect", { x: x - 4, y: node.y - 4, width: 8, height: 8, class: kind, "data-node": node.number })
    : svg("circle", { cx: x, cy: node.y, r: 4, class: kind, "data-node": node.number });
  const inside = node.branches.length > 0;
  const at = inside ? { x, y: node.y - 8, class: "visits above" } : { x: x + 8, y: node.y + 4, class: "visits" };
  return [mark, svg("text", { ...at, "data-node": node.number }, number(node.visits))];
}

function drawBranch(node, branch, { columns, fans }, whole) {
  const [left, right] = [columns[node.depth], columns[node.depth + 1]];
  const wide = (visits) => Math.max(1, (WIDEST * visits) / whole).toFixed(1);
  const line = (d, visits, main, about) =>
    svg("path", { d, class: main ? "branch main" : "branch", "stroke-width": wide(visits), ...about });
  const [start, fan] = [left + SLANT, fans[node.depth + 1]];
  const drawn = branch.nodes.flatMap((below) => [
    line(`M${fan} ${branch.y}L${fan + FAN} ${below.y}H${right}`, below.visits, branch.main && below.main, {
      "data-node": below.number,
    }),
    svg(
      "text",
      { x: fan + FAN, y: below.y - wide(below.visits) / 2 - 3, class: "visits seen", "data-node": below.number },
      below.seen,
    ),
  ]);
  const half = wide(branch.played) / 2;
  const about = { "data-branch": branch.number };
  return [
    ...drawn,
    line(`M${left} ${node.y}L${start} ${branch.y}H${fan}`, branch.played, branch.main, about),
    svg("text", { x: start + 2, y: branch.y - half - 4, class: "does", ...about }, short(branch.action)),
    svg("text", { x: start + 2, y: branch.y + half + 11, class: "visits", ...about }, figures(branch) + hidden(branch)),
  ];
}

/** Return the drawing of a tree from `list`: its nodes, parents first.
 *
 * Shapes of a node have `data-node`, its index in the list; shapes of an action have `data-branch`,
 * that of its first node.
 */
export function treePicture(list) {
  const nodes = connect(list);
  const [root] = nodes;
  const high = place(root, MARGIN / 2, 0) + MARGIN / 2;
  markMain(root);
  const across = columnsOf(nodes);
  const wide = across.columns.at(-1) + 2 * MARGIN;
  const best = root.branches[0];
  const words = best ? `: most visited: ${best.action}, ${figures(best)}` : "";
  const behind = nodes.flatMap((node) =>
    node.branches.flatMap((branch) => drawBranch(node, branch, across, root.visits)),
  );
  const knots = nodes.flatMap((node) => drawNode(node, across.columns[node.depth]));
  return svg(
    "svg",
    {
      viewBox: `0 0 ${wide} ${high}`,
      width: wide,
      height: high,
      class: "tree",
      role: "img",
      "aria-label": `The top of the tree${words}`,
    },
    ...behind.filter(({ tagName }) => tagName === "path"),
    ...knots,
    ...behind.filter(({ tagName }) => tagName === "text"),
  );
}
