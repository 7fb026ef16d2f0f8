// Faces of cards by kind: a bust in the suspect's colour, a dagger, a door.

import { facts } from "./facts.js";
import { svg } from "./dom.js";

const PICTURES = {
  suspect: ["M12 3a4.6 4.6 0 1 1 0 9.2a4.6 4.6 0 1 1 0-9.2Z", "M3.5 22c0-5 3.6-8 8.5-8s8.5 3 8.5 8Z"],
  weapon: ["M12 1.5 14.4 6v8.5H9.6V6Z", "M6 14.5h12v2.4H6Z", "M10.6 17h2.8v5.5h-2.8Z"],
  room: ["M5 2h14v20H5Zm2.4 2.4v15.2h9.2V4.4Z", "M9 6h6v13.6H9Zm4.3 6.2a.9.9 0 1 0 .1 0Z"],
};

const kindOf = (card) => (facts.suspects.includes(card) ? "suspect" : facts.weapons.includes(card) ? "weapon" : "room");

/** Return the class of a card's picture, by its kind. */
export const classOf = (card) => `kind-${kindOf(card)}`;

/** Return the face of a card, without its name. */
export function face(card) {
  const kind = kindOf(card);
  const paths = PICTURES[kind].map((d) => svg("path", { d, "fill-rule": "evenodd" }));
  const whose = kind === "suspect" ? ` suspect-${card}` : "";
  return svg("svg", { viewBox: "0 0 24 24", class: `face ${classOf(card)}${whose}`, "aria-hidden": "true" }, ...paths);
}
