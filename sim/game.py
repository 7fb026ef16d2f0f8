"""The state machine: one implementation of the rules, for arena, referee, roll-outs and search.

`apply` does one action; `advance` runs until a seat that is not compiled must decide.  A turn goes

    TURN -- accuse ----------------------------> next turn (or OVER)
         -- move, no room reached -------------> next turn
         -- move into a room, or passage -> SUGGEST
         -- suggest, when summoned     \\        |
                                        `-> SHOW (asked in seat order) -> next turn

[Ledford 2018, s. 1.4, 1.5, 3.1]: accusations at the start of a turn only, a suggestion after
entering and when summoned, a wrong accuser keeps showing cards.  A named pawn that stands in the
room already is not moved, so its player is not summoned.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import lowest
from mcts.kernel.compile import jit
from mcts.kernel.rng import below
from sim.board import N_CORRIDOR, N_ROOMS, walk
from sim.cards import FIRST_ROOM, FIRST_WEAPON
from sim.chance import DECIDE, DETOUR, deal, open_stream, roll
from sim.knowledge import begin, learn
from sim.policies.table import choose
from sim.state import (
    ACCUSE,
    ASK,
    EVENTS,
    EXTERNAL,
    MAX_PLAYERS,
    MOVE,
    OVER,
    PASSAGE,
    REVEAL,
    SHOW,
    SUGGEST,
    TURN,
)

_DETOURS = 10


@jit
def new_game(world: np.record, s: np.record, key: np.uint64) -> None:
    """Deal and set up the game named ``key``; ``policy``, ``showing``, ``tracks`` stay as set."""
    s.key = key
    s.turn = 0
    s.seat = world.players - 1
    s.winner = -1
    s.cards = 0
    s.answerer = -1
    s.asked = 0
    s.events = 0
    for seat in range(MAX_PLAYERS):
        s.spot[seat] = world.start[seat]
        s.summoned[seat] = 0
        s.out[seat] = 0
        s.suggestions[seat] = 0
    deal(world, s)
    for seat in range(world.players):
        begin(world, s, seat)
    next_turn(world, s)


@jit
def next_turn(world: np.record, s: np.record) -> None:
    """Pass the turn to the next seat that still plays and roll for it; end the game at the cap."""
    if s.turn >= world.turn_cap:
        s.phase = OVER
        return
    seat = s.seat
    for _ in range(world.players):
        seat = seat + 1 if seat + 1 < world.players else 0
        if not s.out[seat]:
            s.seat = seat
            s.turn += 1
            s.phase = TURN
            roll(world, s)
            return
    s.phase = OVER


@jit
def apply(world: np.record, s: np.record, action: int) -> None:
    """Do ``action``, which must be legal for the seat that decides (see `legal`)."""
    if action >= REVEAL:
        _conclude(world, s, action - REVEAL)
    elif action >= ACCUSE:
        _accuse(world, s, action - ACCUSE)
    elif action >= ASK:
        _suggest(world, s, action - ASK)
    elif action == PASSAGE:
        there = world.passage[world.room_of[s.spot[s.seat]]]
        s.spot[s.seat] = world.first_door[there]
        s.summoned[s.seat] = 0
        s.phase = SUGGEST
    else:
        _move(world, s, action - MOVE)


@jit
def _move(world: np.record, s: np.record, goal: int) -> None:
    """Walk towards ``goal``; without a path try another room, ten times, then stay [s. 3.1]."""
    seat = s.seat
    s.summoned[seat] = 0
    occupied = s.occupied
    occupied[:] = 0
    for other in range(world.players):
        spot = s.spot[other]
        if other != seat and spot < N_CORRIDOR:
            occupied[spot >> 5] |= np.uint32(1 << (spot & 31))
    here = world.room_of[s.spot[seat]]
    reached = walk(world, occupied, s.spot[seat], goal, s.roll)
    if reached < 0:
        open_stream(s, DETOUR, s.turn)
        for _ in range(_DETOURS):
            goal = below(s.stream, N_ROOMS)
            if goal != here:
                reached = walk(world, occupied, s.spot[seat], goal, s.roll)
                if reached >= 0:
                    s.goal[seat] = goal
                    break
        if reached < 0:
            next_turn(world, s)
            return
    s.spot[seat] = reached
    if world.room_of[reached] >= 0:
        s.phase = SUGGEST
    else:
        next_turn(world, s)


@jit
def _suggest(world: np.record, s: np.record, pair: int) -> None:
    """Suggest suspect ``pair // 6`` with weapon ``pair % 6`` here; find who must answer."""
    seat = s.seat
    room = world.room_of[s.spot[seat]]
    suspect = pair // 6
    s.cards = (1 << suspect) | (1 << (FIRST_WEAPON + pair % 6)) | (1 << (FIRST_ROOM + room))
    s.asked += 1
    s.suggestions[seat] += 1
    s.summoned[seat] = 0
    called = world.seat_of[suspect]
    if called >= 0 and world.room_of[s.spot[called]] != room:
        s.spot[called] = world.first_door[room]
        s.summoned[called] = 1
    answerer = seat
    for _ in range(world.players - 1):
        answerer = answerer + 1 if answerer + 1 < world.players else 0
        matching = s.hand[answerer] & s.cards
        if matching:
            s.answerer = answerer
            s.phase = SHOW
            if not matching & (matching - 1):
                _conclude(world, s, lowest(matching))
            return
    s.answerer = -1
    _conclude(world, s, -1)


