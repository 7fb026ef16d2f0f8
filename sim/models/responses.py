"""Best responses to each type from a table: nothing is played out during a game.

The table has the weight of own cards in the suggestions of each type (`sim.models.own_cards`), and
the share of games that each of some responses wins against a company of it, reading suggestions
with that weight.  Against a mixture the response is taken that is expected to win most.

What hiding and waiting are worth changes with the rules and the number of seats, so each have a
table.  It takes some seconds: a response that waits is watched in the arena, and the same games
show what every rule of when to accuse would have won (`sim.models.timing`).  It is kept on disk
under a digest of the sources that it depends on.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from functools import cache

import numpy as np

from mcts.kernel import sources, store
from mcts.kernel.compile import INTERPRETED
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
"""What is tried against each type, the patient before the hasty."""

LEAST_READ = 0.01
"""No weight is taken for lower: types are caricatures, and a low weight rules deals out."""

_SEED = 5_104
_GAMES = 4 if INTERPRETED else 400
_READ = 2 if INTERPRETED else 80
_TURN_CAP = Rules().turn_cap


@dataclass(frozen=True, eq=False)
class Responses:
    """Shares of games that `RESPONSES` win against some types under some rules.

    Attributes ``points``: (responses, types) the share of games that each wins against a company of
    each type; ``reads``: (types,) the weight of own cards in the suggestions of each type.
    """

    points: np.ndarray
    reads: np.ndarray

    def best_reply(self, own: Policy, chances: np.ndarray) -> Policy:
        """Return ``own`` with the settings that win most against opponents of ``chances``.

        ``chances`` (types,) are those of the types, averaged over the opponents.  A policy that is
        not among the `RESPONSES` is returned as it is.
        """
        tried = [place for place, one in enumerate(RESPONSES) if one.name == own.name]
        if not tried:
            return own
        shares = np.round((self.points[tried] * chances).sum(axis=1), DIGITS)
        found = RESPONSES[tried[int(shares.argmax())]]
        chosen = {*switches_of(own.name)} & {"threshold", "hiding", "summoning", "by_out"}
        return replace(own, **{key: getattr(found, key) for key in chosen})


def responses(rules: Rules, types: tuple[str, ...]) -> Responses:
    """Return the table for ``types`` under ``rules``, made if there is none.

    Each process makes the same: its games have a seed of their own, and the usual cap on turns,
    whatever that of ``rules`` is.
    """
    usual = _TURN_CAP if rules.repeats else SUGGESTIONS
    return _table(replace(rules, turn_cap=usual), types)


@cache
def _table(rules: Rules, types: tuple[str, ...]) -> Responses:
    asked = json.dumps([asdict(rules), types, _GAMES, _READ])
    digest = hashlib.blake2b(asked.encode(), digest_size=16)
    digest.update(sources.digest(frozenset({__name__})))
    name = f"responses-{digest.hexdigest()}"
    kept = store.open_store().read(name)
    if kept is None:
        columns = [_measure(rules, one) for one in types]
        kept = memoryview(json.dumps(columns).encode())
        store.open_store().write(name, bytes(kept))
    columns = json.loads(bytes(kept))
    points = np.array([shares for _, shares in columns]).T
    return Responses(points, np.array([weight for weight, _ in columns]))


def _measure(rules: Rules, name: str) -> tuple[float, list[float]]:
    """Return the weight of own cards of the type ``name``, and what `RESPONSES` win against it."""
    model = TYPES[name]
    weight = max(fit_weight(rules, model, _SEED, _READ).value, LEAST_READ)
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
