"""A particle belief of a problem given by tables, to compare with its exact one."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from mcts.plain.particle_filter import ParticleFilter
from mcts.tabular.domain import TabularPosition


def make_particles(p: TabularPosition, count: int, chance: random.Random) -> ParticleFilter:
    """Return a bootstrap filter of ``count`` states drawn from the belief of ``p``.

    ``update(action, seen, chance)`` of the filter takes numbers of actions and observations.  All
    draws are from ``chance``.
    """

    def simulate(state: int, action: int, drawn: Any) -> tuple[int, int]:
        then = _draw(p.first, p.then, p.chance, state * p.actions + action, drawn)
        return then, _draw(p.seen_first, p.seen, p.seen_chance, _row(action, then), drawn)

    def likelihood(then: int, action: int, seen: int) -> float:
        row = slice(*p.seen_first[_row(action, then) :][:2])
        return float(p.seen_chance[row][p.seen[row] == seen].sum())

    def _row(action: int, then: int) -> int:
        return action * len(p.kind) + then

    states = chance.choices(p.state.tolist(), p.share.tolist(), k=count)
    return ParticleFilter(states, simulate, likelihood)


def _draw(
    first: np.ndarray, values: np.ndarray, shares: np.ndarray, row: int, chance: random.Random
) -> int:
    """Return one of the values of ``row``; one draw."""
    held = slice(*first[row:][:2])
    return int(chance.choices(values[held].tolist(), shares[held].tolist())[0])
