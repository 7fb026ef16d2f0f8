// The choice of a player: a preset, and settings in the form of the configuration.

import { el, put } from "./dom.js";

export const SIMULATIONS = 1000;

/** Return the options of a list of players, planners apart; `before` comes first. */
export function playerOptions(players, chosen, before = []) {
  const option = ({ name, about }) =>
    el("option", { value: name, title: about, selected: name === chosen }, name);
  const group = (label, searches) =>
    el("optgroup", { label }, players.filter((player) => player.searches === searches).map(option));
  return [...before, group("Players that search", true), group("Players that do not search", false)];
}

/**
 * Return fields for the settings of a player: `element`, `show(player)` and `read()`, which returns
 * the list of settings.
 */
export function settingFields(label) {
  const simulations = el("input", {
    type: "number",
    min: 1,
    step: 1,
    value: SIMULATIONS,
    class: "short",
    "aria-label": `Simulations per decision, ${label}`,
  });
  const more = el("input", {
    type: "text",
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": `More settings, ${label}`,
  });
  const budget = el("span", { class: "field" }, simulations, " simulations");
  const element = el("span", { class: "settings" }, budget, more);
  let searches = false;
  return {
    element,
    show(player) {
      searches = player.searches;
      more.placeholder = searches ? "search.exploration=0.3" : "showing=random";
      put(element, searches ? budget : null, more);
    },
    read() {
      const settings = more.value.trim().split(/\s+/).filter(Boolean);
      if (searches && simulations.value) settings.unshift(`budget.simulations=${simulations.value}`);
      return settings;
    },
  };
}
