// Where to go from a game that is over: its record, the same table again, the next game of a study.

import { el, put, say } from "./dom.js";
import { patiently } from "./patience.js";
import { rememberSeats } from "./remembered.js";

const WAIT = 2000; // milliseconds until it is asked again what there is
const GONE = 404; // what nobody asks for again

/**
 * Fill `parent` for a game that is over.
 *
 * `ask()` promises what the server says of it, `repeat()` makes its table again, by a button with
 * `words`; `seat` is whose decisions are reviewed.
 */
export async function showAfter(parent, { ask, repeat, words, seat }) {
  say(parent, "The game is written down …");
  const found = await insist(ask, parent);
  if (!found) return;
  const { record, again, study } = found;
  const report = el("span", { role: "status" });
  put(
    parent,
    study ? el("a", { class: "button", href: study }, "Go on with the study") : null,
    again ? againButton(words, repeat, parent, report) : null,
    record ? el("a", { href: record }, "Replay") : null,
    record ? el("a", { href: `${record}?review=${seat}` }, "Review") : null,
    report,
  );
}

/** Return what `ask()` promises, however often that takes; null if it is gone, or `parent` is. */
async function insist(ask, parent) {
  while (parent.isConnected) {
    try {
      return await ask();
    } catch (fault) {
      say(parent, fault.message);
      if (fault.status === GONE) return null;
      await new Promise((done) => setTimeout(done, WAIT));
    }
  }
  return null;
}

function againButton(words, repeat, parent, report) {
  const click = async ({ target }) => {
    target.disabled = true;
    try {
      enter(await patiently((sofar) => say(report, sofar), "Getting the table ready …", repeat()), parent);
    } catch (fault) {
      say(report, fault.message);
      target.disabled = false;
    }
  };
  return el("button", { type: "button", class: "main", click }, words);
}

/** Go to the table `made`; with several people, show `parent` a link for each. */
export function enter(made, parent) {
  rememberSeats(made.seats.map((seat) => ({ table: made.id, ...seat })));
  if (made.seats.length < 2) return location.assign(made.seats[0]?.link ?? made.watch);
  const items = made.seats.map(({ name, link }) => el("li", {}, el("a", { href: link }, `The seat of ${name}`)));
  return put(parent, el("p", {}, "The table is ready. A link is a seat: send each to one person alone."), el("ul", {}, items));
}
