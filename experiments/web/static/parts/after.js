// Links from a finished game: its record, the same table again, the next game of a study.

import { el, put, say } from "./dom.js";
import { patiently } from "./patience.js";
import { rememberSeats } from "./remembered.js";

const WAIT = 2000; // milliseconds between two requests
const GONE = 404; // the status that ends the requests

/**
 * Fill `parent` for a finished game.
 *
 * `ask()` promises the server's links, `repeat()` makes its table again, by a button with `words`;
 * `seat` is the one to review.
 */
export async function showAfter(parent, { ask, repeat, words, seat }) {
  say(parent, "Saving the game …");
  const found = await insist(ask, parent);
  if (!found) return;
  const { record, again, study } = found;
  const report = el("span", { role: "status" });
  put(
    parent,
    study ? el("a", { class: "button", href: study }, "Continue the study") : null,
    again ? againButton(words, repeat, parent, report) : null,
    record ? el("a", { href: record }, "Replay") : null,
    record ? el("a", { href: `${record}?review=${seat}` }, "Review") : null,
    report,
  );
}

/** Return the result of `ask()`, repeated until it succeeds; null if the game or `parent` is gone. */
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
      enter(await patiently((sofar) => say(report, sofar), "Preparing the table …", repeat()), parent);
    } catch (fault) {
      say(report, fault.message);
      target.disabled = false;
    }
  };
  return el("button", { type: "button", class: "main", click }, words);
}

/** Open the table `made`; with several people, show a link for each in `parent`. */
export function enter(made, parent) {
  rememberSeats(made.seats.map((seat) => ({ table: made.id, ...seat })));
  if (made.seats.length < 2) return location.assign(made.seats[0]?.link ?? made.watch);
  const items = made.seats.map(({ name, link }) => el("li", {}, el("a", { href: link }, `The seat of ${name}`)));
  return put(parent, el("p", {}, "The table is ready. A link is a seat: send each to one person only."), el("ul", {}, items));
}
