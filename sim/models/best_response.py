"""Best response to the modelled opponents: the switches that win most games against them.

What hiding, waiting and reading are worth depends on who sits opposite (`docs/players/hide.md`).
The arena plays thousands of games in a second, so a roll-out of the own seat can be a best response
to the model, within its policy's family:

1. Suggestions are read by the weight of own cards that is fitted to the model
   (`sim.models.own_cards`).
2. For ``hide``, prices of hiding and of summoning are tried on common games, by successive halving
   [Jamieson & Talwalkar 2016], then by coordinate steps from the best.
3. Each trial is judged by the best rule of when to accuse; for that one set of games is enough,
   whatever the rule (`sim.models.timing`).

All of it is deterministic, and kept on disk under a digest of the sources that it depends on.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from functools import cache

from mcts.kernel import sources, store
from sim.models.opponents import Opponents, members, wins
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
"""Those that are tried for a policy that cannot be watched, waiting for proof first."""

MIN_WEIGHT, MAX_WEIGHT = 0.05, 5.0
"""Between these the weight of own cards is kept: beyond them nothing is gained, and an error of the
model costs more."""

PRICES = ((0.0, 0.5), (0.5, 0.5), (1.5, 0.5), (4.0, 0.5))
"""(hiding, summoning) that are tried first."""

STEPS = (0.6, 1.6)
"""Factors by which the ``hiding`` of the best of them is changed."""

SUMMONING = (0.0, 0.2)
"""Prices of summoning to which the best of them is changed."""

_GAMES = 1200
"""Games that a rule, or a step, is judged by."""

_FIRST = 0.2
"""Share of them that all prices play; then the better half plays twice as many, and so on."""

_SEED = 20180
_READ = 150
"""Games that the weight of own cards is fitted to."""

_CHOSEN = {"threshold", "own_card_weight", "hiding", "summoning", "by_out"}


@cache
def best_response(rules: Rules, own: Policy, model: Opponents) -> Policy:
    """Return ``own`` with the switches that win most games against ``model`` in all other seats.

    Chosen are the weight of own cards and the threshold, as far as the policy has them, and all
    that ``hide`` has; what stands there in ``own`` does not matter.

    ValueError if the weights of a mixture are impossible; belief.evidence.EvidenceFull if the
    posterior of a greedy player does not fit into memory.  ``model``: a policy, or (policy, weight)
    pairs from which each other seat is drawn for each game.
    """
    opponents = members(model)
    has = {*switches_of(own.name)} & _CHOSEN
    if "threshold" not in has:
        return own
    plain = replace(own, **{name: DEFAULTS[name] for name in has})
    name = _name(rules, plain, opponents)
    kept = store.open_store().read(name)
    if kept is None:
        found = _compute(rules, plain, opponents)
        kept = json.dumps({name: getattr(found, name) for name in sorted(has)}).encode()
        store.open_store().write(name, kept)
    return replace(plain, **json.loads(bytes(kept)))


def _name(rules: Rules, own: Policy, opponents: Opponents) -> str:
    """Return under what name a best response is kept: of all that it depends on."""
    others = [(asdict(policy), chance) for policy, chance in opponents]
    asked = json.dumps([asdict(rules), asdict(own), others, _GAMES, _READ])
    state = hashlib.blake2b(asked.encode(), digest_size=16)
    state.update(sources.digest(frozenset({__name__})))
    return f"response-{state.hexdigest()}"


def _compute(rules: Rules, own: Policy, opponents: Opponents) -> Policy:
    """Return the best response to ``opponents`` from ``own``, whose chosen switches are at rest."""
    if "own_card_weight" in switches_of(own.name):
        weight = fit_weight(rules, opponents, games=_READ).value
        own = replace(own, own_card_weight=min(max(weight, MIN_WEIGHT), MAX_WEIGHT))
    if own.name not in WATCHED:
        tried = [replace(own, threshold=threshold) for threshold in THRESHOLDS]
        return max(tried, key=lambda one: wins(rules, one, opponents, _SEED, range(_GAMES)).sum())
    trials = _Trials(rules, opponents)
    if own.name == "hide":
        own = _choose_prices(trials, own)
    return trials.best(own, _GAMES)


def _choose_prices(trials: _Trials, own: Policy) -> Policy:
    """Return ``own`` with the prices of hiding and of summoning that win most games."""
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

    def __init__(self, rules: Rules, opponents: Opponents) -> None:
        self._rules, self._opponents = rules, opponents
        self._turns: dict[Policy, Turns] = {}

    def turns(self, own: Policy, games: int) -> Turns:
        """Return the turns of ``own`` in so many games at least."""
        held = self._turns.get(own)
        played = held.games if held else 0
        if played < games:
            more = collect_turns(self._rules, own, self._opponents, _SEED, range(played, games))
            self._turns[own] = join_turns(held, more) if held else more
        return self._turns[own]

    def best(self, own: Policy, games: int) -> Policy:
        """Return ``own`` with the best rule of when to accuse."""
        gains = BY_OUT if own.name == "hide" else (0.0,)
        threshold, by_out = best_rule(self.turns(own, games), gains)
        found = replace(own, threshold=threshold)
        return replace(found, by_out=by_out) if by_out else found

    def share(self, own: Policy, games: int) -> float:
        """Return the share of games that ``own`` wins with its best rule."""
        best = self.best(own, games)
        return share_won(self.turns(own, games), best.threshold, best.by_out)
