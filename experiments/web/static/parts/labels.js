// Labels of players as they are read.

/** Return a label with what the player may simulate in words, in place of the setting's name. */
export function labelled(label) {
  return label.replace(/\bbudget\.simulations=(\d+)/g, (_, number) => `at ${Number(number).toLocaleString("en")}`);
}

/** Return the first word of a label, and `rest`, what follows it as `labelled` has it. */
export const brief = (label) => label.split(" ")[0];

export const rest = (label) => labelled(label).slice(brief(label).length).trim();
