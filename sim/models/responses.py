"""Table of responses to each type, so that no games are played during a game.

The table has the own-card weight of each type (`sim.models.own_cards`), and the share of games that
each response wins against opponents of that type, reading with that weight.  Against a mixture, the
response with the highest expected share is chosen.

The value of hiding and waiting depends on rules and number of seats, so each has its own table.  It
takes some seconds: waiting responses play in the arena, and the same games evaluate all accusation
rules (`sim.models.timing`).  It is cached on disk under a digest of its sources.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cache

import numpy as np

from mcts.kernel.compile import INTERPRETED
from sim.models.best_response import remember
from sim.models.own_cards import DIGITS, fit_weight
from sim.models.timing import collect_turns, share_won
from sim.models.types import TYPES
from sim.policies.registry import Policy, switches_of
from sim.rules import SUGGESTIONS, Rules

_SUMMONING = 0.5
_WAITING = (
    Policy("swift"),
    Policy("hide", hiding=0.0, summoning=0.0),
    *(Policy("hide", hiding=price, summoning=_SUMMONING) for price in (0.3, 0.6, 1.2, 2.4)),
)
_THRESHOLDS = (1.0, 0.8, 0.65, 0.5, 0.4, 0.35, 0.3, 0.26)
_BY_OUT = 0.15

RESPONSES = tuple(
    replace(waiting, threshold=threshold, by_out=by_out)
    for waiting in _WAITING
    for by_out in ((0.0, _BY_OUT) if waiting.name == "hide" else (0.0,))
    for threshold in _THRESHOLDS[1 if by_out else 0 :]
)
"""Responses to try against each type, higher thresholds first."""

LEAST_READ = 0.01
"""Minimum own-card weight: types are simplifications, and a lower weight excludes deals."""

_SEED = 5_104
_GAMES = 4 if INTERPRETED else 400
_READ = 2 if INTERPRETED else 80
_TURN_CAP = Rules().turn_cap


@dataclass(frozen=True, eq=False)
class Responses:
    """Shares of games that `RESPONSES` win against some types under some rules.

    Attributes ``points``: (responses, types) share of games that a response wins against opponents
    of a type; ``reads``: (types,) own-card weight of each type.
    """

    points: np.ndarray
    reads: np.ndarray

    def best_reply(self, own: Policy, chances: np.ndarray) -> Policy:
        """Return ``own`` with the best settings against opponents of ``chances``.

        ``chances`` (types,): type probabilities averaged over the opponents.  A policy outside
        `RESPONSES` is returned unchanged.
        """
        tried = [place for place, one in enumerate(RESPONSES) if one.name == own.name]
        if not tried:
            return own
        shares = np.round((self.points[tried] * chances).sum(axis=1), DIGITS)
        found = RESPONSES[tried[int(shares.argmax())]]
        chosen = {*switches_of(own.name)} & {"threshold", "hiding", "summoning", "by_out"}
        return replace(own, **{key: getattr(found, key) for key in chosen})


def responses(rules: Rules, types: tuple[str, ...]) -> Responses:
    """Return the table for ``types`` under ``rules``, computed if not cached.

    It is the same in all processes: its games have a fixed seed and the default turn cap instead of
    that of ``rules``.
    """
    usual = _TURN_CAP if rules.repeats else SUGGESTIONS
    return _table(replace(rules, turn_cap=usual), types)


@cache
def _table(rules: Rules, types: tuple[str, ...]) -> Responses:
    asked = [asdict(rules), types, _GAMES, _READ]
    columns = remember(__name__, asked, lambda: [_measure(rules, one) for one in types])
    points = np.array([shares for _, shares in columns]).T
    return Responses(points, np.array([weight for weight, _ in columns]))


def _measure(rules: Rules, name: str) -> tuple[float, list[float]]:
    """Return the own-card weight of the type ``name``, and the shares of `RESPONSES` against it."""
    model = TYPES[name]
    weight = max(fit_weight(rules, model, _SEED, _READ), LEAST_READ)
    watched = {
        _price(waiting): collect_turns(
            rules, replace(waiting, own_card_weight=weight), model, _SEED, range(_GAMES)
        )
        for waiting in _WAITING
    }
    shares = [share_won(watched[_price(one)], one.threshold, one.by_out) for one in RESPONSES]
    return weight, shares


def _price(one: Policy) -> tuple[str, float]:
    return one.name, one.hiding
