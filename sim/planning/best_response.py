"""When a roll-out should accuse: the threshold that wins most games against the modelled opponents.

What waiting is worth depends on how the own seat goes on.  Roll-outs that wait for proof
undervalue it where the others accuse early, and the planner accuses earlier still; those that
accuse at a fixed probability undervalue it against slow opponents.  The arena plays a few thousand
games in a second, so the threshold can be a best response to the model, within the policy's family.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from sim.arena import play_many
from sim.policies.table import Policy, switches_of
from sim.rules import Rules

THRESHOLDS = (1.0, 0.8, 0.6, 0.5, 0.45, 0.4, 0.35, 0.3)
"""Those that are tried, waiting for proof first."""

_GAMES = 2000
_SEED = 20180


@cache
def best_response(rules: Rules, own: Policy, model: Policy) -> Policy:
    """Return ``own`` with the threshold that wins most of some games against ``model`` alone.

    All thresholds play the same games, the own seat in rotation; ties go to waiting.  A policy
    without a threshold is returned as it is.
    """
    if "threshold" not in switches_of(own.name):
        return own
    tried = [replace(own, threshold=threshold) for threshold in THRESHOLDS]
    return max(tried, key=lambda policy: _wins(rules, policy, model))


def _wins(rules: Rules, own: Policy, model: Policy) -> int:
    """Return how many games ``own`` wins."""
    wins = 0
    for seat in range(rules.players):
        seats = [model] * rules.players
        seats[seat] = own
        games = np.arange(seat, _GAMES, rules.players)
        wins += int((play_many(rules, seats, _SEED, games).winner == seat).sum())
    return wins
