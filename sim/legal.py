"""Legal actions of the seat to move, from the rules and public information."""

from __future__ import annotations

import numpy as np

from belief.evidence import lowest
from mcts.kernel.compile import jit, jit_owning
from sim.board import N_ROOMS
from sim.movement import barred_room, squares_within, survey
from sim.policies.common import ALL_PAIRS, PAIRS, may_accuse
from sim.rules import ACCUSE as ACCUSATIONS
from sim.state import (
    ACCUSE,
    ASK,
    END,
    MOVE,
    N_ACTIONS,
    PASS,
    PASSAGE,
    REVEAL,
    SHOW,
    SUGGEST,
    TURN,
    WALK,
    State,
    World,
)

_ANY_TIME = ACCUSATIONS.index("any")


@jit
def legal(world: World, s: State, out: np.ndarray) -> int:
    """Write the legal actions of the seat to move into ``out``, ascending; return their number.

    ``out`` is int64 with room for `N_ACTIONS`.
    """
    n = 0
    if s.phase == SHOW:
        matching = s.hand[s.answerer] & s.cards
        while matching:
            out[n] = REVEAL + lowest(matching)
            matching &= matching - 1
            n += 1
    elif s.phase == SUGGEST:
        named = s.named[s.seat, world.room_of[s.spot[s.seat]]]
        for pair in range(PAIRS):
            if not named >> pair & 1:
                out[n] = ASK + pair
                n += 1
        if world.accuse == _ANY_TIME:
            n = _run(out, n, ACCUSE, 324)
    elif s.phase == TURN:
        n = _legal_turn(world, s, out)
    elif s.phase == END:
        n = _run(out, n, ACCUSE, 324)
        out[n] = PASS
        n += 1
    return n


@jit_owning
def is_legal(world: World, s: State, action: int) -> bool:
    """Return whether ``action`` is legal for the seat to move."""
    # Frequent queries need no list of all actions.
    if s.phase == SUGGEST and ASK <= action < ACCUSE:
        return s.named[s.seat, world.room_of[s.spot[s.seat]]] >> (action - ASK) & 1 == 0
    if s.phase == TURN and MOVE <= action < PASSAGE:
        return _may_walk(world, s, action - MOVE)
    options = np.empty(N_ACTIONS, np.int64)
    found = False
    for i in range(legal(world, s, options)):
        found = found or options[i] == action
    return found


@jit
def _run(out: np.ndarray, n: int, first: int, count: int) -> int:
    """Append ``count`` numbers from ``first`` to ``out[n:]``; return the new end."""
    for i in range(count):
        out[n + i] = first + i
    return n + count


@jit
def _may_walk(world: World, s: State, goal: int) -> bool:
    return goal != barred_room(world, s, s.seat) and s.named[s.seat, goal] != ALL_PAIRS


@jit
def _legal_turn(world: World, s: State, out: np.ndarray) -> int:
    n = 0
    room = world.room_of[s.spot[s.seat]]
    for goal in range(N_ROOMS):
        if _may_walk(world, s, goal):
            out[n] = MOVE + goal
            n += 1
    if room >= 0 and world.passage[room] >= 0:
        out[n] = PASSAGE
        n += 1
    if room >= 0 and s.summoned[s.seat]:
        n = _run(out, n, ASK, 36)
    if may_accuse(world, s):
        n = _run(out, n, ACCUSE, 324)
    if world.free:
        out[n] = PASS
        n += 1
        survey(world, s)
        start = s.spot[s.seat]
        n = squares_within(world, s.occupied, start, world.any_door, s.roll, out, n, WALK)
    return n
