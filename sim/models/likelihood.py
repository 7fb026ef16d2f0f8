"""Likelihood of opponents' decisions under each type, estimated from posterior deals.

For deals from the observer's posterior, the opponents' knowledge is replayed, and each type decides
with its hand in the deal: accuse or not, where its move ends, and which pair it names in the
reached room.  The likelihood is the share of deals in which it makes the observed decision.
Randomised policies decide `DRAWS` times per deal; one that walks for several turns to a drawn room
gets one of the rooms consistent with its walk so far.  Apart from the given deals, all inputs are
observations of the observer.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.rng import draw
from sim.board import N_ROOMS
from sim.cards import FIRST_WEAPON
from sim.chance import deal_out
from sim.game import apply
from sim.knowledge import begin, inform_others, open_public, witness
from sim.models.types import take_seat
from sim.policies.common import any_card
from sim.policies.registry import choose
from sim.state import (
    ACCUSE,
    ACCUSED,
    ASK,
    END,
    EVIDENCE,
    FACTORED,
    MAX_PLAYERS,
    MOVE,
    PASSAGE,
    PUBLIC,
    REVEAL,
    SUGGEST,
    TURN,
    WALK,
    State,
    World,
)

DRAWS = 6
"""Decisions of a randomised policy per deal."""

ACCUSES, WALKS, NAMES, ENDS = range(4)
"""Kinds of decision: accuse at the start of a turn, walk, pair, accuse at the end of a turn."""

KINDS = 4

HITS, TRIES = 0, 1
"""Counts by turn, kind of decision and type: matching decisions, evaluations."""

OBSERVED = np.dtype(
    [
        ("turn", np.int64),
        ("seat", np.int64),  # seat of the turn
        ("roll", np.int64),
        ("spot", np.int64, (MAX_PLAYERS,)),  # spots of the pawns before it
        ("summoned", np.int64, (MAX_PLAYERS,)),  # at its start
        ("out", np.int64, (MAX_PLAYERS,)),
        ("ended", np.int64),  # spot of its pawn after it
        ("accused", np.int64),  # 1: it accused, wrongly
        ("cards", np.int64),  # mask of its suggestion, or 0
        ("heard", np.int64),  # number of events before it
        ("reached", np.int64, (N_ROOMS,)),  # end of a walk to each room
        ("goals", np.int64),  # mask of rooms consistent with its walk since its last room
    ],
    align=True,
)
"""A turn of an opponent, public information."""

_ALL = FACTORED | EVIDENCE | PUBLIC


@jit
def place(s: State, turn: np.record) -> None:
    """Set ``s`` to the start of ``turn``."""
    s.phase = TURN
    s.turn = turn.turn
    s.seat = turn.seat
    s.roll = turn.roll
    for seat in range(MAX_PLAYERS):
        s.spot[seat] = turn.spot[seat]
        s.summoned[seat] = turn.summoned[seat]
        s.out[seat] = turn.out[seat]


@jit
def trace(world: World, states: np.recarray, observed: np.recarray, goals: np.ndarray) -> None:
    """Fill ``reached`` and ``goals`` of the ``observed`` turns.

    ``goals`` (6,): masks of the possible goals of each seat, 0 for any, updated.  ``states`` (2,)
    is overwritten.
    """
    for i in range(len(observed)):
        turn = observed[i]
        turn.goals = goals[turn.seat]
        explained = 0
        here = world.room_of[turn.spot[turn.seat]]
        for room in range(N_ROOMS):
            turn.reached[room] = -1
            if room != here or world.reenter:
                place(states[0], turn)
                states[1] = states[0]
                apply(world, states[1], MOVE + room)
                turn.reached[room] = states[1].spot[turn.seat]
                if turn.reached[room] == turn.ended:
                    explained |= 1 << room
        if world.room_of[turn.ended] >= 0 or turn.accused:
            goals[turn.seat] = 0
        elif turn.goals & explained:
            goals[turn.seat] = turn.goals & explained
        else:
            goals[turn.seat] = explained


@jit
def hear(world: World, s: State, seat: int, event: np.record, stream: np.ndarray) -> None:
    """Update public knowledge, and all seats except ``seat``, with ``event`` as it saw it."""
    witness(world, s, event.asker, event.cards, event.answerer)
    inform_others(world, s, seat, event, stream)
    s.asked += event.answerer != ACCUSED


@jit
def _open(world: World, s: State, seat: int, deal: np.ndarray, one: np.record) -> None:
    """Set the deal, and initialise all seats except ``seat`` to learn like the type ``one``."""
    deal_out(s, seat, deal)
    s.asked = 0
    for other in range(world.players):
        for asker in range(MAX_PLAYERS):
            s.has_shown[other, asker] = 0
        if other == seat:
            s.tracks[other] = 0
            continue
        take_seat(s, other, one)
        s.tracks[other] = _ALL
        begin(world, s, other)
    open_public(world, s)


@jit
def ends_at(world: World, turn: np.record, action: int) -> int:
    """Return the pawn's spot after ``action`` at the start of ``turn``."""
    start = turn.spot[turn.seat]
    if action >= WALK:
        return action - WALK
    if action < PASSAGE:
        return turn.reached[action - MOVE]
    if action == PASSAGE:
        return world.first_door[world.passage[world.room_of[start]]]
    return start


