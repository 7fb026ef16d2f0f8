"""Check the list of legal actions against an independent version of the rules."""

from __future__ import annotations

from checks import FINE, MASK
from walking import bar, flood

from mcts.kernel.compile import jit
from sim.board import N_CORRIDOR
from sim.state import (
    ACCUSE,
    ASK,
    END,
    MOVE,
    N_ACTIONS,
    OVER,
    PASS,
    PASSAGE,
    REVEAL,
    SHOW,
    SUGGEST,
    TURN,
    WALK,
)


@jit
def allows(world, s, action: int, g) -> bool:
    """Return whether the rules allow ``action``; `bar` and `flood` have filled ``g.away``."""
    here = g.room[s.spot[s.seat]]
    if action < PASSAGE:
        shut = here if here >= 0 or world.returns else s.last_room[s.seat] - 1
        left = s.named[s.seat, action - MOVE] != (1 << 36) - 1
        return s.phase == TURN and left and (action - MOVE != shut or world.reenter == 1)
    if action == PASSAGE:
        return s.phase == TURN and here >= 0 and world.passage[here] >= 0
    if action < ACCUSE:
        if s.phase == SUGGEST and s.named[s.seat, here] >> (action - ASK) & 1:
            return False
        return s.phase == SUGGEST or (s.phase == TURN and here >= 0 and s.summoned[s.seat] == 1)
    if action < REVEAL:
        when = (s.phase == TURN and world.accuse != 3) or s.phase == END
        return when or (s.phase == SUGGEST and world.accuse == 2)
    if action < PASS:
        return s.phase == SHOW and s.hand[s.answerer] & s.cards & 1 << action - REVEAL != 0
    if action == PASS:
        return s.phase == END or (s.phase == TURN and world.free == 1)
    reached = 0 < g.away[action - WALK] <= s.roll
    return s.phase == TURN and world.free == 1 and reached


@jit
def mask(world, s, g, n: int) -> int:
    """Check that ``g.options[:n]`` are the legal actions, in order, each once."""
    if s.phase == TURN and world.free:
        bar(world, s, g)
        start = s.spot[s.seat]
        inside = g.room[start] >= 0 and world.any_door
        g.barred[N_CORRIDOR:] = 1  # not through rooms
        flood(g, -1 if inside else start, g.room[start], g.away)
    listed = 0
    for action in range(N_ACTIONS):
        if s.phase != OVER and allows(world, s, action, g):
            if listed == n or g.options[listed] != action:
                return MASK
            listed += 1
    return FINE if listed == n else MASK
