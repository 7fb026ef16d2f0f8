/** Return a probability in percent, never rounded to a certainty that it is not. */
export function percent(chance) {
  if (chance > 0 && chance < 0.005) return "<1";
  if (chance < 1 && chance > 0.995) return ">99";
  return String(Math.round(100 * chance));
}
