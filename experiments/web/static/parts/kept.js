// The seats that were given out to this browser, so that whoever closes a page finds back.

const KEY = "sleuth.seats";
const MOST = 50;

/** Return the kept seats: `table`, `link` and `name` of each; none where nothing may be kept. */
export function keptSeats() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY));
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** Keep some more seats. */
export function keepSeats(seats) {
  try {
    localStorage.setItem(KEY, JSON.stringify([...seats, ...keptSeats()].slice(0, MOST)));
  } catch {
    // a browser that keeps nothing: the links are shown all the same
  }
}
