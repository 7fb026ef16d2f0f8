"""The heuristic player of [Ledford 2018, s. 3.3 and App. B].

It walks to the room of highest entropy under its factored belief, suggests the suspect and weapon
of highest entropy, and accuses when three envelope entries are exactly 1.  Ties between rooms are
broken uniformly, ties between suspects or weapons by listed order.  Without ``inference`` it
ignores cards shown to other players [s. 1.4].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belief.evidence import lowest
from mcts.kernel.compile import jit
from mcts.kernel.rng import below
from sim.board import N_ROOMS
from sim.cards import CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON
from sim.knowledge import row_bits
from sim.movement import barred_room
from sim.policies.common import kind_of_turn, needs_goal
from sim.state import ASK, FACTORED, MOVE, State, World

REQUIRES = FACTORED


@dataclass(frozen=True)
class Switches:
    """Switches of `heuristic`.

    inference : whether its matrix uses cards shown to other players
    """

    inference: bool = True


@jit
def to_accuse(world: World, s: State, seat: int) -> int:
    """Return the envelope to accuse now, 0 for none."""
    return certain_envelope(s.belief[seat])


@jit
def turn(world: World, s: State, seat: int) -> int:
    """Return the action at the start of a turn; consumes ``s.stream``."""
    kind = kind_of_turn(world, s, seat)
    if kind != MOVE:
        return kind
    if needs_goal(world, s, seat):
        s.goal[seat] = unsure_room(s, seat, barred_room(world, s, seat))
    return MOVE + s.goal[seat]


@jit
def suggestion(world: World, s: State, seat: int) -> int:
    """Return the suggestion of the suspect and weapon of highest entropy, first listed."""
    suspect = most_unsure(s, seat, 0, FIRST_WEAPON)
    weapon = most_unsure(s, seat, FIRST_WEAPON, FIRST_ROOM)
    return ASK + 6 * suspect + weapon - FIRST_WEAPON


@jit
def certain_envelope(matrix: np.ndarray) -> int:
    """Return the mask of the envelope if one entry of each category is exactly 1, else 0."""
    found = 0
    for category in CATEGORY_MASK:
        rest = category
        while rest:
            if matrix[lowest(rest), 0] == 1.0:
                found |= rest & -rest
            rest &= rest - 1
        if not found & category:
            return 0
    return found


@jit
def most_unsure(s: State, seat: int, first: int, end: int) -> int:
    """Return the first card of ``first`` .. ``end - 1`` whose row has the highest entropy."""
    best, highest = first, -1.0
    for card in range(first, end):
        bits = row_bits(s, seat, card)
        if bits > highest:
            best, highest = card, bits
    return best


@jit
def unsure_room(s: State, seat: int, here: int) -> int:
    """Return a room of highest entropy except ``here`` (-1: none); ties are uniform."""
    best, highest, ties = -1, -1.0, 0
    for room in range(N_ROOMS):
        if room == here:
            continue
        bits = row_bits(s, seat, FIRST_ROOM + room)
        if bits > highest:
            best, highest, ties = room, bits, 1
        elif bits == highest:
            ties += 1
            if below(s.stream, ties) == 0:
                best = room
    return best
