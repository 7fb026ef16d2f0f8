// The board as a drawing: rooms, corridor, doors, pawns, and targets to choose.

import { facts } from "./facts.js";
import { el, put, svg } from "./dom.js";
import { names, withSuspect } from "./words.js";

const { columns, rows, squares, rooms, closed } = facts;

const SIDES = { N: [0, 0, 1, 0], S: [0, 1, 1, 1], W: [0, 0, 0, 1], E: [1, 0, 1, 1] };

/** Directions of the arrow keys: along x, along y. */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Suffix of the words of a reachable room. */
export const MAY_BE = ", may be in the envelope";

/** Weight of a step aside, relative to one straight on. */
const ASIDE = 2.5;

/** Return the first two letters of a suspect's name. */
export function initials(suspect) {
  return suspect.slice(0, 2);
}

const path = (corners) => `M${corners.map(([x, y]) => `${x} ${y}`).join("L")}Z`;
const tile = ([x, y]) => `M${x} ${y}h1v1h-1Z`;

/** Return the corner of the board with the passage of a room. */
function stairs({ label: [x, y] }) {
  return [x < columns / 2 ? 0.3 : columns - 1.7, y < rows / 2 ? 0.3 : rows - 1.7];
}

function drawRoom(room) {
  const lines = room.name.split(" ");
  const [x, y] = room.label;
  const words = lines.map((word, line) =>
    svg("text", { x, y: y - 0.55 * lines.length + line, class: "room-name" }, word),
  );
  const doors = room.doors.map(({ xy, side }) => {
    const [x1, y1, x2, y2] = SIDES[side];
    const [left, top] = xy;
    return svg("line", { x1: left + x1, y1: top + y1, x2: left + x2, y2: top + y2, class: "door" });
  });
  const drawn = [svg("path", { d: path(room.outline), class: "room" }), ...doors, ...words];
  if (room.passage) {
    const [left, top] = stairs(room);
    drawn.push(
      svg(
        "g",
        { class: "stairs", transform: `translate(${left} ${top})` },
        svg("title", {}, `Passage to the ${room.passage}`),
        svg("path", { d: "M0 1.4h.35v-.35h.35v-.35h.35v-.35h.35v-.35" }),
      ),
    );
  }
  return svg("g", {}, ...drawn);
}

/** Return the pawn of a suspect. */
function pawn(suspect) {
  return svg(
    "g",
    { class: `pawn suspect-${suspect}`, "aria-hidden": "true" },
    svg("circle", { r: 0.47 }),
    svg("text", { y: 0.19 }, initials(suspect)),
  );
}

/** Return the sign over the name of a room that may be in the envelope. */
function query({ name, label: [x, y] }) {
  const above = y - 0.55 * name.split(" ").length - 1.15;
  return svg(
    "g",
    { class: "query", transform: `translate(${x} ${above})`, "aria-hidden": "true" },
    svg("circle", { r: 0.5 }),
    svg("text", { y: 0.27 }, "?"),
  );
}

/** Return the positions of the pawns in a room, by their index. */
function position(room, place, number) {
  const [x, y] = rooms.find(({ name }) => name === room).label;
  const across = Math.min(number, 3);
  const wide = (place % 3) - (Math.min(across, number - 3 * Math.floor(place / 3)) - 1) / 2;
  return [x + 1.15 * wide, y + 0.85 + 1.1 * Math.floor(place / 3)];
}

