// Messages during a wait: the first game or search on a machine compiles code, which takes long.

import { api } from "./api.js";

const LONG = 2500; // milliseconds until the message, and between two counts
const FIRST = "The first time on a machine compiles code for some minutes; later it takes a second or two.";

/** Return a sentence on the server's compilation; empty if it has not begun. */
async function soFar() {
  try {
    const { functions, most } = await api.compiled();
    return functions ? ` ${functions} of up to ${Math.max(functions, most)} functions compiled.` : "";
  } catch {
    return "";
  }
}

/** Return the result of `work`; meanwhile `report(words)` shows what takes long, and why. */
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
