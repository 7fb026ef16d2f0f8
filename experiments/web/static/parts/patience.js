// Words for a wait: the first time a machine plays or searches, code is compiled, which takes long.

import { api } from "./api.js";

const LONG = 2500; // milliseconds until that is said, and between two counts
const FIRST = "The first time on a machine this takes some minutes, as code is compiled; from then on, a second or two.";

/** Return how far the server has compiled, in a sentence; nothing if it has not begun. */
async function soFar() {
  try {
    const { functions, most } = await api.compiled();
    return functions ? ` ${functions} of up to ${Math.max(functions, most)} functions are compiled.` : "";
  } catch {
    return "";
  }
}

/** Return what `work` promises; meanwhile `report(words)` says what is done, and why that takes long. */
export async function patiently(report, words, work) {
  let waiting = true;
  report(words);
  const late = setInterval(async () => {
    const progress = await soFar();
    if (waiting) report(`${words} ${FIRST}${progress}`);
  }, LONG);
  try {
    return await work;
  } finally {
    waiting = false;
    clearInterval(late);
  }
}
