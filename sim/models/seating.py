"""A company drawn for a simulation: a type for each opponent, put into its seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.rng import uniform
from sim.policies.registry import Policy, seat_policy
from sim.state import MAX_PLAYERS, PUBLIC, STATE, SWITCHES, State, empty

_FIELDS = ("policy", "tracks", *SWITCHES)

SEATED = np.dtype([(name, STATE[name].base) for name in _FIELDS], align=True)
"""A policy with its switches, as `sim.state.STATE` has them for a seat; it reads all alike."""


class Seating(NamedTuple):
    """The types that a simulation draws from.

    Attributes
    ----------
    types : (n,) of `SEATED`; none: the policies of the root stay in their seats
    chances : float64 (7, n), sums from the left.  Row 0: all opponents are of this type (its end is
        the chance that they are alike); row seat + 1: this opponent is, if they are not
    """

    types: np.recarray
    chances: np.ndarray


def to_records(policies: Sequence[Policy]) -> np.recarray:
    """Return ``policies`` as kernels put them into seats."""
    state, made = empty()[0], np.zeros(len(policies), SEATED).view(np.recarray)
    for i, policy in enumerate(policies):
        seat_policy(state, 0, policy)
        for name in SEATED.names:
            value = state[name][0]
            made[i][name] = value[0] if name == "own_card_weight" else value
    return made


NO_TYPES = Seating(to_records(()), np.zeros((1 + MAX_PLAYERS, 0)))
"""No mixture: each seat has one policy."""


def wants_public(types: np.recarray) -> bool:
    """Return whether one of ``types`` looks at what everybody knows."""
    return bool((types.tracks & PUBLIC).any())


@jit
def take_seat(s: State, seat: int, one: np.record) -> None:
    """Put the type ``one`` into ``seat`` of ``s``; which card it shows stays as it was."""
    s.policy[seat] = one.policy
    s.tracks[seat] = one.tracks
    s.inference[seat] = one.inference
    s.walk[seat] = one.walk
    s.threshold[seat] = one.threshold
    s.hiding[seat] = one.hiding
    s.summoning[seat] = one.summoning
    for asker in range(MAX_PLAYERS):
        s.own_card_weight[seat, asker] = one.own_card_weight
    s.by_out[seat] = one.by_out


@jit
def draw_company(
    s: State, seat: int, players: int, types: np.recarray, chances: np.ndarray, stream: np.ndarray
) -> None:
    """Put a drawn type into each seat but ``seat``; one draw if they are alike, else one more each.

    The chances are those of `Seating`.
    """
    number = _up_to(chances[0], uniform(stream))
    alike = number < len(types)
    for other in range(players):
        if other != seat:
            if not alike:
                number = min(_up_to(chances[other + 1], uniform(stream)), len(types) - 1)
            take_seat(s, other, types[number])


@jit
def _up_to(sums: np.ndarray, at: float) -> int:
    """Return the first place of ``sums`` that is above ``at``, or their number."""
    i = 0
    while i < len(sums) and sums[i] <= at:
        i += 1
    return i
