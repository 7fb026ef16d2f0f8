/** Return a probability in percent; only certain values round to 0 and 100. */
export function percent(chance) {
  if (chance > 0 && chance < 0.005) return "<1";
  if (chance < 1 && chance > 0.995) return ">99";
  return String(Math.round(100 * chance));
}
