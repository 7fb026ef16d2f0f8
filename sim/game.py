"""The state machine: one implementation of the rules for arena, referee, roll-outs and search.

`apply` performs one action; `advance` runs until a non-compiled seat must decide.  A turn:

    TURN -- accuse ---------------------------------> next turn (or OVER)
         -- move, no room reached ------------------> END
         -- move into a room, or passage -> SUGGEST
         -- suggest, when summoned     \\      |
                                        `-----`-> SHOW (asked in seat order) -> END
    END  -- accuse, or pass ------------------------> next turn (or OVER)

A player may suggest after entering a room or being summoned; a wrong accuser keeps showing cards.
A named pawn already in the room is not moved, so its player is not summoned.  If accusations are
allowed only at the start of a turn [Ledford 2018, s. 1.4, 1.5, 3.1], there is no END.  Without a
board a pawn is in a room only while its suggestion is answered.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import lowest
from mcts.kernel.compile import jit, jit_shared
from mcts.kernel.rng import below
from sim.board import N_ROOMS
from sim.cards import FIRST_ROOM, FIRST_WEAPON
from sim.chance import DECIDE, DETOUR, deal, open_stream, roll
from sim.deadlock import skip_turns
from sim.knowledge import begin, learn, open_public, witness
from sim.movement import barred_room, survey, walk_out
from sim.policies.registry import SLOW, choose, number
from sim.state import (
    ACCUSE,
    ACCUSED,
    ASK,
    ASKED,
    END,
    EVENTS,
    EXTERNAL,
    MAX_PLAYERS,
    MOVE,
    OVER,
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

_DETOURS = 10
_RANDOM = number("random")


@jit
def new_game(world: World, s: State, key: np.uint64) -> None:
    """Deal and set up the game with ``key``; the seats keep their policies."""
    s.key = key
    s.turn = 0
    s.seat = world.players - 1
    s.winner = -1
    s.still = 0
    s.cards = 0
    s.answerer = -1
    s.asked = 0
    s.events = 0
    for seat in range(MAX_PLAYERS):
        s.spot[seat] = world.start[seat]
        s.summoned[seat] = 0
        s.last_room[seat] = 0
        s.out[seat] = 0
        s.suggestions[seat] = 0
        for what in range(3):
            s.walked[seat, what] = 0
        for asker in range(MAX_PLAYERS):
            s.has_shown[seat, asker] = 0
        for room in range(N_ROOMS):
            s.named[seat, room] = 0
    deal(world, s)
    for seat in range(world.players):
        begin(world, s, seat)
    open_public(world, s)
    next_turn(world, s)


@jit
def next_turn(world: World, s: State) -> None:
    """Pass the turn to the next active seat and roll; end the game at the turn cap."""
    if s.turn > 0:
        s.walked[s.seat, 0] = s.turn
        s.walked[s.seat, 1] = s.roll
        s.walked[s.seat, 2] = s.spot[s.seat]
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
def _end_turn(world: World, s: State) -> None:
    if world.accuse:
        s.phase = END
    else:
        next_turn(world, s)


@jit_shared
def apply(world: World, s: State, action: int) -> None:
    """Apply ``action``, which must be legal for the seat to move (see `sim.legal`)."""
    seat = s.seat
    if action >= WALK:
        s.summoned[seat] = 0
        s.still = 0
        s.spot[seat] = action - WALK
        _end_turn(world, s)
    elif action == PASS:
        s.summoned[seat] = 0
        if s.phase == END:
            next_turn(world, s)
        else:
            _end_turn(world, s)
    elif action >= REVEAL:
        _conclude(world, s, action - REVEAL)
    elif action >= ACCUSE:
        _accuse(world, s, action - ACCUSE)
    elif action >= ASK:
        _suggest(world, s, action - ASK)
    elif action == PASSAGE:
        _take_passage(world, s)
    elif world.board:
        _move(world, s, action - MOVE)
    else:
        s.spot[seat] = world.first_door[action - MOVE]
        s.goal[seat] = -1
        s.phase = SUGGEST


@jit
def _to_another(world: World, s: State) -> int:
    """Return the spot after a walk to a random room, -1 if ten random rooms have no path."""
    barred = barred_room(world, s, s.seat)
    for _ in range(_DETOURS):
        goal = below(s.stream, N_ROOMS)
        if goal != barred:
            reached = walk_out(world, s, goal)
            if reached >= 0:
                s.goal[s.seat] = goal
                return reached
    return -1


@jit
def _decide_again(world: World, s: State) -> int:
    """Return the policy's next choice after a goal without a path, -1 after ten; `ASK`+: stay."""
    for _ in range(_DETOURS):
        s.goal[s.seat] = -1
        action = choose(world, s, s.seat)
        if action >= ACCUSE:
            break
        if action >= PASSAGE:
            return action
        if walk_out(world, s, action - MOVE) >= 0:
            s.goal[s.seat] = action - MOVE
            return action
    s.goal[s.seat] = -1
    return -1


@jit
def _enter(world: World, s: State, seat: int, spot: int) -> None:
    s.spot[seat] = spot
    s.still = 0
    if not world.returns:
        s.last_room[seat] = world.room_of[spot] + 1


@jit
def _take_passage(world: World, s: State) -> None:
    there = world.passage[world.room_of[s.spot[s.seat]]]
    _enter(world, s, s.seat, world.first_door[there])
    s.summoned[s.seat] = 0
    s.phase = SUGGEST


