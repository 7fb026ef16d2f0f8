"""Q-learning on the room problem [Cai & Ferrari 2008, Table I].

    Q(X, a) <- (1 - alpha) Q(X, a) + alpha (r + gamma max Q(X', .))                        (eq. 5)

State and action are drawn uniformly at every update.  The paper sets alpha = 1 (`ONE`).  Since the
next state is random, Q then never converges: it is the last sample.  `FALLING` takes alpha = 1 /
(visits of the pair)^w instead, with 1/2 < w <= 1, as convergence asks for [Watkins & Dayan 1992;
Even-Dar & Mansour 2003].  The stopping rule of Table I has a tolerance and a threshold that are not
given; here the number of updates ends it.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.rng import below, new_stream, uniform
from sim.board import N_ROOMS
from sim.qlearning.rooms import CERTAIN, STRUCK, UNCHANGED, RoomProblem

ONE, FALLING = "one", "falling"
RATES = (FALLING, ONE)
"""How much of the old value an update keeps."""

PORTION = 5_000_000
"""Updates in one call of the kernel, some 0.2 s."""


class Learner:
    """A table of Q that is learnt, further at every call.

    Attributes ``q``: (n, 9), from 0 on; ``visits``: int64 (n, 9) updates of each pair.
    """

    def __init__(self, rooms: RoomProblem, rate: str, exponent: float, key: int) -> None:
        """Begin to learn; ``exponent`` is that of the falling rate, chance is named by ``key``.

        ValueError on an unknown rate.
        """
        if rate not in RATES:
            raise ValueError(f"unknown rate {rate!r}: choose one of {', '.join(RATES)}")
        self.rooms, self._stream = rooms, new_stream(key)
        self._exponent = exponent if rate == FALLING else 0.0
        self.q = np.zeros((len(rooms.states), N_ROOMS))
        self.visits = np.zeros(self.q.shape, np.int64)

    def learn(self, updates: int) -> None:
        """Make so many updates; Ctrl-C is heard every `PORTION` of them."""
        rooms = self.rooms
        for done in range(0, updates, PORTION):
            _learn(
                rooms.states,
                rooms.following,
                rooms.chance,
                rooms.discount,
                self._exponent,
                self.q,
                self.visits,
                min(PORTION, updates - done),
                self._stream,
            )


@jit
def _learn(
    rewards: np.ndarray,
    following: np.ndarray,
    chance: np.ndarray,
    discount: float,
    exponent: float,
    q: np.ndarray,
    visits: np.ndarray,
    updates: int,
    stream: np.ndarray,
) -> None:
    """Update ``q`` and ``visits`` (n, 9) so often; three draws an update."""
    for _ in range(updates):
        state, room = below(stream, len(rewards)), below(stream, N_ROOMS)
        drawn = uniform(stream)
        happens = CERTAIN
        if drawn >= chance[state, room, CERTAIN]:
            drawn -= chance[state, room, CERTAIN]
            happens = UNCHANGED if drawn < chance[state, room, UNCHANGED] else STRUCK
        then = following[state, room, happens]
        best = q[then, 0]
        for other in range(1, N_ROOMS):
            best = max(best, q[then, other])
        visits[state, room] += 1
        alpha = visits[state, room] ** -exponent
        target = rewards[state, room] + discount * best
        q[state, room] += alpha * (target - q[state, room])


def error(q: np.ndarray, exact: np.ndarray) -> float:
    """Return the root mean square difference of two tables of Q."""
    return float(np.sqrt(np.mean((q - exact) ** 2)))


def greedy_share(q: np.ndarray, exact: np.ndarray) -> float:
    """Return the share of states in which the best room by ``q`` is a best one by ``exact``."""
    chosen = np.take_along_axis(exact, q.argmax(axis=1)[:, None], 1)[:, 0]
    return float(np.mean(chosen >= exact.max(axis=1) - 1e-9))
