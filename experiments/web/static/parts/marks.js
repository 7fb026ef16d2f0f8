// A person's own marks in the notebook, kept by the browser.

import { recall, remember } from "./remembered.js";

const KEPT = "sleuth.marks.";
const MOST = 20; // maximum number of seats with marks
const NEXT = { "": "+", "+": "−", "−": "" };
const WORDS = { "": "no mark", "+": "I think so", "−": "I think not" };

/** Return the marks of the seat `token`: `at`, `words` and `next` by card and column. */
export function marksOf(token) {
  const all = recall(KEPT, []);
  const kept = Array.isArray(all) ? all.filter(({ seat }) => seat !== token).slice(0, MOST - 1) : [];
  const mine = (Array.isArray(all) && all.find(({ seat }) => seat === token)?.marks) || {};
  const at = (card, column) => (mine[`${card} ${column}`] in WORDS ? mine[`${card} ${column}`] : "");
  return {
    at,
    words: (card, column) => WORDS[at(card, column)],
    next(card, column) {
      mine[`${card} ${column}`] = NEXT[at(card, column)];
      remember(KEPT, [{ seat: token, marks: mine }, ...kept]);
    },
  };
}
