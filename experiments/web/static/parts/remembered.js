// Data that this browser keeps: its seats, so that a person who closes a page can return, and the
// notes and choices of a seat.

const SEATS = "sleuth.seats";
const MOST = 50;

/** Return the value under `key`; `otherwise` if there is none, or storage is forbidden. */
export function recall(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Store `what` under `key`, if this browser allows it. */
export function remember(key, what) {
  try {
    localStorage.setItem(key, JSON.stringify(what));
  } catch {
    // only this page keeps it
  }
}

/** Return the remembered seats: `table`, `link` and `name` of each. */
export function rememberedSeats() {
  const found = recall(SEATS, []);
  return Array.isArray(found) ? found : [];
}

/** Remember some more seats. */
export function rememberSeats(seats) {
  remember(SEATS, [...seats, ...rememberedSeats()].slice(0, MOST));
}
