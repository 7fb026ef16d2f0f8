// The seats that this browser was given, so that a person who closes a page finds back.

const KEY = "sleuth.seats";
const MOST = 50;

/** Return the remembered seats: `table`, `link` and `name` of each; none where nothing may be kept. */
export function rememberedSeats() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY));
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** Remember some more seats. */
export function rememberSeats(seats) {
  try {
    localStorage.setItem(KEY, JSON.stringify([...seats, ...rememberedSeats()].slice(0, MOST)));
  } catch {
    // a browser that keeps nothing: the links are shown all the same
  }
}
