"""Actions that a node offers, and their order.

At 1,000 simulations plain UCT chooses among the 36 suggestions of a room almost at random.  So a
node can offer only the best candidates: suggestions by *net* bits, rooms by the net bits of their
best suggestion per expected turn.  Progressive widening follows this order.

Net bits are the own information by the closed form of `belief.information`, less ``hiding`` times
the expected gain of the active opponents (`belief.leakage`), less ``summoning`` if the suggestion
moves the pawn of one, with a minimum share of the own bits (`sim.policies.hide`).  The list depends
only on the observations of the searching seat.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belief.evidence import lowest
from belief.information import closed_form
from belief.leakage import BOUND, COLUMNS, LANES, UNSURE, leakage, tabulate, weapon_columns
from mcts.kernel.compile import jit, jit_owning, jit_shared
from mcts.kernel.stack import floats
from sim.board import N_ROOMS
from sim.cards import ALL_CARDS, CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON, N_CARDS
from sim.movement import barred_room
from sim.planning.node_belief import likeliest
from sim.policies.common import ALL_PAIRS, PAIRS, may_accuse, turns_to
from sim.policies.hide import net_bits, still_playing, summons
from sim.policies.swift import SLACK
from sim.state import ACCUSE, ASK, END, MOVE, PASS, PASSAGE, SUGGEST, TURN, State, World

_SHORTLIST = 3
_CERTAIN = 1.0 - 1e-9
_REPEATED = -1.0
_WAYS = N_ROOMS + 1


class Ranking(NamedTuple):
    """Criteria that rank suggestions and rooms, and the number listed of each.

    Attributes
    ----------
    marginals : (21, 7) belief of the seat to move
    table, columns : gains of the opponents, by `belief.leakage`, and those of weapons as vectors;
        read only if priced
    hiding : price, in own bits, of a bit that the opponents gain
    summoning : price, in bits, of moving the pawn of an active opponent
    max_candidates : number of listed actions of each kind
    """

    marginals: np.ndarray
    table: np.ndarray
    columns: np.ndarray
    hiding: float
    summoning: float
    max_candidates: int


@jit
def insert(
    out: np.ndarray, score: np.ndarray, n: int, first: int, action: int, value: float
) -> int:
    """Insert ``action`` into ``out[first:n]``, sorted by falling ``score``; ties are stable."""
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
    """Return p (1 - p) for ``card`` in the envelope; it ranks like the binary entropy."""
    p = marginals[card, 0]
    return p * (1.0 - p)


@jit
def shortlist(marginals: np.ndarray, first: int, out: np.ndarray) -> None:
    """Write the `_SHORTLIST` least certain of the six cards from ``first`` into ``out``."""
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
def by_information(marginals: np.ndarray, max_candidates: int) -> Ranking:
    """Return a ranking of ``max_candidates`` by own information, without prices."""
    return Ranking(marginals, marginals, marginals, 0.0, 0.0, max_candidates)


@jit
def price(
    world: World, s: State, by: Ranking, seat: int, suspect: int, room: int, costs: np.ndarray
) -> None:
    """Fill ``costs`` (1, `LANES`) with the price of naming ``suspect`` in ``room``, by weapon."""
    if by.hiding > 0.0:
        leakage(by.table, by.columns, world.players, suspect, FIRST_ROOM + room, costs)
    summoned = by.summoning > 0.0 and summons(world, s, seat, suspect, room)
    for lane in range(LANES):
        cost = by.summoning if summoned else 0.0
        costs[0, lane] = cost + by.hiding * costs[0, lane] if by.hiding > 0.0 else cost


@jit
def most_net(world: World, s: State, by: Ranking, seat: int, room: int) -> float:
    """Return the net bits of the best pair in ``room``; skip pairs by the bound of entropies."""
    most, third, costs = 0.0, by.table[FIRST_ROOM + room], floats(1, LANES)
    for suspect in range(FIRST_WEAPON):
        first, priced = by.table[suspect], False
        for lane in range(6):
            weapon = FIRST_WEAPON + lane
            second = by.table[weapon]
            unsure = first[UNSURE] + second[UNSURE] + third[UNSURE] + SLACK
            bound = by.hiding * (first[BOUND] + second[BOUND] + third[BOUND])
            if net_bits(unsure, bound) <= most:
                continue
            if not priced:
                price(world, s, by, seat, suspect, room, costs)
                priced = True
            if net_bits(unsure, costs[0, lane]) <= most:
                continue
            bits = closed_form(by.marginals, seat, suspect, weapon, FIRST_ROOM + room)
            most = max(most, net_bits(bits, costs[0, lane]))
    return most


@jit
def choose_best(worth: np.ndarray, n: int, by: Ranking) -> int:
    """Return the mask of the best ``by.max_candidates`` of ``n`` by ``worth``, first of ties."""
    chosen = 0
    for _ in range(min(by.max_candidates, n)):
        best = -1
        for i in range(n):
            if not chosen >> i & 1 and (best < 0 or worth[i] > worth[best]):
                best = i
        chosen |= 1 << best
    return chosen


@jit_owning
def list_suggestions(
    world: World,
    s: State,
    by: Ranking,
    seat: int,
    room: int,
    out: np.ndarray,
    score: np.ndarray,
    first: int,
) -> int:
    """Write the best suggestions in ``room`` by falling net bits; return the end."""
    worth, costs = np.empty(PAIRS), np.empty((1, LANES))
    for pair in range(PAIRS):
        suspect, lane = pair // 6, pair % 6
        if lane == 0:
            price(world, s, by, seat, suspect, room, costs)
        bits = closed_form(by.marginals, seat, suspect, FIRST_WEAPON + lane, FIRST_ROOM + room)
        worth[pair] = net_bits(bits, costs[0, lane])
        if s.named[seat, room] >> pair & 1:
            worth[pair] = _REPEATED
    chosen = choose_best(worth, PAIRS, by)
    n = first
    for pair in range(PAIRS):
        if chosen >> pair & 1 and worth[pair] > _REPEATED:
            n = insert(out, score, n, first, ASK + pair, worth[pair])
    return n


@jit_owning
def list_ways(
    world: World, s: State, by: Ranking, seat: int, out: np.ndarray, score: np.ndarray, first: int
) -> int:
    """Write the best moves and the passage by falling net bits per expected turn."""
    cards = np.empty(2 * _SHORTLIST, np.int64)
    shortlist(by.marginals, 0, cards[:_SHORTLIST])
    shortlist(by.marginals, FIRST_WEAPON, cards[_SHORTLIST:])
    here = world.room_of[s.spot[seat]]
    passage = -1 if here < 0 else world.passage[here]
    barred = barred_room(world, s, seat)
    ways, worth = np.empty(_WAYS, np.int64), np.empty(_WAYS)
    found = 0
    for room in range(N_ROOMS):
        if room == barred or s.named[seat, room] == ALL_PAIRS:
            continue
        if by.hiding > 0.0 or by.summoning > 0.0:
            best = most_net(world, s, by, seat, room)
        else:
            best = room_information(by.marginals, seat, room, cards)
        if room == passage:
            ways[found], worth[found] = PASSAGE, best + 1e-9
            found += 1
        turns = turns_to(world, s, seat, room)
        ways[found], worth[found] = MOVE + room, best / turns
        found += 1
    chosen = choose_best(worth, found, by)
    n = first
    for i in range(found):
        if chosen >> i & 1:
            n = insert(out, score, n, first, ways[i], worth[i])
    return n


@jit_owning
def ranking(p, s: State, marginals: np.ndarray) -> Ranking:
    """Return the ranking of the searching seat for its ``marginals``; tabulate gains if priced."""
    table, columns = np.empty((N_CARDS, COLUMNS)), np.empty((COLUMNS, LANES))
    if p.hiding > 0.0 or p.summoning > 0.0:
        world, seat = p.world[0], p.seat
        playing, shown = still_playing(world, s, seat), s.has_shown[seat]
        tabulate(marginals, s.public, seat, world.players, playing, shown, ALL_CARDS, table)
        weapon_columns(table, columns)
    return Ranking(marginals, table, columns, p.hiding, p.summoning, p.candidates)


@jit_shared
def offer(p, s: State, work: tuple, out: np.ndarray, edge_data: np.ndarray) -> int:
    """List the actions of the searching seat in ``s`` under the belief in ``work``.

    `sim.planning.node_belief.believe` must have filled ``work``.  ``edge_data`` receives the
    propagated probability of an accusation, rho(b) [Ledford 2018, eq. 2.11], and 0 for other
    actions.
    """
    if p.candidates:
        return by_worth(p, s, work, out, edge_data)
    return in_order(p, s, work, out, edge_data)


@jit_owning
def by_worth(p, s: State, work: tuple, out: np.ndarray, edge_data: np.ndarray) -> int:
    """Write at most ``p.candidates`` of each kind, then insert the accusations.

    Arguments as for `offer`.  An accusation comes first if its probability exceeds 1/2, else
    second; a certain one is the only action.
    """
    world, seat, by = p.world[0], p.seat, ranking(p, s, work.marginals)
    score = np.empty(len(out), np.float64)
    here = world.room_of[s.spot[seat]]
    n = 0
    if s.phase == SUGGEST or (s.phase == TURN and s.summoned[seat]):
        n = list_suggestions(world, s, by, seat, here, out, score, 0)
    elif s.phase == END:
        out[0] = PASS
        n = 1
    if s.phase == TURN:
        asked = n
        n = list_ways(world, s, by, seat, out, score, asked)
        # One list by value: a suggestion here takes one turn, like a room within reach.
        for i in range(asked, n):
            insert(out, score, i, 0, out[i], score[i])
    for i in range(n):
        edge_data[i] = 0.0
    if may_accuse(world, s):
        n = weave_accusations(p, s, work, out, edge_data, n)
        if n and edge_data[0] > _CERTAIN:
            return 1
    return n


@jit_owning
def weave_accusations(
    p, s: State, work: tuple, out: np.ndarray, edge_data: np.ndarray, n: int
) -> int:
    """Insert the likeliest envelopes above ``p.least_accused``; return the length of the list.

    With all cards open (PIMC), they include the true envelope.
    """
    cards = np.empty((p.accusations + 1, 3), np.int64)
    chance = np.empty(p.accusations + 1, np.float64)
    found = likeliest(p, s, work, p.accusations, p.least_accused, cards, chance)
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
    """Put ``envelope`` (mask) first among the ``found`` trios, with probability 1."""
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
    """Write all rooms, passages and suggestions, ascending, then insert the likely accusations.

    Single squares of free movement are not offered.
    """
    n = every(p.world[0], s, p.seat, out)
    for i in range(n):
        edge_data[i] = 0.0
    if may_accuse(p.world[0], s):
        n = weave_accusations(p, s, work, out, edge_data, n)
    return n


@jit
def every(world: World, s: State, seat: int, out: np.ndarray) -> int:
    """Write all rooms, passages and suggestions of ``seat``, ascending; return their number."""
    here = world.room_of[s.spot[seat]]
    n = 0
    if s.phase == END:
        out[0] = PASS
        n = 1
    if s.phase == TURN:
        barred = barred_room(world, s, seat)
        for room in range(N_ROOMS):
            if room != barred and s.named[seat, room] != ALL_PAIRS:
                out[n] = MOVE + room
                n += 1
        if here >= 0 and world.passage[here] >= 0:
            out[n] = PASSAGE
            n += 1
    if s.phase == SUGGEST or (s.phase == TURN and s.summoned[seat]):
        for pair in range(PAIRS):
            if not s.named[seat, here] >> pair & 1:
                out[n] = ASK + pair
                n += 1
    return n
