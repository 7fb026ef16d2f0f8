// Lines over turns, drawn as SVG: axes with words, a line and a dash for each seat.

import { el, put, svg } from "./dom.js";

const WIDE = 480;
const HIGH = 230;
const LEFT = 44;
const RIGHT = 10;
const TOP = 10;
const BOTTOM = 40;
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "4 2", "12 4"];

/** Return about `count` round numbers from `least` to `most`. */
export function ticks(most, least = 0, count = 5) {
  const rough = (most - least) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const found = [];
  for (let at = Math.ceil(least / step - 1e-9) * step; at <= most + step * 1e-9; at += step)
    found.push(Number(at.toPrecision(6)));
  return found;
}

/** Return the path through `points`; null values leave a gap. */
function drawn(points, x, y) {
  let pen = "M";
  return points
    .map(([turn, value]) => {
      if (value === null || value === undefined) {
        pen = "M";
        return "";
      }
      const at = `${pen}${x(turn).toFixed(1)} ${y(value).toFixed(1)}`;
      pen = "L";
      return at;
    })
    .join("");
}

/**
 * Fill `parent` with a chart of `lines` (`name` and `points`, pairs of turn and value).
 *
 * `words` has `title`, `across` and `up` for the axes; `least` is the lowest value and `most` the
 * highest, if known, `now` is a turn to mark; a click on the chart calls `choose(turn)`.
 */
export function showChart(
  parent,
  words,
  lines,
  { least = 0, most = null, now = null, choose = null } = {},
) {
  const turns = lines.flatMap(({ points }) => points.map(([turn]) => turn));
  const values = lines.flatMap(({ points }) => points.map(([, value]) => value ?? 0));
  const last = Math.max(1, ...turns);
  const top = most ?? Math.max(1, ...values);
  const x = (turn) => LEFT + ((WIDE - LEFT - RIGHT) * turn) / last;
  const inside = (value) => Math.min(top, Math.max(least, value));
  const y = (value) => HIGH - BOTTOM - ((HIGH - BOTTOM - TOP) * (inside(value) - least)) / (top - least);
  const across = ticks(last).filter(Number.isInteger);
  const grid = [
    ...ticks(top, least).map((value) => [
      svg("line", { x1: LEFT, x2: WIDE - RIGHT, y1: y(value), y2: y(value), class: "grid" }),
      svg("text", { x: LEFT - 6, y: y(value) + 4, class: "tick end" }, String(value)),
    ]),
    ...across.map((turn) => {
      const last = x(turn) > WIDE - 2 * RIGHT;
      const place = { x: last ? WIDE : x(turn), y: HIGH - BOTTOM + 17, class: last ? "tick end" : "tick" };
      return svg("text", place, turn.toLocaleString("en"));
    }),
  ].flat();
  const middle = (TOP + HIGH - BOTTOM) / 2;
  const paths = lines.map(({ points }, place) =>
    svg("path", {
      d: drawn(points, x, y),
      class: `line series-${place % 6}`,
      "stroke-dasharray": DASHES[place % DASHES.length],
    }),
  );
  const mark =
    now === null ? [] : [svg("line", { x1: x(now), x2: x(now), y1: TOP, y2: HIGH - BOTTOM, class: "now" })];
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `${words.title}: ${describe(lines)}` },
    ...grid,
    svg("text", { x: (LEFT + WIDE - RIGHT) / 2, y: HIGH - 6, class: "axis" }, words.across),
    svg("text", { transform: `translate(13 ${middle}) rotate(-90)`, class: "axis" }, words.up),
    ...mark,
    ...paths,
  );
  if (choose) {
    drawing.classList.add("chosen-by-click");
    drawing.addEventListener("click", ({ clientX }) => {
      const { left, width } = drawing.getBoundingClientRect();
      const across = (WIDE * (clientX - left)) / width - LEFT;
      choose(Math.max(0, Math.round((last * across) / (WIDE - LEFT - RIGHT))));
    });
  }
  const legend = lines.map(({ name }, place) =>
    el(
      "li",
      {},
      svg(
        "svg",
        { viewBox: "0 0 26 10", class: "swatch", "aria-hidden": "true" },
        svg("path", {
          d: "M1 5h24",
          class: `line series-${place % 6}`,
          "stroke-dasharray": DASHES[place % DASHES.length],
        }),
      ),
      name,
    ),
  );
  put(
    parent,
    el("figcaption", {}, words.title),
    drawing,
    el("ul", { class: "legend" }, legend),
  );
}

/** Return the last value of each line, for screen readers. */
function describe(lines) {
  return lines
    .map(({ name, points }) => {
      const known = points.filter(([, value]) => value !== null && value !== undefined);
      return known.length ? `${name} ${Number(known.at(-1)[1].toFixed(2))}` : `${name} unknown`;
    })
    .join(", ");
}
