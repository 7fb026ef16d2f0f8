// How far a pawn is from the rooms, pawns in the way ignored.

import { facts } from "./facts.js";

/** Return the steps from a pawn to each room by name, or null where that cannot be told. */
export function steps(pawn, rules) {
  if (rules.board === false || rules.walls === false) return null;
  const from = places(pawn, rules);
  if (!from) return null;
  return Object.fromEntries(
    facts.rooms.map(({ name }, room) => [
      name,
      Math.min(...from.map(([x, y]) => facts.steps[`${x},${y}`][room])),
    ]),
  );
}

/** Return the squares that a walk may begin from: the pawn's, or every door of its room. */
function places({ xy, room }, rules) {
  if (room && rules.doors === "any") {
    return facts.rooms.find(({ name }) => name === room).doors.map((door) => door.xy);
  }
  return xy ? [xy] : null; // who was called to a room stands at a door that nobody named
}
