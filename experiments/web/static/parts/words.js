// Events as sentences of a person at the table.

import { named, square } from "./actions.js";
import { brief, labelled } from "./labels.js";

/** Return the short names of the seats, with the suspect if two have one label. */
export function names(seats) {
  return seats.map(({ label, suspect }) => (shared(seats, label) ? `${brief(label)} (${suspect})` : labelled(label)));
}

/** Return the name that a seat is `called`, with its suspect. */
export function withSuspect(called, suspect) {
  return called.endsWith(`(${suspect})`) ? called : `${called} (${suspect})`;
}

/** Return whether several of `seats` have this label. */
export function shared(seats, label) {
  return seats.filter((seat) => seat.label === label).length > 1;
}

/** Return a function from an event to its sentence, for a viewer in seat `me`, or null. */
export function phraser(seats, me) {
  const called = names(seats);
  const who = (seat) => (seat === me ? "you" : called[seat]);
  const subject = (seat) => (seat === me ? "You" : called[seat]);
  const does = (seat, verb) => `${subject(seat)} ${seat === me ? verb : third(verb)}`;
  const is = (seat) => `${subject(seat)} ${seat === me ? "are" : "is"}`;

  return (event) => {
    const { seat } = event;
    switch (event.event) {
      case "deal":
        return `${is(seat)} dealt ${list(event.cards)}.`;
      case "face_up":
        return event.cards.length ? `Face up: ${list(event.cards)}.` : "No card is face up.";
      case "envelope":
        return `In the envelope: ${list(event.cards)}.`;
      case "roll":
        return `${does(seat, "roll")} ${event.steps}.`;
      case "move":
        return `${does(seat, "make")} for the ${event.goal}.`;
      case "walk":
        return `${does(seat, "walk")} to ${square(event.xy)}.`;
      case "stay":
        return `${does(seat, "stay")}.`;
      case "reach":
        return event.room
          ? `${is(seat)} in the ${event.room}.`
          : `${is(seat)} in the corridor${event.xy ? ` (${square(event.xy)})` : ""}.`;
      case "passage":
        return `${does(seat, "take")} the passage to the ${event.room}.`;
      case "suggestion": {
        const [suspect, weapon, room] = event.cards;
        const comes = event.called === null ? "" : ` ${is(event.called)} called there.`;
        return `${does(seat, "suggest")} ${suspect} with the ${weapon} in the ${room}.${comes}`;
      }
      case "refute": {
        if (event.by === null) return "No one can answer.";
        const unable = event.unable.map((one, place) => (place ? who(one) : subject(one)));
        const cannot = unable.length ? `${list(unable)} cannot answer. ` : "";
        return `${cannot}${event.by === me ? "You have to show" : does(event.by, "show")} a card.`;
      }
      case "show":
        return `${does(event.by, "show")} ${who(seat)} ${named(event.card)}.`;
      case "accusation": {
        const [suspect, weapon, room] = event.cards;
        return `${does(seat, "accuse")} ${suspect} with the ${weapon} in the ${room}.`;
      }
      case "verdict":
        return event.right
          ? "The accusation is right."
          : `${does(seat, "accuse")} wrongly, and only ${seat === me ? "show" : "shows"} cards from now on.`;
      case "pass":
        return `${does(seat, "end")} the turn.`;
      case "thought":
        return `${does(event.by, "think")} for ${event.seconds} s.`;
      case "end": {
        const wins = event.winner === null ? "Nobody wins." : `${does(event.winner, "win")}!`;
        const [suspect, weapon, room] = event.envelope;
        return `${wins} It was ${suspect} with the ${weapon} in the ${room}.`;
      }
      default:
        return event.event;
    }
  };
}

function third(verb) {
  return /(s|x|sh|ch)$/.test(verb) ? `${verb}es` : `${verb}s`;
}

/** Return a list of names or cards for a sentence. */
export function list(items) {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
