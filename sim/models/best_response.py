"""Best response to modelled opponents: the switches that win the most games against them.

The value of hiding, waiting and reading depends on the opponents (`docs/players/hide.md`).  The
own-card weight is fitted to the model (`sim.models.own_cards`).  For ``hide``, prices of hiding and
summoning are tried on common games, by successive halving [Jamieson & Talwalkar 2016], then by
coordinate steps from the best.  Each trial uses its best accusation rule; one set of games
evaluates all rules (`sim.models.timing`).  The result is deterministic, and cached on disk.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import cache
from typing import Any

import numpy as np

from mcts.kernel import sources, store
from sim.arena import play_many
from sim.models.own_cards import fit_weight
from sim.models.timing import (
    BY_OUT,
    WATCHED,
    Turns,
    best_rule,
    collect_turns,
    join_turns,
    share_won,
)
from sim.policies.registry import DEFAULTS, Policy, switches_of
from sim.rules import Rules

THRESHOLDS = (1.0, 0.8, 0.6, 0.5, 0.45, 0.4, 0.35, 0.3)
"""Thresholds to try for a policy outside `WATCHED`, waiting for proof first."""

MIN_WEIGHT, MAX_WEIGHT = 0.05, 5.0
"""Limits of the own-card weight: values beyond gain nothing, and model errors cost more."""

PRICES = ((0.0, 0.5), (0.5, 0.5), (1.5, 0.5), (4.0, 0.5))
"""Pairs (hiding, summoning) to try first."""

STEPS = (0.6, 1.6)
"""Factors for changing the ``hiding`` of the best pair."""

SUMMONING = (0.0, 0.2)
"""Alternative ``summoning`` prices for the best pair."""

_GAMES = 1200
"""Number of games for evaluating a rule or a step."""

_FIRST = 0.2
"""Share of `_GAMES` that all prices play; the better half then plays twice as many, and so on."""

_SEED = 20180
_READ = 150
"""Number of games for fitting the own-card weight."""

_CHOSEN = {"threshold", "own_card_weight", "hiding", "summoning", "by_out"}


@cache
def best_response(rules: Rules, own: Policy, model: Policy) -> Policy:
    """Return ``own`` with the switches that win the most games against ``model`` in other seats.

    Own-card weight, threshold and the switches of ``hide`` are chosen, as far as the policy has
    them; their values in ``own`` are ignored.

    Raises belief.evidence.EvidenceFull if the posterior of a greedy player does not fit into
    memory.
    """
    has = {*switches_of(own.name)} & _CHOSEN
    if "threshold" not in has:
        return own
    plain = replace(own, **{name: DEFAULTS[name] for name in has})
    asked = [asdict(rules), asdict(plain), asdict(model), _GAMES, _READ]

    def compute() -> dict[str, Any]:
        found = _compute(rules, plain, model)
        return {name: getattr(found, name) for name in sorted(has)}

    return replace(plain, **remember(__name__, asked, compute))


def remember(module: str, asked: Any, compute: Callable[[], Any]) -> Any:
    """Return what ``compute`` returns for ``asked``, as JSON values.

    It is kept on disk under a digest of ``asked`` and of the sources of ``module``.
    """
    state = hashlib.blake2b(json.dumps(asked).encode(), digest_size=16)
    state.update(sources.digest(frozenset({module})))
    name = f"{module.rpartition('.')[2]}-{state.hexdigest()}"
    kept = store.open_store().read(name)
    if kept is None:
        kept = memoryview(json.dumps(compute()).encode())
        store.open_store().write(name, bytes(kept))
    return json.loads(bytes(kept))


def wins(rules: Rules, own: Policy, model: Policy, seed: int, games: Sequence[int]) -> np.ndarray:
    """Return whether ``own`` wins against ``model`` in all other seats, bool by game.

    Its seat rotates.  Raises like `best_response`.
    """
    numbers, won = np.asarray(games, np.int64), np.zeros(len(games), bool)
    for seat in range(rules.players):
        here = numbers % rules.players == seat
        seats = [own if other == seat else model for other in range(rules.players)]
        won[here] = play_many(rules, seats, seed, numbers[here]).winner == seat
    return won


def _compute(rules: Rules, own: Policy, model: Policy) -> Policy:
    if "own_card_weight" in switches_of(own.name):
        weight = fit_weight(rules, model, games=_READ)
        own = replace(own, own_card_weight=min(max(weight, MIN_WEIGHT), MAX_WEIGHT))
    if own.name not in WATCHED:
        tried = [replace(own, threshold=threshold) for threshold in THRESHOLDS]
        return max(tried, key=lambda one: wins(rules, one, model, _SEED, range(_GAMES)).sum())
    trials = _Trials(rules, model)
    if own.name == "hide":
        own = _choose_prices(trials, own)
    return trials.best(own, _GAMES)


def _choose_prices(trials: _Trials, own: Policy) -> Policy:
    """Return ``own`` with the prices of hiding and summoning that win the most games."""
    tried = [replace(own, hiding=hiding, summoning=summoning) for hiding, summoning in PRICES]
    games = round(_FIRST * _GAMES)
    while len(tried) > 1:
        tried.sort(key=lambda one: -trials.share(one, games))
        tried, games = tried[: len(tried) // 2], min(2 * games, _GAMES)
    (best,) = tried
    steps = [replace(best, hiding=round(best.hiding * factor, 2)) for factor in STEPS]
    best = max([best, *steps], key=lambda one: trials.share(one, _GAMES))
    steps = [replace(best, summoning=price) for price in SUMMONING]
    return max([best, *steps], key=lambda one: trials.share(one, _GAMES))


class _Trials:
    """Games of waiting policies, each against the same opponents, extended on demand."""

    def __init__(self, rules: Rules, model: Policy) -> None:
        self._rules, self._model = rules, model
        self._turns: dict[Policy, Turns] = {}

    def turns(self, own: Policy, games: int) -> Turns:
        """Return the turns of ``own`` in at least ``games`` games."""
        held = self._turns.get(own)
        played = held.games if held else 0
        if played < games:
            more = collect_turns(self._rules, own, self._model, _SEED, range(played, games))
            self._turns[own] = join_turns(held, more) if held else more
        return self._turns[own]

    def best(self, own: Policy, games: int) -> Policy:
        """Return ``own`` with the best accusation rule."""
        gains = BY_OUT if own.name == "hide" else (0.0,)
        threshold, by_out = best_rule(self.turns(own, games), gains)
        found = replace(own, threshold=threshold)
        return replace(found, by_out=by_out) if by_out else found

    def share(self, own: Policy, games: int) -> float:
        """Return the share of games that ``own`` wins with its best accusation rule."""
        best = self.best(own, games)
        return share_won(self.turns(own, games), best.threshold, best.by_out)
