// The proof of a mark in the notebook, in sentences: the observations that suffice.

import { named } from "./actions.js";
import { el, part, put } from "./dom.js";
import { facts } from "./facts.js";
import { list, names } from "./words.js";

const RULE = "One suspect, one weapon and one room lie in the envelope; every other card has one holder.";

const or = (items) => (items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} or ${items.at(-1)}`);
const opened = (words) => words[0].toUpperCase() + words.slice(1);

/** Return a function from a fact of a proof to its sentence, for the viewer in seat `me`. */
function phrases(called, me) {
  const who = (seat) => (seat === me ? "you" : called[seat]);
  const whose = (seat) => (seat === me ? "your" : `${called[seat]}'s`);
  return ({ kind, cards, turn, asker, by, card }) => {
    const things = cards.map(named);
    switch (kind) {
      case "own":
        return `You hold ${list(things)}.`;
      case "not_own":
        return `You do not hold ${or(things)}.`;
      case "face_up":
        return `${opened(list(things))} ${cards.length > 1 ? "lie" : "lies"} face up.`;
      case "neither":
        return `${opened(list(things))} ${cards.length > 1 ? "are" : "is"} neither yours nor face up.`;
      case "not_face_up":
        return `${opened(or(things))} is not face up.`;
      case "passes":
        return `Turn ${turn}: ${list(by.map(who))} could not answer ${whose(asker)} suggestion of ${list(things)}.`;
      case "answered":
        return `Turn ${turn}: ${called[by[0]]} showed ${who(asker)} one of ${list(things)}.`;
      case "accuses":
        return `Turn ${turn}: ${who(asker)} accused ${list(things)}, and that was wrong.`;
      case "shown":
      default:
        return `Turn ${turn}: ${called[by[0]]} showed ${who(asker)} ${named(card)}.`;
    }
  };
}

/** Return the facts, merging two on cards that are neither one's own nor face up. */
function joined(known) {
  const own = known.find(({ kind }) => kind === "not_own");
  const up = known.find(({ kind }) => kind === "not_face_up");
  if (!own || !up || own.cards.join() !== up.cards.join()) return known;
  return known.filter((fact) => fact !== up).map((fact) => (fact === own ? { ...own, kind: "neither" } : fact));
}

/** Return a sentence on the players' numbers of cards. */
function hands(sizes, called, me) {
  const cards = (size) => (size === 1 ? "1 card" : `${size} cards`);
  if (new Set(sizes).size === 1) return `Each player holds ${cards(sizes[0])}.`;
  return `${opened(list(sizes.map((size, seat) => `${seat === me ? "you hold" : `${called[seat]} holds`} ${cards(size)}`)))}.`;
}

/** Return the proved claim in words. */
function claim(card, column, holds, called, me) {
  const yes = holds === "yes";
  if (!column) return `${opened(named(card))} ${yes ? "is" : "is not"} in the envelope`;
  if (column - 1 === me) return `You ${yes ? "hold" : "do not hold"} ${named(card)}`;
  return `${called[column - 1]} ${yes ? "holds" : "does not hold"} ${named(card)}`;
}

/** Show in `parent` the `proof` of the mark of the card number `card` in `column`. */
export function showProof(parent, proof, card, column, table) {
  const called = names(table.seats);
  const phrase = phrases(called, table.seat);
  const own = column - 1 === table.seat;
  const lines = own ? ["You see your own cards."] : joined(proof.facts).map(phrase);
  if (proof.more !== null) lines.push(`It takes more than ${proof.more} observations together.`);
  if (proof.sizes) lines.push(hands(proof.sizes, called, table.seat));
  if (proof.shares) lines.push("The numbers of suspects, weapons and rooms dealt to each player are public.");
  if (!column && (proof.facts.length > 1 || proof.more !== null)) lines.push(RULE);
  const words = `${claim(facts.cards[card], column, proof.holds, called, table.seat)}. Why?`;
  const close = el("button", { type: "button" }, "Close");
  const mark = document.activeElement;
  close.addEventListener("click", () => {
    parent.hidden = true;
    (mark.isConnected ? mark : part("notebook")).focus();
  });
  parent.hidden = false;
  put(
    parent,
    el("div", { class: "claim" }, el("h3", {}, words), close),
    el("ul", { class: "reasons" }, lines.map((line) => el("li", {}, line))),
  );
}
