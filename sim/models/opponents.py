"""Opponents: one policy in all seats, or a mixture from which each seat is drawn for each game.

A mixture models uncertainty about the opponents.  Draws depend only on seed, game and seat, so two
players meet the same opponents in the same game.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sim.arena import play_many
from sim.policies.registry import Policy
from sim.rules import Rules

Opponents = Policy | tuple[tuple[Policy, float], ...]
"""One policy, or policies with unnormalised weights."""


def members(opponents: Opponents) -> tuple[tuple[Policy, float], ...]:
    """Return the policies of ``opponents`` with their positive probabilities.

    Raises ValueError if a weight is negative or not finite, or if none is positive.
    """
    if isinstance(opponents, Policy):
        return ((opponents, 1.0),)
    weights = np.array([weight for _, weight in opponents], float)
    if not (np.isfinite(weights).all() and (weights >= 0.0).all() and weights.any()):
        raise ValueError("the weights of a mixture must be 0 or more, and one of them above 0")
    chances = weights / weights.sum()
    return tuple(
        (policy, float(chance))
        for (policy, _), chance in zip(opponents, chances, strict=True)
        if chance > 0.0
    )


def draw_seats(
    opponents: Opponents, players: int, seed: int, games: Sequence[int]
) -> Iterator[tuple[int, list[Policy]]]:
    """Yield each of ``games`` with the policies by seat drawn from ``opponents``."""
    known = members(opponents)
    chances = [chance for _, chance in known]
    seats = [known[0][0]] * players
    for game in games:
        if len(known) > 1:
            rng = np.random.default_rng([seed, game])
            seats = [known[i][0] for i in rng.choice(len(known), players, p=chances)]
        yield game, list(seats)


def wins(
    rules: Rules, own: Policy, opponents: Opponents, seed: int, games: Sequence[int]
) -> np.ndarray:
    """Return whether ``own`` wins against ``opponents``, bool by game; its seat rotates.

    Raises belief.evidence.EvidenceFull if the posterior of a greedy player does not fit into
    memory.
    """
    tables: dict[tuple[int, tuple[Policy, ...]], list[int]] = {}
    for place, (game, seats) in enumerate(draw_seats(opponents, rules.players, seed, games)):
        seat = game % rules.players
        seats[seat] = own
        tables.setdefault((seat, tuple(seats)), []).append(place)
    numbers, won = np.asarray(games, np.int64), np.zeros(len(games), bool)
    for (seat, seats), places in tables.items():
        won[places] = play_many(rules, seats, seed, numbers[places]).winner == seat
    return won
