// Numbers of actions, decoded and in words.

import { facts } from "./facts.js";

const { suspects, weapons, rooms, squares, cards } = facts;
const first = facts.actions;

/** Return kind and parts of an action. */
export function meaning(action) {
  if (action >= first.walk) return { kind: "walk", xy: squares[action - first.walk] };
  if (action === first.pass) return { kind: "pass" };
  if (action >= first.show) return { kind: "show", card: cards[action - first.show] };
  if (action >= first.accuse) {
    const pair = Math.floor((action - first.accuse) / rooms.length);
    return { kind: "accuse", ...pairOf(pair), room: rooms[(action - first.accuse) % rooms.length].name };
  }
  if (action >= first.suggest) return { kind: "suggest", ...pairOf(action - first.suggest) };
  if (action === first.passage) return { kind: "passage" };
  return { kind: "move", room: rooms[action - first.move].name };
}

function pairOf(pair) {
  return {
    suspect: suspects[Math.floor(pair / weapons.length)],
    weapon: weapons[pair % weapons.length],
  };
}

const pairNumber = (suspect, weapon) =>
  weapons.length * suspects.indexOf(suspect) + weapons.indexOf(weapon);

/** Return the number of a suggestion; the room is the one that the pawn is in. */
export function suggesting(suspect, weapon) {
  return first.suggest + pairNumber(suspect, weapon);
}

/** Return the number of an accusation. */
export function accusing(suspect, weapon, room) {
  const place = rooms.findIndex(({ name }) => name === room);
  return first.accuse + rooms.length * pairNumber(suspect, weapon) + place;
}

/** Return an action in words, as an imperative. */
export function inWords(action) {
  const { kind, room, suspect, weapon, card, xy } = meaning(action);
  switch (kind) {
    case "move":
      return `walk to the ${room}`;
    case "passage":
      return "take the passage";
    case "suggest":
      return `suggest ${suspect} with the ${weapon}`;
    case "accuse":
      return `accuse ${suspect} with the ${weapon} in the ${room}`;
    case "show":
      return `show ${named(card)}`;
    case "walk":
      return `walk to ${square(xy)}`;
    default:
      return "pass";
  }
}

/** Return a card for a sentence: a suspect's name, or an article and a noun. */
export function named(card) {
  return suspects.includes(card) ? card : `the ${card}`;
}

/** Return a square in words. */
export function square([column, row]) {
  return `column ${column + 1}, row ${row + 1}`;
}
