// Labels of players for display.

/** Return a label with its budget in words instead of the setting's name. */
export function labelled(label) {
  return label.replace(/\bbudget\.simulations=(\d+)/g, (_, number) => `at ${Number(number).toLocaleString("en")}`);
}

/** Return the first word of a label, and `rest`, the remainder as in `labelled`. */
export const brief = (label) => label.split(" ")[0];

export const rest = (label) => labelled(label).slice(brief(label).length).trim();
