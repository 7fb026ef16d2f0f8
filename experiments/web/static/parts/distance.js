// Distances of a pawn from the rooms, ignoring other pawns.

import { facts } from "./facts.js";

/**
 * Return the fewest steps from a pawn to each room by name, and whether they are `exact`: a pawn that
 * was called to a room may be at a door that is unknown.  Null if there is no board.
 */
export function steps(pawn, rules) {
  if (rules.board === false || rules.walls === false) return null;
  const { xy, room } = pawn;
  const anyDoor = room && (rules.doors === "any" || !xy);
  if (!anyDoor && !xy) return null;
  const from = anyDoor ? facts.rooms.find(({ name }) => name === room).doors.map((door) => door.xy) : [xy];
  const least = facts.rooms.map(({ name }, to) => [
    name,
    Math.min(...from.map(([x, y]) => facts.steps[`${x},${y}`][to])),
  ]);
  return { least: Object.fromEntries(least), exact: rules.doors === "any" || Boolean(xy) };
}
