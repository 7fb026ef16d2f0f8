"""Steps that several policies share.  Each consumes ``s.stream``."""

from __future__ import annotations

import numpy as np

from belief.evidence import count, lowest
from mcts.kernel.compile import jit
from mcts.kernel.rng import below
from sim.board import N_ROOMS
from sim.cards import FIRST_ROOM, FIRST_WEAPON
from sim.state import ACCUSE, ASK, MOVE, PASSAGE


@jit
def accusation(envelope: int) -> int:
    """Return the action that accuses the three cards in the mask ``envelope``."""
    suspect = lowest(envelope)
    weapon = lowest(envelope >> FIRST_WEAPON)
    room = lowest(envelope >> FIRST_ROOM)
    return ACCUSE + 9 * (6 * suspect + weapon) + room


@jit
def kind_of_turn(world: np.record, s: np.record, seat: int) -> int:
    """Return `MOVE`, `PASSAGE` or `ASK`: uniform over the types on offer [Ledford 2018, s. 1.1]."""
    room = world.room_of[s.spot[seat]]
    if room < 0:
        return MOVE
    kinds = 1
    passage = world.passage[room] >= 0
    if passage:
        kinds += 1
    if s.summoned[seat]:
        kinds += 1
    if kinds == 1:
        return MOVE
    picked = below(s.stream, kinds)
    if picked == 0:
        return MOVE
    return PASSAGE if passage and picked == 1 else ASK


@jit
def any_card(stream: np.ndarray, cards: int) -> int:
    """Return a card of the mask ``cards`` (not 0), uniformly; one draw if there are several."""
    held = count(cards)
    for _ in range(below(stream, held) if held > 1 else 0):
        cards &= cards - 1
    return lowest(cards)


@jit
def wander(world: np.record, s: np.record, seat: int) -> int:
    """Return the move towards a goal drawn uniformly and kept until it is reached."""
    room = world.room_of[s.spot[seat]]
    if s.goal[seat] < 0 or s.goal[seat] == room:
        if room < 0:
            s.goal[seat] = below(s.stream, N_ROOMS)
        else:
            other = below(s.stream, N_ROOMS - 1)
            s.goal[seat] = other if other < room else other + 1
    return MOVE + s.goal[seat]
