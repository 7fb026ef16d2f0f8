// A planner's assumptions: the types of its opponents, and its belief if that is not exact.

import { named } from "./actions.js";
import { el } from "./dom.js";
import { percent } from "./percent.js";

/** Return a probability as `words`, a bar and its percentage. */
function share(chance, words = "") {
  const made = el("span", { class: "share" }, `${words}${percent(chance)} %`);
  made.style.setProperty("--chance", chance);
  return made;
}

/** Return the likeliest types of each opponent, with their weights. */
function opponents(list, called) {
  const rows = list.map(({ seat, types }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, called[seat]),
      el("td", { class: "words" }, types.map(([name, chance]) => share(chance, `${name} `))),
    ),
  );
  return [
    el("h3", {}, "Assumed types of the others"),
    el("table", { class: "figures types" }, el("tbody", {}, rows)),
    el("p", { class: "note" }, "The likeliest types with their weights; a number in a name is the probability in percent from which that type accuses."),
  ];
}

/** Return the differences of its belief from the exact posterior, the largest first. */
function difference({ name, reads, differing, rows }, called) {
  const own = `${name}${reads ? ", reading suggestions" : ""}`;
  if (!differing) return [el("p", { class: "note" }, `Its belief (${own}) is the exact posterior.`)];
  const heads = ["card", "who", "its own", "exact"];
  const body = rows.map((row) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, named(row.card)),
      el("td", { class: "words" }, row.holder ? called[row.holder - 1] : "envelope"),
      el("td", {}, share(row.own)),
      el("td", {}, share(row.exact)),
    ),
  );
  return [
    el("h3", {}, "Its own belief"),
    el("p", { class: "note" }, `${own}: it differs from the exact posterior in ${differing} places; the largest differences:`),
    el(
      "table",
      { class: "figures beliefs-differ" },
      el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col", class: head === "who" ? "words" : null }, head)))),
      el("tbody", {}, body),
    ),
  ];
}

/** Return a planner's assumptions as elements; `called` are the names of the players by seat. */
export function assumptions({ belief, opponents: others }, called) {
  return [
    ...(others?.length ? opponents(others, called) : []),
    ...(belief ? difference(belief, called) : []),
  ];
}
