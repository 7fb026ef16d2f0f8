"""Best responses to each type from a stored table: nothing is played out during a game.

``points.json`` holds for each type of opponent the weight of own cards in its suggestions
(`sim.models.own_cards`) and the share of games that each of some responses wins against three of
it, reading suggestions with that weight.  Against a mixture the response is taken that is expected
to win most.  Written by

    python -m benchmarks.measure_responses SEED GAMES

for the default rules; under others the shares differ, and are taken for the same.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from importlib.resources import files

import numpy as np

from sim.policies.table import Policy, switches_of

_THRESHOLDS = (1.0, 0.8, 0.65, 0.5, 0.4, 0.35, 0.3, 0.26)
_SUMMONING = 0.5
_BY_OUT = 0.15

RESPONSES = (
    *(Policy("swift", threshold=threshold) for threshold in _THRESHOLDS),
    *(
        Policy(
            "hide",
            threshold=threshold,
            hiding=hiding,
            summoning=_SUMMONING if hiding else 0.0,
            by_out=by_out,
        )
        for hiding in (0.0, 0.6, 1.2, 2.4)
        for by_out in (0.0, _BY_OUT)
        for threshold in _THRESHOLDS[1 if by_out else 0 :]
    ),
)
"""What is tried against each type, the patient before the hasty."""

FILE = "points.json"
LEAST_READ = 0.01
"""No weight is taken for lower: types are caricatures, and a low weight rules deals out."""


def label(response: Policy) -> str:
    """Return the name of ``response`` in the table."""
    settings = (response.threshold, response.hiding, response.by_out)
    return " ".join([response.name, *(f"{value:g}" for value in settings)])


@cache
def _load_table() -> dict:
    return json.loads(files(__package__).joinpath(FILE).read_text("utf-8"))


@cache
def reading(name: str) -> float:
    """Return the weight of own cards in the suggestions of the type ``name``."""
    return max(float(_load_table()["reads"][name]), LEAST_READ)


@cache
def points(policy: str, types: tuple[str, ...]) -> tuple[tuple[Policy, ...], np.ndarray]:
    """Return the responses by ``policy``, and what each wins against ``types``: (n, types)."""
    tried = tuple(response for response in RESPONSES if response.name == policy)
    shares = [[_load_table()["points"][label(one)][name] for name in types] for one in tried]
    return tried, np.array(shares)


def best_reply(own: Policy, types: tuple[str, ...], chances: np.ndarray) -> Policy:
    """Return ``own`` with the settings that win most against opponents of ``chances``.

    ``chances`` (types,) are those of the types, averaged over the opponents.  A policy that is not
    in the table is returned as it is.
    """
    tried, shares = points(own.name, types)
    if not tried:
        return own
    found = tried[int(np.argmax(shares @ chances))]
    settings = {key: getattr(found, key) for key in ("threshold", "hiding", "summoning", "by_out")}
    has = switches_of(own.name)
    return replace(own, **{key: value for key, value in settings.items() if key in has})
