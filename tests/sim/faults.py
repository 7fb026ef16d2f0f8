"""Faults to plant in a checked game: the named property must detect each of them."""

from __future__ import annotations

import numpy as np

from belief.evidence import N_CARDS, lowest
from mcts.kernel.compile import jit
from sim.board import N_CORRIDOR
from sim.state import ACCUSE, EVIDENCE, FACTORED, PASSAGE, REVEAL, SHOW, TURN, WALK

FAULTS = {
    "two players exchange cards": "cards",
    "a card is in two hands": "cards",
    "a pawn stands on another": "pawns",
    "a pawn goes a step further": "moved",
    "another pawn moves": "moved",
    "a seat is passed over": "turns",
    "a wrong accuser has a turn": "turns",
    "the turn is not counted": "turns",
    "a seat further on answers": "asked",
    "everybody sees the card": "asked",
    "a wrong accuser is not out": "accused",
    "an accusation is forgotten": "accused",
    "one did not hear it": "evidence",
    "somebody is summoned": "summoned",
    "an action is missing": "mask",
    "an action is listed twice": "mask",
    "two actions are out of order": "mask",
    "an action too many": "mask",
    "the choice is not legal": "choice",
    "a wrong accusation": "proof",
    "a card that is there is excluded": "evidence",
    "a clause that is not true": "evidence",
    "the closure is not up to date": "closure",
    "a row counts twice": "belief",
    "the copy is shared": "copies",
    "the game stands still": "end",
}
"""What is planted, and the property that finds it; the number of a fault is its place, from 1."""

(
    SWAP,
    TWICE_HELD,
    SQUARE,
    FURTHER,
    OTHER,
    PASSED_OVER,
    BACK,
    UNCOUNTED,
    ANSWERER,
    SEEN,
    NOT_OUT,
    FORGOTTEN,
    UNHEARD,
    CALLED,
    MISSING,
    TWICE,
    DISORDER,
    EXTRA,
    ILLEGAL,
    WRONG,
    EXCLUDED,
    CLAUSE,
    STALE,
    ROW,
    SHARED,
    STUCK,
) = range(1, len(FAULTS) + 1)


@jit
def spoil_list(s, options: np.ndarray, n: int, fault: int) -> int:
    """Plant a fault in the list of legal actions; return its length."""
    if fault == MISSING:
        return n - 1
    if fault == TWICE:
        options[n] = options[n - 1]
        return n + 1
    if fault == EXTRA:
        options[n] = options[n - 1] + 1
        return n + 1
    if fault == DISORDER and n > 1:
        options[0], options[1] = options[1], options[0]
    return n


@jit
def spoil(world, before, s, action: int, fault: int) -> None:
    """Plant a fault in what ``action`` made of ``before``, if this is the place for it."""
    seat = before.seat
    other = (seat + 1) % world.players
    if fault == SWAP:
        one, two = 1 << lowest(s.hand[0]), 1 << lowest(s.hand[1])
        s.hand[0] ^= one | two
        s.hand[1] ^= one | two
    elif fault == TWICE_HELD:
        s.hand[0] |= s.hand[1] & -s.hand[1]
    elif fault == SQUARE:
        if s.spot[seat] < N_CORRIDOR:
            s.spot[other] = s.spot[seat]
    elif fault == FURTHER:
        _further(world, s, seat, action)
    elif fault == OTHER:
        s.spot[other] = world.first_door[4] if s.spot[other] < N_CORRIDOR else world.start[other]
    elif fault == ANSWERER:
        if s.phase == SHOW:
            s.answerer = (s.answerer + 1) % world.players
    elif fault == SEEN:
        s.known[other] |= s.envelope
    elif fault == NOT_OUT:
        if ACCUSE <= action < REVEAL:
            s.out[seat] = 0
    elif fault == FORGOTTEN:
        s.heard[seat] = 0
    elif fault == UNHEARD:
        s.evidence[other].excluded = 0
    elif fault == CALLED:
        s.summoned[other] = 1 - s.summoned[other]
    elif s.phase == TURN:
        _pass_wrongly(world, s, fault)
    if s.events:
        _mislead(world, s, other, fault)


@jit
def _further(world, s, seat: int, action: int) -> None:
    """Have a pawn that walked go on to a square beside, if that is free."""
    landed = s.spot[seat]
    if landed < N_CORRIDOR and (action < PASSAGE or action >= WALK):
        for i in range(4):
            near = world.neighbours[landed, i]
            free = 0 <= near < N_CORRIDOR
            for other in range(world.players):
                free &= s.spot[other] != near
            if free:
                s.spot[seat] = near
                return


@jit
def _pass_wrongly(world, s, fault: int) -> None:
    """Give the turn to the wrong seat, or do not count it."""
    if fault == PASSED_OVER:
        s.seat = (s.seat + 1) % world.players
    elif fault == UNCOUNTED:
        s.turn -= 1
    elif fault == BACK:
        for seat in range(world.players):
            if s.out[seat]:
                s.seat = seat


@jit
def _mislead(world, s, seat: int, fault: int) -> None:
    """Plant a fault in what ``seat`` learnt from a suggestion."""
    other = (seat + 1) % world.players
    facts = s.evidence[seat]
    if fault == EXCLUDED and s.tracks[seat] & EVIDENCE:
        facts.lacks[other] |= s.hand[other] & -s.hand[other]
    elif fault == CLAUSE and s.tracks[seat] & EVIDENCE:
        facts.clause[facts.clauses] = other << N_CARDS | s.hand[seat]
        facts.clauses += 1
    elif fault == STALE:
        for player in range(world.players):
            s.settled[player] = 1
    elif fault == ROW and s.tracks[seat] & FACTORED:
        for holder in range(world.players + 1):
            s.belief[seat][lowest(s.envelope), holder] *= 2.0
