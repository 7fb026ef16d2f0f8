"""Which actions a node offers, and in what order.

A room offers 36 suggestions, a turn up to nine rooms: with a thousand simulations that are won or
lost, plain UCT chooses among them almost at random.  So a node can offer a few candidates, the
ones that promise most information about the envelope first: suggestions by the closed form of
`belief.information`, rooms by the information of their best suggestion per expected turn of
walking.  The order is what progressive widening widens along.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import lowest
from belief.information import closed_form
from mcts.kernel.compile import jit, jit_owning
from sim.board import N_ROOMS
from sim.cards import CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON
from sim.planning.node_belief import likeliest
from sim.policies.common import turns_to
from sim.state import ACCUSE, ASK, END, MOVE, PASS, PASSAGE, SUGGEST, TURN, State, World

_SHORTLIST = 3
_CERTAIN = 1.0 - 1e-9


@jit
def insert(
    out: np.ndarray, score: np.ndarray, n: int, first: int, action: int, value: float
) -> int:
    """Insert ``action`` into ``out[first:n]``, kept by falling ``score``; ties keep their order."""
    at = n
    while at > first and score[at - 1] < value:
        out[at] = out[at - 1]
        score[at] = score[at - 1]
        at -= 1
    out[at] = action
    score[at] = value
    return n + 1


@jit
def uncertainty(marginals: np.ndarray, card: int) -> float:
    """Return p (1 - p) of ``card`` being in the envelope: ranks as its binary entropy does."""
    p = marginals[card, 0]
    return p * (1.0 - p)


@jit
def shortlist(marginals: np.ndarray, first: int, out: np.ndarray) -> None:
    """Write the `_SHORTLIST` most uncertain of the six cards from ``first`` on into ``out``."""
    taken = 0
    for i in range(_SHORTLIST):
        best, most = first, -1.0
        for card in range(first, first + 6):
            if not taken >> card & 1 and uncertainty(marginals, card) > most:
                best, most = card, uncertainty(marginals, card)
        taken |= 1 << best
        out[i] = best


@jit
def room_information(marginals: np.ndarray, seat: int, room: int, cards: np.ndarray) -> float:
    """Return the bits of the best suggestion in ``room`` among the shortlisted cards."""
    best = 0.0
    for i in range(_SHORTLIST):
        for j in range(_SHORTLIST):
            bits = closed_form(marginals, seat, cards[i], cards[_SHORTLIST + j], FIRST_ROOM + room)
            best = max(best, bits)
    return best


@jit
def list_suggestions(
    marginals: np.ndarray, seat: int, room: int, out: np.ndarray, score: np.ndarray, first: int
) -> int:
    """Write all 36 suggestions of ``room`` by falling information; return the end of the list."""
    n = first
    for pair in range(36):
        bits = closed_form(marginals, seat, pair // 6, FIRST_WEAPON + pair % 6, FIRST_ROOM + room)
        n = insert(out, score, n, first, ASK + pair, bits)
    return n


@jit_owning
def list_ways(
    world: World,
    s: State,
    marginals: np.ndarray,
    seat: int,
    out: np.ndarray,
    score: np.ndarray,
    first: int,
) -> int:
    """Write the moves and the passage by falling information per expected turn."""
    cards = np.empty(2 * _SHORTLIST, np.int64)
    shortlist(marginals, 0, cards[:_SHORTLIST])
    shortlist(marginals, FIRST_WEAPON, cards[_SHORTLIST:])
    here = world.room_of[s.spot[seat]]
    passage = -1 if here < 0 else world.passage[here]
    n = first
    for room in range(N_ROOMS):
        if room == here:
            continue
        bits = room_information(marginals, seat, room, cards)
        if room == passage:
            n = insert(out, score, n, first, PASSAGE, bits + 1e-9)
        n = insert(out, score, n, first, MOVE + room, bits / turns_to(world, s, seat, room))
    return n


@jit
def offer(p, s: State, work: tuple, out: np.ndarray, edge_data: np.ndarray) -> int:
    """List what the searching seat may do in ``s``, given what ``work`` says it believes.

    ``work`` is as `sim.planning.node_belief.believe` left it.  ``edge_data`` gets the propagated
    probability of an accusation, rho(b) [Ledford 2018, eq. 2.11], and 0 for other actions.
    """
    if p.candidates:
        return by_information(p, s, work, out, edge_data)
    return in_order(p, s, work, out, edge_data)


@jit_owning
def by_information(p, s: State, work: tuple, out: np.ndarray, edge_data: np.ndarray) -> int:
    """Write at most ``p.candidates`` of each kind, then weave in the accusations.

    ``work`` is as `believe` left it for the searching seat.  ``edge_data`` gets the probability of
    an accusation, else 0.  An accusation stands first when it is more likely right than wrong, else
    second; a certain one stands alone.
    """
    world, seat, most, marginals = p.world[0], p.seat, p.candidates, work.marginals
    score = np.empty(len(out), np.float64)
    here = world.room_of[s.spot[seat]]
    n = 0
    if s.phase == SUGGEST or (s.phase == TURN and s.summoned[seat]):
        n = min(list_suggestions(marginals, seat, here, out, score, 0), most)
    elif s.phase == END:
        out[0] = PASS
        n = 1
    if s.phase == TURN:
        asked = n
        n = min(list_ways(world, s, marginals, seat, out, score, asked), asked + most)
        # One list by value: what can be asked here takes one turn, as does a room within reach.
        for i in range(asked, n):
            insert(out, score, i, 0, out[i], score[i])
    for i in range(n):
        edge_data[i] = 0.0
    if s.phase != SUGGEST:
        n = weave_accusations(p, s, work, out, edge_data, n)
        if n and edge_data[0] > _CERTAIN:
            return 1
    return n


@jit_owning
def weave_accusations(
    p, s: State, work: tuple, out: np.ndarray, edge_data: np.ndarray, n: int
) -> int:
    """Insert the likeliest envelopes above ``p.least_accused``; return the length of the list.

    Where all cards lie open (PIMC), the envelope itself is among them.
    """
    cards = np.empty((p.accusations + 1, 3), np.int64)
    chance = np.empty(p.accusations + 1, np.float64)
    found = likeliest(p, work, p.accusations, p.least_accused, cards, chance)
    if p.clairvoyant and s.envelope:
        found = _put_first(s.envelope, cards, chance, found)
    for i in range(found):
        at = i if chance[i] > 0.5 else min(i + 1, n)
        for j in range(n, at, -1):
            out[j] = out[j - 1]
            edge_data[j] = edge_data[j - 1]
        suspect, weapon, room = cards[i]
        out[at] = ACCUSE + 9 * (6 * suspect + weapon - FIRST_WEAPON) + room - FIRST_ROOM
        edge_data[at] = chance[i]
        n += 1
    return n


@jit
def _put_first(envelope: int, cards: np.ndarray, chance: np.ndarray, found: int) -> int:
    """Make ``envelope`` (mask) the first of the ``found`` trios, and certain."""
    suspect = lowest(envelope)
    weapon = lowest(envelope & CATEGORY_MASK[1])
    room = lowest(envelope & CATEGORY_MASK[2])
    at = found
    for i in range(found):
        if cards[i, 0] == suspect and cards[i, 1] == weapon and cards[i, 2] == room:
            at = i
    for i in range(at, 0, -1):
        chance[i] = chance[i - 1]
        for kind in range(3):
            cards[i, kind] = cards[i - 1, kind]
    cards[0, 0], cards[0, 1], cards[0, 2] = suspect, weapon, room
    chance[0] = 1.0
    return max(found, at + 1)


@jit
def in_order(p, s: State, work: tuple, out: np.ndarray, edge_data: np.ndarray) -> int:
    """Write every room, passage and suggestion in order of number, then the likely accusations.

    Single squares, where movement is free, are not offered.
    """
    n = every(p.world[0], s, p.seat, out)
    for i in range(n):
        edge_data[i] = 0.0
    if s.phase != SUGGEST:
        n = weave_accusations(p, s, work, out, edge_data, n)
    return n


@jit
def every(world: World, s: State, seat: int, out: np.ndarray) -> int:
    """Write every room, passage and suggestion of ``seat`` in order of number; return how many."""
    here = world.room_of[s.spot[seat]]
    n = 0
    if s.phase == END:
        out[0] = PASS
        n = 1
    if s.phase == TURN:
        for room in range(N_ROOMS):
            if room != here:
                out[n] = MOVE + room
                n += 1
        if here >= 0 and world.passage[here] >= 0:
            out[n] = PASSAGE
            n += 1
    if s.phase == SUGGEST or (s.phase == TURN and s.summoned[seat]):
        for pair in range(36):
            out[n] = ASK + pair
            n += 1
    return n
