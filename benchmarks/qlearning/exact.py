"""Exact values of the room problem, to compare learnt ones with."""

from __future__ import annotations

import numpy as np

from sim.board import N_ROOMS
from sim.qlearning.rooms import TOLERANCE, UNIFORM, RoomProblem


def worth(best: np.ndarray, rooms: RoomProblem) -> np.ndarray:
    """Return the values (n,) of always entering the room ``best`` (n,), to `TOLERANCE`."""
    here = np.arange(len(best)), best
    rewards, chance, following = (
        table[here] for table in (rooms.states, rooms.chance, rooms.following)
    )
    values, change = np.zeros(len(best)), np.inf
    while change > TOLERANCE:
        updated = rewards + rooms.discount * (chance * values[following]).sum(axis=1)
        change = np.abs(updated - values).max()
        values = updated
    return values


def uniform_states() -> np.ndarray:
    """Return the uniform distributions on all sets of rooms (511, 9), closed under outcomes.

    The problem on them needs no projection, so its values equal those of continuous states.
    """
    rooms = np.arange(1, 1 << N_ROOMS)[:, None] >> np.arange(N_ROOMS) & 1
    return rooms / rooms.sum(axis=1, keepdims=True)


def closed_values(outcomes: str = UNIFORM, discount: float = 0.8) -> np.ndarray:
    """Return the exact values (9,) of uniform states on 1 ... 9 rooms.

    With continuous states and uniform outcomes, U_1 = 1 / (1 - g) and U_m = (1/m + g/3 (U_1 +
    U_{m-1})) / (1 - g/3).  The action enters a possible room: any other has no reward and no
    effect.
    """
    values = [1 / (1 - discount)]
    for rooms in range(2, N_ROOMS + 1):
        certain = 1 / 3 if outcomes == UNIFORM else 2 / 3 / rooms
        onward = certain * values[0] + (2 / 3 - certain) * values[-1]
        values.append((1 / rooms + discount * onward) / (1 - discount / 3))
    return np.array(values)
