// What this browser keeps: the seats that it was given, so that a person who closes a page finds back,
// and what somebody in a seat has noted and chosen.

const SEATS = "sleuth.seats";
const MOST = 50;

/** Return what is kept under `key`; `otherwise` where nothing is, or nothing may be kept. */
export function recall(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Keep `what` under `key`, if this browser keeps anything. */
export function remember(key, what) {
  try {
    localStorage.setItem(key, JSON.stringify(what));
  } catch {
    // it is for this page alone
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
