"""Values of beliefs at the leaves of BMCTS, as vectors over states.

The value of a belief b is max over k of the sum over s of b(s) v_k(s).  By `kind`:

* ``fib``: the fast informed bound [Hauskrecht 2000], a vector an action; an upper bound.
* ``qmdp``: the MDP's values of actions [Littman, Cassandra & Kaelbling 1995]; a looser upper bound.
* ``mdp``: the MDP's value of states, one vector; looser still.
* ``mean``: the expected return of random actions, one vector.
* an array (S,) or (K, S): the user's, for instance the vectors of a point-based solver.

`find_bounds` also finds the first value of each action, before it is tried, and lower bounds: the
values of blind policies, which repeat one action [Hauskrecht 2000], and of random actions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from mcts.kernel.compile import jit
from mcts.tabular.domain import LIVE, OVER, TabularPosition
from mcts.tabular.tables import TablesFault
from mcts.tabular.values import BEST, RANDOM, back_up_informed, find_values, iterate

UPPER = ("fib", "qmdp", "mdp")
LEAVES = (*UPPER, "mean", "rollout")
"""Leaf values; ``rollout`` plays the roll-out of the position, and has no vectors."""

_ENDLESS = 100_000
"""Maximum number of backups of a problem without end; they stop when nothing changes."""
_NEAR = 1e-6
"""Relative change below which a bound that begins on the right side is near enough."""


class Bounds(NamedTuple):
    """Values of a problem's states; rows are steps to go, the last one for all more."""

    gain: np.ndarray
    """float64 (S * A,): expected rewards."""
    leaf: np.ndarray
    """float64 (rows, S, K): vectors of the value at a leaf ..."""
    first: np.ndarray
    """float64 (rows, S, A): ... of an action before it is tried ..."""
    lower: np.ndarray
    """float64 (rows, S, L): ... and of lower bounds; L is 0 without."""
    prior: np.ndarray
    """float64 (S, A): prior weights of actions by state; empty: all alike."""


@jit
def _look_ahead(p, values, first):
    """Write to ``first`` (S, A) the values of actions, from ``values`` (S,) of what follows."""
    for state in range(len(p.kind)):
        for action in range(p.actions):
            row = state * p.actions + action
            legal = p.first[row] < p.first[row + 1] and p.kind[state] == LIVE
            found = 0.0 if legal or p.kind[state] != LIVE else -np.inf
            if legal:
                for i in range(p.first[row], p.first[row + 1]):
                    found += p.chance[i] * (p.reward[i] + p.discount * values[p.then[i]])
            first[state, action] = found


@jit
def _back_up_blind(p, before, after):
    """Write values (S, A) of repeating an action one step more; return the greatest change."""
    change = 0.0
    for state in range(len(p.kind)):
        if p.kind[state] != LIVE:
            continue
        for action in range(p.actions):
            row, found = state * p.actions + action, 0.0
            if p.first[row] == p.first[row + 1]:
                found = -np.inf
            for i in range(p.first[row], p.first[row + 1]):
                found += p.chance[i] * (p.reward[i] + p.discount * before[p.then[i], action])
            after[state, action] = found
            if found != before[state, action]:
                change = max(change, abs(found - before[state, action]))
    return change


def _rows(p: TabularPosition, back_up: Callable, first: np.ndarray, same: float) -> np.ndarray:
    """Return values by steps to go, or without an end the last row alone, until the ``same``."""
    if not p.endless:
        return np.array(list(iterate(back_up, first, p.steps)))
    return deque(iterate(back_up, first, _ENDLESS, same), maxlen=1)[0][None]


def _states(p: TabularPosition, criterion: int) -> np.ndarray:
    """Return float64 (rows, S), values of states."""
    return find_values(p, _ENDLESS if p.endless else p.steps, criterion, last=bool(p.endless))


def _first(p: TabularPosition, values: np.ndarray) -> np.ndarray:
    """Return float64 (rows, S, A) from values (rows, S) of the states that follow."""
    found = np.zeros((len(values) + (not p.endless), len(p.kind), p.actions))
    for row in range(len(found)):
        if p.endless or row > 0:
            _look_ahead(p, values[row - (not p.endless)], found[row])
    return found