@jit
def _fresh(s: State, seat: int, goals: int, stream: np.ndarray) -> None:
    s.stream[0] = draw(stream)
    s.goal[seat] = any_card(stream, goals) if goals else -1


@jit
def _settle(s: State, seat: int) -> None:
    s.marginals_of = 0
    s.settled[seat] = 0
    for card in range(s.bits.shape[1]):
        s.bits[seat, card] = -1.0


@jit
def _count(counts: np.ndarray, kind: int, share: float) -> None:
    counts[HITS, kind] += share
    counts[TRIES, kind] += 1.0


@jit
def _ask_turn(
    world: World, s: State, turn: np.record, stream: np.ndarray, counts: np.ndarray
) -> None:
    """Evaluate the seat's type at the start of ``turn``; count matches."""
    seat = turn.seat
    stays = turn.ended == turn.spot[seat]
    at_once = turn.accused == 1 and turn.cards == 0 and stays
    accuses = walks = 0.0
    asked = 0
    while asked < DRAWS:
        place(s, turn)
        _fresh(s, seat, turn.goals, stream)
        before = s.stream[0]
        action = choose(world, s, seat)
        asked += 1
        if ACCUSE <= action < REVEAL:
            accuses += 1.0
        elif ASK <= action < ACCUSE:
            walks += 1.0 if stays and turn.cards else 0.0
        elif ends_at(world, turn, action) == turn.ended:
            walks += 0.0 if stays and turn.cards else 1.0
        if s.stream[0] == before and turn.goals & (turn.goals - 1) == 0:
            break
    _count(counts, ACCUSES, accuses / asked if at_once else 1.0 - accuses / asked)
    if not at_once and accuses < asked:
        _count(counts, WALKS, walks / (asked - accuses))


@jit
def _ask_pair(
    world: World, s: State, turn: np.record, stream: np.ndarray, counts: np.ndarray
) -> None:
    """Evaluate the pair that the seat's type names in the reached room; count matches."""
    seat = turn.seat
    named = 0.0
    asked = 0
    while asked < DRAWS:
        place(s, turn)
        s.phase = SUGGEST
        s.spot[seat] = turn.ended
        s.summoned[seat] = 0
        _fresh(s, seat, 0, stream)
        before = s.stream[0]
        pair = choose(world, s, seat) - ASK
        asked += 1
        cards = 1 << pair // 6 | 1 << FIRST_WEAPON + pair % 6
        named += 1.0 if turn.cards & cards == cards else 0.0
        if s.stream[0] == before:
            break
    _count(counts, NAMES, named / asked)


@jit
def _ask_end(
    world: World, s: State, turn: np.record, stream: np.ndarray, counts: np.ndarray
) -> None:
    place(s, turn)
    s.phase = END
    s.spot[turn.seat] = turn.ended
    _fresh(s, turn.seat, 0, stream)
    action = choose(world, s, turn.seat)
    accuses = ACCUSE <= action < REVEAL
    _count(counts, ENDS, 1.0 if accuses == (turn.accused == 1) else 0.0)


@jit
def count_alike(
    world: World,
    states: np.recarray,
    seat: int,
    events: np.recarray,
    observed: np.recarray,
    deals: np.ndarray,
    types: np.recarray,
    stream: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Count in how many ``deals`` each of ``types`` makes the decisions of the observed turns.

    Parameters
    ----------
    states : (2,) scratch; the first has the observer's hand and the face-up cards
    seat : the observer
    events : its log
    observed : (n,) turns after `trace`, in order
    deals : int64 (k, 21)
    types : of `sim.models.types.SEATED`; types with equal learning must be adjacent
    stream : consumed
    counts : float64 (2, n, `KINDS`, types), added to: deals by `HITS` and `TRIES`
    """
    s = states[0]
    for d in range(len(deals)):
        first = 0
        while first < len(types):
            end = first + 1
            while end < len(types) and _learn_alike(types[first], types[end]):
                end += 1
            _open(world, s, seat, deals[d], types[first])
            heard = 0
            for i in range(len(observed)):
                turn = observed[i]
                while heard < turn.heard:
                    hear(world, s, seat, events[heard], stream)
                    heard += 1
                _ask_types(world, s, turn, types, first, end, stream, counts[:, i])
                if world.accuse and not (turn.accused == 1 and turn.cards == 0):
                    if turn.cards:
                        hear(world, s, seat, events[heard], stream)
                        heard += 1
                    for which in range(first, end):
                        take_seat(s, turn.seat, types[which])
                        _settle(s, turn.seat)
                        _ask_end(world, s, turn, stream, counts[:, i, :, which])
                    s.tracks[turn.seat] = _ALL
            first = end


@jit
def _learn_alike(one: np.record, other: np.record) -> bool:
    return one.inference == other.inference and one.own_card_weight == other.own_card_weight


@jit
def _ask_types(
    world: World,
    s: State,
    turn: np.record,
    types: np.recarray,
    first: int,
    end: int,
    stream: np.ndarray,
    counts: np.ndarray,
) -> None:
    for which in range(first, end):
        take_seat(s, turn.seat, types[which])
        _settle(s, turn.seat)
        _ask_turn(world, s, turn, stream, counts[:, :, which])
        if turn.cards:
            _ask_pair(world, s, turn, stream, counts[:, :, which])
    s.tracks[turn.seat] = _ALL
