// Labels of players as they are read.

/** Return a label with what the player may simulate in words, in place of the setting's name. */
export function labelled(label) {
  return label.replace(/\bbudget\.simulations=(\d+)/g, (_, number) => `at ${Number(number).toLocaleString("en")}`);
}
