"""The room problem of [Cai & Ferrari 2008, s. III]: which room to enter under a belief.

A state is the posterior of the room card, x in the simplex of nine rooms; an action enters room i
with reward x_i (eq. 9).  If x_i is 0 or 1 the state stays the same; otherwise one of three outcomes
follows (Table I):

* room i becomes certain;
* the state stays the same, because a suspect or a weapon was shown;
* room i is eliminated and the rest renormalised (eq. 7).

The next state is the nearest of finitely many sampled ones (eq. 8).  Differences from the paper:

* The paper takes the three outcomes as equally likely for all x (`UNIFORM`).  `POSTERIOR` follows
  Bayes' rule: with probability 1/3 the state stays the same; otherwise room i is certain with
  probability x_i and eliminated otherwise, so that x is a martingale.
* The paper does not specify the sampling of states.  Here a state is a random set of at least two
  rooms with the uniform distribution, as at the start of a game, or a Dirichlet draw; the nine
  vertices are added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sim.board import N_ROOMS

UNIFORM, POSTERIOR = "uniform", "posterior"
OUTCOMES = (UNIFORM, POSTERIOR)
"""Probability models of the three outcomes."""

CERTAIN, UNCHANGED, STRUCK = range(3)
"""Outcomes, in the order of the last axis of the tables."""

UNIFORM_SHARE = 0.5
"""Share of uniform states among the sampled states other than vertices."""

TOLERANCE = 1e-12
"""Maximum change of a value in the last sweep of `solve`."""


@dataclass(frozen=True)
class RoomProblem:
    """Finitely many states, and the successors of all actions.

    Attributes
    ----------
    states : (n, 9) distributions over the rooms
    following : int64 (n, 9, 3) index of the next state, by state, entered room and outcome
    chance : (n, 9, 3) probability of the outcome
    discount : discount per step
    """

    states: np.ndarray
    following: np.ndarray
    chance: np.ndarray
    discount: float

    def backup(self, values: np.ndarray) -> np.ndarray:
        """Return Q (n, 9) for state values ``values`` (n,) (Bellman, eq. 2)."""
        return self.states + self.discount * (self.chance * values[self.following]).sum(axis=2)


def sample(count: int, concentration: float, noise: np.random.Generator) -> np.ndarray:
    """Return ``count`` distinct states (count, 9), vertices first.

    Parameters
    ----------
    count : at least 9
    concentration : Dirichlet concentration, above 0; 1 is uniform on the simplex
    noise : consumed
    """
    found = dict.fromkeys(map(tuple, np.eye(N_ROOMS)))
    while len(found) < count:
        rooms = noise.permutation(N_ROOMS)[: noise.integers(2, N_ROOMS + 1)]
        state = np.zeros(N_ROOMS)
        if noise.random() < UNIFORM_SHARE:
            state[rooms] = 1 / len(rooms)
        else:
            state[rooms] = noise.dirichlet(np.full(len(rooms), concentration))
        found[tuple(state)] = None
    return np.array(list(found))


def struck(states: np.ndarray) -> np.ndarray:
    """Return (n, 9, 9): each of ``states`` (n, 9) after eliminating each room (eq. 7).

    Eliminating a certain room leaves the state unchanged.
    """
    gone = states[:, None, :] * (1 - np.eye(N_ROOMS))
    rest = gone.sum(axis=2, keepdims=True)
    return np.where(rest > 0, gone / np.where(rest > 0, rest, 1), states[:, None, :])


def pairs(states: np.ndarray) -> np.ndarray:
    """Return network inputs (..., 9, 18): each of ``states`` (..., 9) with each room."""
    repeated = np.repeat(states[..., None, :], N_ROOMS, axis=-2)
    entered = np.broadcast_to(np.eye(N_ROOMS), repeated.shape)
    return np.concatenate([repeated, entered], axis=-1)


def nearest(states: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from points (..., 9) to the index of the nearest state (eq. 8)."""
    from scipy.spatial import KDTree  # imported here: players with a network need no SciPy

    tree = KDTree(states)
    return lambda points: tree.query(points)[1].astype(np.int64)


@dataclass(frozen=True)
class Sampled:
    """Parameters of a problem on sampled states.

    Attributes
    ----------
    states, concentration : arguments of `sample`
    outcomes, discount : arguments of `problem`
    seed : seed of the sample
    """

    states: int = 1300
    concentration: float = 1.0
    outcomes: str = UNIFORM
    discount: float = 0.8
    seed: int = 0

    def problem(self) -> RoomProblem:
        """Return the problem; ValueError like `problem`."""
        states = sample(self.states, self.concentration, np.random.default_rng(self.seed))
        return problem(states, self.outcomes, self.discount)


def problem(states: np.ndarray, outcomes: str = UNIFORM, discount: float = 0.8) -> RoomProblem:
    """Return the problem on ``states`` (n, 9), which must include the nine vertices.

    ``outcomes``: one of `OUTCOMES`, else ValueError; ``discount``: at least 0, below 1.
    """
    if outcomes not in OUTCOMES:
        raise ValueError(f"unknown outcomes {outcomes!r}: choose one of {', '.join(OUTCOMES)}")
    project, count = nearest(states), len(states)
    following = np.empty((count, N_ROOMS, 3), np.int64)
    following[:, :, CERTAIN] = project(np.eye(N_ROOMS))
    following[:, :, UNCHANGED] = np.arange(count)[:, None]
    following[:, :, STRUCK] = project(struck(states))
    chance = np.full((count, N_ROOMS, 3), 1 / 3)
    if outcomes == POSTERIOR:
        chance[:, :, CERTAIN] = 2 / 3 * states
        chance[:, :, STRUCK] = 2 / 3 * (1 - states)
    chance[(states == 0) | (states == 1)] = np.eye(3)[UNCHANGED]
    return RoomProblem(states, following, chance, discount)


def solve(rooms: RoomProblem) -> tuple[np.ndarray, int]:
    """Return Q (n, 9) by value iteration, to `TOLERANCE`, and the number of sweeps."""
    values, sweeps, change = np.zeros(len(rooms.states)), 0, np.inf
    while change > TOLERANCE:
        updated = rooms.backup(values).max(axis=1)
        change = np.abs(updated - values).max()
        values, sweeps = updated, sweeps + 1
    return rooms.backup(values), sweeps