@jit
def _move(world: World, s: State, goal: int) -> None:
    """Walk towards ``goal``; without a path try ten alternatives, then stay [s. 3.1]."""
    seat = s.seat
    survey(world, s)
    reached = walk_out(world, s, goal)
    if reached < 0:
        open_stream(s, DETOUR, s.turn)
        if world.again and 0 <= s.policy[seat] < SLOW:
            action = _decide_again(world, s)
            if action == PASSAGE:
                _take_passage(world, s)
                return
            if action >= ASK:
                reached = s.spot[seat]
            elif action >= MOVE:
                reached = walk_out(world, s, action - MOVE)
        else:
            reached = _to_another(world, s)
    s.summoned[seat] = 0
    if reached < 0:
        s.still += 1
        skip_turns(world, s)
        _end_turn(world, s)
        return
    if world.room_of[reached] >= 0:
        _enter(world, s, seat, reached)
        s.phase = SUGGEST
    else:
        s.spot[seat] = reached
        s.still = 0
        _end_turn(world, s)


@jit
def calls(world: World, s: State, seat: int) -> bool:
    """Return whether suggestions of ``seat`` move the named pawns."""
    return world.summons == 1 and (not world.random_calls or s.policy[seat] == _RANDOM)


@jit
def _suggest(world: World, s: State, pair: int) -> None:
    """Suggest suspect ``pair // 6`` with weapon ``pair % 6`` here; find the answerer."""
    seat = s.seat
    room = world.room_of[s.spot[seat]]
    suspect = pair // 6
    s.cards = (1 << suspect) | (1 << (FIRST_WEAPON + pair % 6)) | (1 << (FIRST_ROOM + room))
    s.asked += 1
    s.still = 0
    s.suggestions[seat] += 1
    if not world.repeats:
        s.named[seat, room] |= 1 << pair
    s.summoned[seat] = 0
    called = world.seat_of[suspect]
    if not world.board:
        s.spot[seat] = world.start[seat]
    elif called >= 0 and calls(world, s, seat) and world.room_of[s.spot[called]] != room:
        _enter(world, s, called, world.first_door[room])
        s.summoned[called] = 1
    answerer = seat
    for _ in range(world.players - 1):
        answerer = answerer + 1 if answerer + 1 < world.players else 0
        matching = s.hand[answerer] & s.cards
        if matching:
            s.answerer = answerer
            s.phase = SHOW
            if not matching & (matching - 1) and s.showing[answerer] != ASKED:
                _conclude(world, s, lowest(matching))
            return
    s.answerer = -1
    _conclude(world, s, -1)


@jit
def _conclude(world: World, s: State, card: int) -> None:
    """Update all seats with the answer (``card``: -1 if no player could show one)."""
    _tell(world, s, s.cards, s.answerer, card)
    if card >= 0:
        s.has_shown[s.answerer, s.seat] |= 1 << card
    _end_turn(world, s)


@jit
def _tell(world: World, s: State, cards: int, answerer: int, card: int) -> None:
    if s.recording:
        event = s.event[s.events]
        event[0] = s.seat
        event[1] = cards
        event[2] = answerer
        event[3] = card
        s.events += 1
    witness(world, s, s.seat, cards, answerer)
    for seat in range(world.players):
        learn(world, s, seat, s.seat, cards, answerer, card)


@jit
def _accuse(world: World, s: State, trio: int) -> None:
    """Accuse: win and end the game, or take no more turns."""
    suspect, weapon, room = trio // 54, trio // 9 % 6, trio % 9
    accused = (1 << suspect) | (1 << (FIRST_WEAPON + weapon)) | (1 << (FIRST_ROOM + room))
    if not world.board:
        s.spot[s.seat] = world.start[s.seat]
    if accused == s.envelope:
        s.winner = s.seat
        s.phase = OVER
    else:
        s.out[s.seat] = 1
        s.still = 0
        if world.heard:
            _tell(world, s, accused, ACCUSED, -1)
        next_turn(world, s)
        if world.last_wins:
            _end_if_alone(world, s)


@jit
def _end_if_alone(world: World, s: State) -> None:
    """If only one player is left, end the game with that player as winner."""
    playing, last = 0, -1
    for seat in range(world.players):
        if not s.out[seat]:
            playing, last = playing + 1, seat
    if playing == 1:
        s.winner = last
        s.phase = OVER


@jit
def decider(s: State) -> int:
    """Return the seat that must decide now."""
    return s.answerer if s.phase == SHOW else s.seat


@jit
def stops(s: State) -> bool:
    """Return whether the current decision belongs to no policy of the machine."""
    if s.phase == SHOW:
        return s.showing[s.answerer] <= EXTERNAL
    policy = s.policy[s.seat]
    return policy == EXTERNAL or policy >= SLOW


@jit
def open_decision(s: State) -> None:
    """Set ``s.stream`` to the random numbers of the current decision."""
    open_stream(s, DECIDE, 4 * s.turn + s.phase)


@jit_shared
def advance(world: World, s: State) -> None:
    """Run until a non-compiled seat must decide, the game is over, or `s.event` is full."""
    while s.phase != OVER and s.events < EVENTS and not stops(s):
        open_decision(s)
        apply(world, s, choose(world, s, decider(s)))