def _mask(p: TabularPosition, values: np.ndarray) -> np.ndarray:
    """Return values (rows, S, A) with -inf for illegal actions of live states."""
    illegal = np.ones((len(p.kind), p.actions), bool)
    illegal[np.repeat(np.arange(len(p.kind)), np.diff(p.legal_first)), p.legal] = False
    illegal[p.kind != LIVE] = False
    return np.where(illegal, -np.inf, values)


def _read(p: TabularPosition, given: Any) -> np.ndarray:
    vectors = np.atleast_2d(np.asarray(given, np.float64))
    if vectors.ndim != 2 or vectors.shape[1] != len(p.kind) or not np.isfinite(vectors).all():
        raise TablesFault(f"leaf values need finite numbers of the shape (K, {len(p.kind)})")
    rows = np.where(p.kind == OVER, 0.0, vectors).T[None]
    return rows if p.endless else np.concatenate([np.zeros_like(rows), rows])


def _leaf_and_first(
    p: TabularPosition, leaf: Any, observations: int
) -> tuple[np.ndarray, np.ndarray]:
    if not isinstance(leaf, str):
        vectors = _read(p, leaf)
        return vectors, _first(p, vectors.max(axis=2))
    if leaf == "rollout":
        none = np.zeros((1, len(p.kind), 0))
        return none, np.zeros((1, len(p.kind), p.actions))
    if leaf == "fib":
        back_up = partial(back_up_informed, p, observations)
        first = np.zeros((len(p.kind), p.actions))
        if p.endless:  # from above, so that every row is an upper bound
            first = np.where(np.isfinite(found := _first(p, _states(p, BEST))[0]), found, 0.0)
        found = _mask(p, _rows(p, back_up, first, _NEAR))
        return found, found
    values = _states(p, RANDOM if leaf == "mean" else BEST)
    first = _first(p, values)
    return (first if leaf == "qmdp" else values[:, :, None]), first


def find_bounds(
    p: TabularPosition, leaf: Any = "fib", lower: Any = None, prior: Any = None
) -> Bounds:
    """Return the vectors for the tables of ``p`` and its steps to go.

    Raises TablesFault for an unknown name or another shape.

    Parameters
    ----------
    leaf : one of `LEAVES`, or vectors of the user (S,) or (K, S)
    lower : ``blind``, vectors of the user (a lower bound in all states), or None for none
    prior : weights of actions, (A,) or (S, A); None: all alike
    """
    if isinstance(leaf, str) and leaf not in LEAVES:
        raise TablesFault(f"leaf={leaf}: choose {', '.join(LEAVES)}, or give an array")
    n, observations = len(p.kind), int(p.seen.max()) + 1
    gain = np.zeros(n * p.actions)
    rows = np.repeat(np.arange(n * p.actions), np.diff(p.first))
    np.add.at(gain, rows, p.chance * p.reward)
    vectors, first = _leaf_and_first(p, leaf, observations)
    low = np.zeros((1, n, 0))
    if isinstance(lower, str) and lower == "blind":
        worst = min(0.0, float(gain.min())) / (1 - p.discount) if p.endless else 0.0
        begin = np.where(p.kind == LIVE, worst, 0.0)[:, None].repeat(p.actions, axis=1)
        blind = _rows(p, partial(_back_up_blind, p), begin, _NEAR)  # from below, as it must be
        random = _states(p, RANDOM)[:, :, None]
        longest = max(len(blind), len(random))
        low = np.concatenate([_fill(blind, longest), _fill(random, longest)], axis=2)
    elif lower is not None:
        low = _read(p, lower)
    weights = np.zeros((0, p.actions))
    if prior is not None:
        weights = np.broadcast_to(np.asarray(prior, np.float64), (n, p.actions))
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise TablesFault("prior: a weight is negative or not a number")
    parts = (gain, vectors, first, low, weights)
    return Bounds(*map(np.ascontiguousarray, parts))


def _fill(rows: np.ndarray, count: int) -> np.ndarray:
    """Return ``count`` rows: the last one is repeated."""
    return rows[np.minimum(np.arange(count), len(rows) - 1)]