export class Board {
  /** A board for `seats`; without a corridor if the rules have no board. */
  constructor(seats, onBoard) {
    this.seats = seats;
    this.names = names(seats);
    this.tokens = seats.map(({ suspect }) => pawn(suspect));
    this.pawns = svg("g", { class: "pawns" });
    this.targets = svg("g", { class: "targets" });
    this.where = el("ul", { class: "unseen", "aria-label": "Positions of the pawns" });
    const ground = [svg("rect", { width: columns, height: rows, class: "ground" })];
    if (onBoard) ground.push(svg("path", { d: squares.map(tile).join(""), class: "corridor" }));
    this.drawing = svg(
      "svg",
      { viewBox: `-0.1 -0.1 ${columns + 0.2} ${rows + 0.2}`, role: "group", "aria-label": "Board" },
      svg(
        "g",
        { "aria-hidden": "true" },
        ...ground,
        svg("path", { d: closed.map(path).join(""), class: "closed" }),
        svg("text", { x: 11.5, y: 11.7, class: "cellar" }, "Sleuth"),
        ...rooms.map(drawRoom),
      ),
      this.targets,
      this.pawns,
    );
    this.drawing.addEventListener("keydown", (event) => this.#walk(event));
    this.element = el(
      "div",
      { class: "board" },
      this.drawing,
      this.where,
    );
  }

  /** Move the pawns to their places in `state`. */
  place(state) {
    const inRoom = (room) => state.pawns.filter((pawn) => pawn.room === room).length;
    const placed = {};
    const places = [];
    state.pawns.forEach(({ xy, room }, seat) => {
      const { suspect } = this.seats[seat];
      places.push(el("li", {}, `${withSuspect(this.names[seat], suspect)}: ${whereabouts(xy, room)}`));
      const token = this.tokens[seat];
      if (!xy && !room) {
        token.remove();
        return;
      }
      let at;
      if (room) {
        placed[room] = (placed[room] ?? -1) + 1;
        at = position(room, placed[room], inRoom(room));
      } else at = [xy[0] + 0.5, xy[1] + 0.5];
      token.classList.toggle("moving", state.seat === seat && !state.over);
      // By its style, which animates the move; reordering the elements would stop it.
      token.style.setProperty("transform", `translate(${at[0]}px, ${at[1]}px)`);
      if (!token.parentNode) this.pawns.append(token);
    });
    put(this.where, places);
  }

  /**
   * Offer targets to choose: each has `label`, `choose()`, `near` (reached by this roll) and one of
   * `room` (its name), `stairs` (the room whose passage it is) or `xy`.
   */
  offer(targets) {
    this.centres = [];
    const drawn = targets.map(({ label, choose, near, room, stairs: from, xy }, place) => {
      let shape;
      let centre;
      if (room) {
        const found = rooms.find(({ name }) => name === room);
        shape = svg("path", { d: path(found.outline) });
        centre = found.label;
      } else {
        const [x, y] = xy ?? stairs(rooms.find(({ name }) => name === from));
        const size = xy ? 1 : 1.4;
        shape = svg("rect", { x, y, width: size, height: size });
        centre = [x + size / 2, y + size / 2];
      }
      this.centres.push(centre);
      const target = svg(
        "g",
        {
          class: near ? "target near" : "target",
          role: "button",
          tabindex: place ? -1 : 0,
          "aria-label": label,
          "data-room": room ?? null,
          click: choose,
        },
        svg("title", {}, label),
        shape,
        room && near ? query(rooms.find(({ name }) => name === room)) : null,
      );
      target.addEventListener("focus", () => this.#reach(target));
      return target;
    });
    put(this.targets, drawn);
    this.element.classList.toggle("small-targets", targets.some(({ xy }) => xy));
    if (targets.length) this.#center();
  }

  /** Mark reachable rooms that may be in the envelope: `open` has their names. */
  mark(open) {
    for (const target of this.targets.querySelectorAll(".near[data-room]")) {
      const may = open.has(target.dataset.room);
      target.classList.toggle("open", may);
      target.setAttribute("aria-label", target.querySelector("title").textContent + (may ? MAY_BE : ""));
    }
  }

  /** Scroll to the targets if the board is wider than the screen. */
  #center() {
    const middle = this.centres.reduce((sum, [x]) => sum + x, 0) / this.centres.length;
    const { scrollWidth, clientWidth } = this.element;
    this.element.scrollLeft = (middle / columns) * scrollWidth - clientWidth / 2;
  }

  #reach(target) {
    for (const other of this.targets.children) other.setAttribute("tabindex", -1);
    target.setAttribute("tabindex", 0);
  }

  #walk(event) {
    const all = [...this.targets.children];
    const at = all.indexOf(document.activeElement);
    if (at < 0) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      all[at].dispatchEvent(new MouseEvent("click"));
    }
    const way = ARROWS[event.key];
    if (!way) return;
    event.preventDefault();
    const found = nearest(this.centres, at, way);
    if (found !== null) all[found].focus();
  }
}

/** Return the index in `centres` next to number `at` in the direction of an arrow, or null. */
export function nearest(centres, at, [right, down]) {
  let found = null;
  let least = Infinity;
  centres.forEach(([x, y], place) => {
    const [dx, dy] = [x - centres[at][0], y - centres[at][1]];
    const onward = dx * right + dy * down;
    const far = onward + ASIDE * Math.abs(dx * down + dy * right);
    if (place !== at && onward > 0 && far < least) [found, least] = [place, far];
  });
  return found;
}

function whereabouts(xy, room) {
  if (room) return `in the ${room}`;
  return xy ? `in the corridor, column ${xy[0] + 1}, row ${xy[1] + 1}` : "not on the board yet";
}
