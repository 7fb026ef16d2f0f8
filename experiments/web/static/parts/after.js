// Links from a finished game: its record, and the same table again.

import { el, put, say } from "./dom.js";
import { patiently } from "./patience.js";
import { rememberSeats } from "./remembered.js";

const WAIT = 2000; // milliseconds between two requests
const GONE = 404; // the status that ends the requests

/**
 * Fill `parent` for a finished game.
 *
 * `ask()` promises the server's links, `repeat()` makes its table again, by a button with `words`,
 * for players with `names`.
 */
export async function showAfter(parent, { ask, repeat, words, names }) {
  say(parent, "Saving the game …");
  const found = await insist(ask, parent);
  if (!found) return;
  const { record, again } = found;
  const report = el("span", { role: "status" });
  put(
    parent,
    again ? againButton(words, repeat, names, parent, report) : null,
    record ? el("a", { href: record }, "Replay") : null,
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

function againButton(words, repeat, names, parent, report) {
  const click = async ({ target }) => {
    target.disabled = true;
    try {
      enter(await patiently((sofar) => say(report, sofar), "Preparing the table …", repeat()), names, parent);
    } catch (fault) {
      say(report, fault.message);
      target.disabled = false;
    }
  };
  return el("button", { type: "button", class: "main", click }, words);
}

/** Open the table `made`; with several people, show a link for each in `parent`, by `names` of seats. */
export function enter(made, names, parent) {
  const seats = Object.entries(made.seats).map(([seat, link]) => ({ table: made.id, link, name: names[seat] }));
  rememberSeats(seats);
  if (seats.length < 2) return location.assign(seats[0]?.link ?? made.watch);
  const items = seats.map(({ name, link }) => el("li", {}, el("a", { href: link }, `The seat of ${name}`)));
  return put(parent, el("p", {}, "The table is ready. A link is a seat: send each to one person only."), el("ul", {}, items));
}
