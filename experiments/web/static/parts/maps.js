// The beliefs of the seats, each as a heat map.

import { el, put } from "./dom.js";
import { showNotebook } from "./notebook.js";

/** Return the number of cards that a notebook has placed for certain. */
function certain({ cards, chance }) {
  return cards.filter(({ holders }, card) => chance?.[card].includes(1) || !holders.includes("maybe")).length;
}

/** Fill `parent` with the notebooks of all seats of `table`, with names `called`. */
export function showMaps(parent, notebooks, table, called) {
  const maps = notebooks.map((notebook, seat) => {
    const label = `What ${called[seat]} believes`;
    const held = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label });
    showNotebook(held, notebook, table, seat, true);
    const bits = notebook.bits === null ? "" : `, ${notebook.bits.toFixed(2)} bits left`;
    return el(
      "section",
      { class: "map" },
      el("h3", {}, called[seat]),
      el("p", { class: "note" }, `${certain(notebook)} of ${notebook.cards.length} cards certain${bits}`),
      held,
    );
  });
  put(parent, maps);
}
