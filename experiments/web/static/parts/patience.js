// Words for who waits: the first time a machine plays or searches, code is compiled, which takes long.

const LONG = 2500; // milliseconds until that is said
const FIRST = "The first time on a machine this takes some minutes, as code is compiled; from then on, a second or two.";

/** Return what `work` promises; meanwhile `report(words)` says what is done, and why that takes long. */
export async function patiently(report, words, work) {
  report(words);
  const late = setTimeout(() => report(`${words} ${FIRST}`), LONG);
  try {
    return await work;
  } finally {
    clearTimeout(late);
  }
}
