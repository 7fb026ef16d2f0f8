"""Values of the states of a finite problem, by steps to go: bounds for the leaves of a search.

Each is computed backwards from the end until it no longer changes.  Row ``h`` of a result holds the
values with ``h`` steps to go, the last row those with any more.

* `BEST`: the MDP's, which knows the state; an upper bound of every policy's.  At a single state
  QMDP's is the same.
* `RANDOM`: the exact mean of roll-outs with random actions.
* `MOST` and `LEAST`: the greatest and the least return that can happen.
* `fast_informed_bound` [Hauskrecht 2000]: an upper bound, at most the MDP's, since it knows the
  state one step later.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from mcts.kernel.compile import jit, jit_owning
from mcts.tabular.domain import LIVE, TabularPosition

BEST, RANDOM, MOST, LEAST = 0, 1, 2, 3

SAME = 1e-12
"""Relative change below which values no longer change."""


@jit
def _back_up(p, criterion, before, after):
    """Write values ``after`` of one step more than ``before``; return the greatest change."""
    change = 0.0
    for state in range(len(p.kind)):
        found = 0.0
        begin = p.legal_first[state]
        end = p.legal_first[state + 1] if p.kind[state] == LIVE else begin
        for entry in range(begin, end):
            row = state * p.actions + p.legal[entry]
            value = 0.0
            for i in range(p.first[row], p.first[row + 1]):
                came = p.reward[i] + p.discount * before[p.then[i]]
                if criterion < MOST:
                    value += p.chance[i] * came
                elif i == p.first[row] or (came > value) == (criterion == MOST):
                    value = came
            if criterion == RANDOM:
                found += value / (end - begin)
            elif entry == begin or (value > found) == (criterion != LEAST):
                found = value
        after[state] = found
        change = max(change, abs(found - before[state]))
    return change


def iterate(
    back_up: Callable[[np.ndarray, np.ndarray], float],
    first: np.ndarray,
    steps: int,
    same: float = SAME,
) -> Iterator[np.ndarray]:
    """Yield values with 0, 1, ... ``steps`` to go, until they no longer change."""
    yield (before := first)
    for _ in range(steps):
        after = np.zeros_like(before)
        change = back_up(before, after)
        yield (before := after)
        if change <= same * max(1.0, np.abs(after[np.isfinite(after)]).max(initial=0.0)):
            return


def find_values(
    p: TabularPosition, steps: int, criterion: int = BEST, last: bool = False
) -> np.ndarray:
    """Return float64 (rows, states) of the position's tables ``p``, for up to ``steps`` to go.

    ``last``: only the last row is kept.
    """
    rows = iterate(partial(_back_up, p, criterion), np.zeros(len(p.kind)), steps)
    return np.array(deque(rows, maxlen=1 if last else None))


@jit_owning
def back_up_informed(p, observations, before, after):
    """Write bounds (S, A) of one step more than ``before``; return the greatest change."""
    change = 0.0
    joint = np.zeros((observations, p.actions))
    for state in range(len(p.kind)):
        if p.kind[state] != LIVE:
            continue
        for entry in range(p.legal_first[state], p.legal_first[state + 1]):
            action = p.legal[entry]
            row = state * p.actions + action
            joint[:] = -np.inf
            value = 0.0
            for i in range(p.first[row], p.first[row + 1]):
                then = p.then[i]
                value += p.chance[i] * p.reward[i]
                legal_first, legal_end = p.legal_first[then], p.legal_first[then + 1]
                seen = action * len(p.kind) + then
                for j in range(p.seen_first[seen], p.seen_first[seen + 1]):
                    chance = p.chance[i] * p.seen_chance[j]
                    for k in range(legal_first, legal_end):
                        found = chance * before[then, p.legal[k]]
                        place = p.seen[j], p.legal[k]
                        joint[place] = found + (joint[place] if joint[place] > -np.inf else 0.0)
            for j in range(observations):
                best = np.max(joint[j])
                if best > -np.inf:
                    value += p.discount * best
            after[state, action] = value
            change = max(change, abs(value - before[state, action]))
    return change


def fast_informed_bound(p: TabularPosition, steps: int, observations: int) -> np.ndarray:
    """Return float64 (rows, states, actions): an upper bound of each action in each state."""
    back_up = partial(back_up_informed, p, observations)
    return np.array(list(iterate(back_up, np.zeros((len(p.kind), p.actions)), steps)))
