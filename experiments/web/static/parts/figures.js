// Tables of win rates with their intervals.

import { el } from "./dom.js";
import { labelled } from "./labels.js";

/**
 * Return the table of `rates`: player, match, games, rate and interval; dashes for missing values.
 *
 * `matches`: whether the matches differ in more than the player, and are named.
 */
export function rateTable(name, rates, matches = true) {
  const percent = (share) => (100 * share).toFixed(1);
  const row = ({ match, player, games, rate, interval }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, labelled(player)),
      matches ? el("td", { class: "words" }, labelled(match)) : null,
      el("td", {}, games.toLocaleString("en")),
      el("td", {}, games ? `${percent(rate)} %` : "–"),
      el("td", {}, games ? interval.map(percent).join(" to ") : "–"),
    );
  const heads = ["player", ...(matches ? ["match"] : []), "games", "wins", "95 %"];
  const head = (words) => el("th", { scope: "col", class: words === "match" ? "words" : null }, words);
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": `Win rates of ${name}` },
    el(
      "table",
      { class: "figures" },
      el("thead", {}, el("tr", {}, heads.map(head))),
      el("tbody", {}, rates.map(row)),
    ),
  );
}
