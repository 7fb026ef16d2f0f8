// Labels of players as they are read.

/** Return a label with what the player may simulate in words, in place of the setting's name. */
export function labelled(label) {
  return label.replace(/\bbudget\.simulations=(\d+)/g, (_, number) => `at ${Number(number).toLocaleString("en")}`);
}

/** Return a label as `labelled` has it without what the player may simulate. */
export function bare(label) {
  return label.replace(/ at [\d,]+/, "");
}
