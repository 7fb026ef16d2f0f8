"""Legal actions of the seat that decides, by the rules and what lies open."""

from __future__ import annotations

import numpy as np

from belief.evidence import lowest
from mcts.kernel.compile import jit
from sim.board import N_ROOMS
from sim.policies.common import ALL_PAIRS, PAIRS, may_accuse
from sim.rules import ACCUSE as ACCUSATIONS
from sim.state import (
    ACCUSE,
    ASK,
    END,
    MOVE,
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
from sim.walks import barred_room, squares_within, survey

_ANY_TIME = ACCUSATIONS.index("any")


@jit
def legal(world: World, s: State, out: np.ndarray) -> int:
    """Write every legal action of the seat that decides into ``out``, in order of number.

    ``out`` is int64 with room for `N_ACTIONS`; returns how many there are.
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


@jit
def _run(out: np.ndarray, n: int, first: int, count: int) -> int:
    """Append ``count`` numbers from ``first`` on to ``out[n:]``; return the end."""
    for i in range(count):
        out[n + i] = first + i
    return n + count


@jit
def _legal_turn(world: World, s: State, out: np.ndarray) -> int:
    """Write the legal actions at the start of a turn."""
    n = 0
    room, barred = world.room_of[s.spot[s.seat]], barred_room(world, s, s.seat)
    for goal in range(N_ROOMS):
        if goal != barred and s.named[s.seat, goal] != ALL_PAIRS:
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