@jit
def _conclude(world: np.record, s: np.record, card: int) -> None:
    """Let everybody learn from the answer (``card`` is -1 if nobody could show one)."""
    if s.recording:
        event = s.event[s.events]
        event[0] = s.seat
        event[1] = s.cards
        event[2] = s.answerer
        event[3] = card
        s.events += 1
    for seat in range(world.players):
        learn(world, s, seat, s.seat, s.cards, s.answerer, card)
    next_turn(world, s)


@jit
def _accuse(world: np.record, s: np.record, trio: int) -> None:
    """Accuse: win and end the game, or play no more turns."""
    suspect, weapon, room = trio // 54, trio // 9 % 6, trio % 9
    accused = (1 << suspect) | (1 << (FIRST_WEAPON + weapon)) | (1 << (FIRST_ROOM + room))
    if accused == s.envelope:
        s.winner = s.seat
        s.phase = OVER
    else:
        s.out[s.seat] = 1
        next_turn(world, s)


@jit
def decider(s: np.record) -> int:
    """Return the seat that must decide now."""
    return s.answerer if s.phase == SHOW else s.seat


@jit
def is_external(s: np.record) -> bool:
    """Tell whether the decision at hand is not for a compiled policy."""
    if s.phase == SHOW:
        return s.showing[s.answerer] == EXTERNAL
    return s.policy[s.seat] == EXTERNAL


@jit
def advance(world: np.record, s: np.record) -> None:
    """Run until a seat that is not compiled must decide, the game is over, or `s.event` is full."""
    while s.phase != OVER and not is_external(s) and s.events < EVENTS:
        seat = decider(s)
        open_stream(s, DECIDE, 4 * s.turn + s.phase)
        apply(world, s, choose(world, s, seat, s.policy[seat]))


@jit
def legal(world: np.record, s: np.record, out: np.ndarray) -> int:
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
        for pair in range(36):
            out[n] = ASK + pair
            n += 1
    elif s.phase == TURN:
        room = world.room_of[s.spot[s.seat]]
        for goal in range(N_ROOMS):
            if goal != room:
                out[n] = MOVE + goal
                n += 1
        if room >= 0 and world.passage[room] >= 0:
            out[n] = PASSAGE
            n += 1
        if room >= 0 and s.summoned[s.seat]:
            for pair in range(36):
                out[n] = ASK + pair
                n += 1
        for trio in range(324):
            out[n] = ACCUSE + trio
            n += 1
    return n
