"""All settings of a player that a browser, a record, a label, a link or a table's folder may make.

This is the only list: a table refuses any preset, plug-in player or new setting that is missing
here.  Nothing here may start a program, name a file, name code or let a decision take hours.
`experiments.web.tables.requests` limits the size of searches.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf
from typing import Any

from experiments.settings.config import leaves
from mcts.limits import did_you_mean

Kind = float | type[bool] | tuple[str | None, ...]
"""Values of a setting: null and numbers up to a maximum, true and false, or one of some words."""


def _list(words: str) -> tuple[str, ...]:
    return tuple(words.split())


RULES = _list("cai2006 classic ferrari2009 ledford released speed speed_clue xu2013")
"""Presets of rules."""

SEARCHING = _list(
    "best best_tree bmcts bmcts_departing bmcts_faithful bmcts_or bmcts_or_faithful bmcts_released"
    " careful flat ld_bmcts ld_bmcts_faithful ld_bmcts_released mo_ismcts mo_ismcts_faithful"
    " old_best pimc pomcp pomcp_faithful root_only so_ismcts so_ismcts_faithful"
)
"""Presets of planners."""

PLAYERS = SEARCHING + _list(
    "bn closure csp entropy greedy heuristic hide hider hunter likely neural random reader response"
    " swift uniform"
)
"""Presets of players."""

_POLICIES = _list("csp random uniform heuristic closure likely swift hide greedy")


def _all(kind: Kind, names: str, section: str = "") -> dict[str, Kind]:
    return {section + name: kind for name in names.split()}


SETTINGS: Mapping[str, Kind] = {
    **_all(inf, "threshold own_card_weight hiding summoning by_out price"),
    "candidates": 20,
    "trees": 1000,
    **_all(inf, "benefit_weight test_weight distance_weight distance_divisor"),
    **_all(inf, "visit_weight"),
    **_all(inf, "threshold own_card_weight hiding summoning by_out", "model."),
    **_all(inf, "threshold hiding summoning by_out", "rollout."),
    **_all(inf, "candidates hiding summoning accusations patience least_accused", "actions."),
    **_all(inf, "base exponent", "actions.widening."),
    **_all(inf, "threads workers virtual_loss exploration root_exploration", "search."),
    **_all(inf, "rollout_share pruning", "search."),
    **_all(inf, "simulations seconds nodes", "budget."),
    **_all(bool, "inference transpositions model.inference rollout.best_response"),
    **_all(bool, "action_types common_random_numbers keep_tree oversubscribe", "search."),
    **_all(bool, "maximum exact", "search."),
    **_all(bool, "first_seat root_belief answerer_next tree_opponents", "departures."),
    **_all(bool, "random_self move_tickets even_answers even_accusations", "departures."),
    **_all(bool, "bold_opponents instant_win certain_only untold no_face_up", "departures."),
    **_all(bool, "own_answers no_reentry even_envelope", "departures."),
    "showing": ("random", "least_informative"),
    "belief": ("exact", "factored", "constrained", "particles", "closure"),
    "answers": ("deal", "predictive"),
    "redraw": ("simulation", "decision"),
    "opponents": ("tree", "mixture", *_POLICIES),
    "policy": _POLICIES,
    "rollout.policy": _POLICIES,
    "rollout.opponents": (None, *_POLICIES),
    "model.walk": ("nearest", "adjacent"),
    "walk": ("nearest", "adjacent"),
    "actions.offer": ("all", "candidates"),
    "search.mode": ("tree", "leaf"),
    "search.merge": ("visits", "value", "vote"),
    "search.in_flight": ("none", "virtual_loss", "wu_uct"),
    "search.final": ("visits", "mean"),
    "evidence": ("repaired", "text", "text2006", "exact"),
    "again": ("other", "same"),
    "strategy": ("replanned", "closed"),
    "unit": ("bins", "turns"),
    "goal": ("free", "likeliest"),
    "q": ("network", "zero", "grid"),
    "accuses": ("any", "end"),
}
"""Allowed values by setting of a player."""

_CODE = _list(
    "sim.seat.Settings sim.players.bayes.Settings sim.players.entropy.Settings"
    " sim.players.hunter.Settings sim.players.neural.Settings sim.players.planner.Settings"
    " sim.players.released.Settings sim.players.response.Settings"
)
_AS_SHIPPED: Mapping[str, Kind] = {
    "name": PLAYERS,
    "_target_": _CODE,
    "mixture": ("usual",),
    "network": (None,),
}
"""Keys of a composed player besides `SETTINGS` and a label, which no request may set."""

_WORDS = {"true": True, "false": False, "null": None}
_NUMERAL = re.compile(r"[+-]?\d{1,18}(\.\d{0,18})?(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)


def check_setting(text: str) -> None:
    """Refuse anything but an allowed setting such as ``threshold=0.4``: ValueError."""
    key, _, written = text.partition("=")
    number = float(written) if _NUMERAL.fullmatch(written) else written
    value = _WORDS.get(written.lower(), number)
    if key not in SETTINGS:
        hint = did_you_mean(key, SETTINGS)
        raise ValueError(f"{text!r:.80}: not a setting at a table{hint}; write threshold=0.4")
    if not _fits(value, SETTINGS[key]):
        raise ValueError(f"{text!r:.80}: must be {_describe(SETTINGS[key])} at a table")


def check_player(player: Mapping[str, Any]) -> None:
    """Refuse a composed player with anything that is not allowed: ValueError."""
    for key, value in leaves(player):
        kind = _AS_SHIPPED.get(key) or SETTINGS.get(key)
        words = isinstance(value, str | None)
        if not (words if key == "label" else kind is not None and _fits(value, kind)):
            raise ValueError(f"{key}={value!r:.60}: not for a table")


def _describe(kind: Kind) -> str:
    if isinstance(kind, tuple):
        return " or ".join(word or "null" for word in kind)
    if isinstance(kind, type):
        return "true or false"
    return "a number" if kind == inf else f"a number of at most {kind}"


def _fits(value: Any, kind: Kind) -> bool:
    if isinstance(kind, tuple):
        return isinstance(value, str | None) and value in kind
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    return value is None or (isinstance(value, int | float) and value <= kind)
