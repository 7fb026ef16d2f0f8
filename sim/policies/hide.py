"""Hide: the suggestion and room with the highest information, less the opponents' gain.

It has the knowledge of `sim.policies.swift`, and ranks all 36 pairs of a room by own bits, less
``hiding`` times the bits that active opponents are expected to gain under the public view
(`belief.leakage`), less ``summoning`` if the suggestion moves the pawn of one.  It names its own
cards to mislead.  The benefit depends on the opponents (`docs/players/hide.md`); with prices 0 it
is swift.  Its threshold may change with the number of players out; alone it waits for proof.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belief.evidence import count, lowest
from belief.information import closed_form
from belief.leakage import (
    BOUND,
    COLUMNS,
    LANES,
    TWIN,
    UNSURE,
    leakage,
    tabulate,
    weapon_columns,
)
from mcts.kernel.compile import jit
from mcts.kernel.stack import floats
from mcts.limits import between
from sim.board import N_ROOMS
from sim.cards import ALL_CARDS, CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON, N_CARDS
from sim.movement import barred_room
from sim.policies import swift
from sim.policies.closure import proved_envelope
from sim.policies.common import HIGHEST, SUGGESTS, last_chance, turns_to
from sim.state import ASK, EVIDENCE, FACTORED, MOVE, PASSAGE, PUBLIC, State, World

REQUIRES = FACTORED | EVIDENCE | PUBLIC


@dataclass(frozen=True)
class Switches(swift.Switches):
    """Switches of `hide`: those of `swift`, and three more.

    hiding : price, in own bits, of a bit that the opponents learn; 0 ignores them
    summoning : price, in bits, of moving the pawn of an active opponent
    by_out : increase of a threshold below 1 per opponent out
    """

    hiding: float = between(0, HIGHEST, default=1.0)
    summoning: float = between(0, HIGHEST, default=0.2)
    by_out: float = between(-1, 1, default=0.0)


LEAST = 0.1
"""Minimum net value as a share of the own bits; without it the policy could ask uninformative
suggestions forever."""

_PAIRS = 36

CALLED = 2
"""Row of the room cache, next to `swift.BITS` and `swift.PAIR`: suspects with a price."""


@jit
def still_playing(world: World, s: State, seat: int) -> int:
    """Return the mask of the active seats except ``seat``."""
    playing = 0
    for other in range(world.players):
        if other != seat and not s.out[other]:
            playing |= 1 << other
    return playing


@jit
def to_accuse(world: World, s: State, seat: int) -> int:
    """Return the mask of the envelope to accuse now, 0 for none."""
    swift.refresh(world, s, seat)
    last = last_chance(world, s)
    bar = least_chance(world, s, seat)
    if bar >= 1.0 and not last:
        return proved_envelope(s, seat)
    found, chance = swift.likeliest(s)
    return found if last or chance >= bar else 0


@jit
def least_chance(world: World, s: State, seat: int) -> float:
    """Return the minimum probability at which ``seat`` accuses now; 1 means proof.

    A threshold below 1 changes by ``by_out`` per opponent out.  Alone it waits for proof.
    """
    bar = s.threshold[seat]
    out = world.players - 1 - count(still_playing(world, s, seat))
    if bar >= 1.0 or out == world.players - 1:
        return 1.0
    return bar + s.by_out[seat] * out


@jit
def summons(world: World, s: State, seat: int, suspect: int, room: int) -> bool:
    """Return whether naming ``suspect`` in ``room`` moves the pawn of an active opponent."""
    called = world.seat_of[suspect]
    if not (world.board and world.summons) or world.random_calls:
        return False
    if called < 0 or called == seat or s.out[called]:
        return False
    return world.room_of[s.spot[called]] != room


@jit
def called_by(world: World, s: State, seat: int, room: int) -> int:
    """Return the mask of the suspects with a price in ``room``."""
    called = 0
    if s.summoning[seat] != 0.0:
        for suspect in range(FIRST_WEAPON):
            if summons(world, s, seat, suspect, room):
                called |= 1 << suspect
    return called


@jit
def best_pair(
    s: State,
    players: int,
    seat: int,
    room: int,
    called: int,
    table: np.ndarray,
    columns: np.ndarray,
    first: int,
    least: float,
) -> tuple[int, float]:
    """Return the pair of highest net bits in ``room``, as suspect * 6 + weapon, and the bits.

    Ties go to the first pair.  Suspects of the mask ``called`` have a price.  Pairs with at most
    ``least`` bits are skipped; if none is left, the bits are ``least``.  Cards with equal knowledge
    are tried once.  Bounds avoid many closed forms, more so if the pair ``first`` is good: a closed
    form cannot exceed the three entropies, and opponents gain at least the bounds of ``table``;
    ``columns`` holds its weapons in lanes.
    """
    hiding, best, most = s.hiding[seat], _PAIRS, least
    row, given = table[FIRST_ROOM + room], floats(1, LANES)
    bits, bound = _extremes(table, FIRST_WEAPON)
    bits, bound = bits + row[UNSURE] + swift.SLACK, bound + row[BOUND]
    for i in range(-1, FIRST_WEAPON):
        suspect = first // 6 if i < 0 else i
        price = s.summoning[seat] if called >> suspect & 1 else 0.0
        twin = np.int64(table[suspect, TWIN])
        if i == first // 6 or (twin != suspect and called >> suspect & 1 == called >> twin & 1):
            continue
        bits_now, bound_now = bits + table[suspect, UNSURE], bound + table[suspect, BOUND]
        if net_bits(bits_now, hiding * bound_now + price) <= most:
            continue
        leakage(table, columns, players, suspect, FIRST_ROOM + room, given)
        for lane in range(6):
            weapon = FIRST_WEAPON + (lane + first) % 6
            if table[weapon, TWIN] != weapon:
                continue
            unsure = table[suspect, UNSURE] + table[weapon, UNSURE] + row[UNSURE] + swift.SLACK
            cost = price + hiding * given[0, weapon - FIRST_WEAPON]
            if net_bits(unsure, cost) <= most:
                continue
            net = net_bits(closed_form(s.marginals, seat, suspect, weapon, FIRST_ROOM + room), cost)
            pair = 6 * suspect + weapon - FIRST_WEAPON
            if net > most or (net == most and pair < best < _PAIRS):
                best, most = pair, net
    return best if best < _PAIRS else 0, most


@jit
def net_bits(bits: float, cost: float) -> float:
    """Return ``bits`` less ``cost``, at least the share `LEAST` of ``bits``."""
    return max(bits - cost, LEAST * bits)


@jit
def _extremes(table: np.ndarray, start: int) -> tuple[float, float]:
    """Return the maximum `UNSURE` and the minimum `BOUND` of the six cards from ``start``."""
    most, least = table[start, UNSURE], table[start, BOUND]
    for card in range(start + 1, start + FIRST_WEAPON):
        most, least = max(most, table[card, UNSURE]), min(least, table[card, BOUND])
    return most, least


@jit
def _likely_best(table: np.ndarray, hiding: float) -> int:
    pair = 0
    for start in (0, FIRST_WEAPON):
        best, most = start, -1.0
        for card in range(start, start + FIRST_WEAPON):
            promised = table[card, UNSURE] - hiding * table[card, BOUND]
            if promised > most:
                best, most = card, promised
        pair = 6 * pair + best - start
    return pair


@jit
def turn(world: World, s: State, seat: int) -> int:
    """Return the action with the highest net bits per expected turn; draws nothing.

    A room is skipped if the bounds of its pairs are too low, or if an equivalent room, with equal
    knowledge and equal prices, was evaluated.
    """
    hiding = s.hiding[seat]
    if hiding == 0.0 and s.summoning[seat] == 0.0:
        return swift.turn(world, s, seat)
    swift.refresh(world, s, seat)
    table, columns, known = floats(N_CARDS, COLUMNS), floats(COLUMNS, LANES), floats(3, N_ROOMS)
    _tabulate(world, s, seat, ALL_CARDS, table)
    weapon_columns(table, columns)
    first = _likely_best(table, hiding)
    here = world.room_of[s.spot[seat]]
    passage = -1 if here < 0 else world.passage[here]
    best, most = MOVE, -1.0
    where, pair = 0, -1
    if here >= 0 and s.summoned[seat]:
        called = called_by(world, s, seat, here)
        best, where = SUGGESTS, here
        pair, most = best_pair(s, world.players, seat, here, called, table, columns, first, -1.0)
        first = pair
    unsure, bound = _extremes(table, 0)
    more_unsure, lower_bound = _extremes(table, FIRST_WEAPON)
    unsure, bound = unsure + more_unsure + swift.SLACK, bound + lower_bound
    barred = max(here, barred_room(world, s, seat))
    nearest = swift.nearest_room(world, s, seat, barred)
    tried = 0
    for i in range(-1, N_ROOMS):
        room = nearest if i < 0 else i
        if room == barred or i == nearest:
            continue
        turns = 1.0 if room == passage else turns_to(world, s, seat, room)
        least = most * turns
        row = table[FIRST_ROOM + room]
        if net_bits(unsure + row[UNSURE], hiding * (bound + row[BOUND])) <= least:
            continue
        called = called_by(world, s, seat, room)
        like = _like(table, known, tried, room, called)
        if like == room:
            tried |= 1 << room
            known[CALLED, room] = called
        elif known[swift.BITS, like] <= least:
            continue
        if like == room or known[swift.PAIR, like] < 0.0:
            found, net = best_pair(
                s, world.players, seat, room, called, table, columns, first, least
            )
            known[swift.BITS, like], known[swift.PAIR, like] = net, found if net > least else -1
            if net > least:
                first = found
        net = known[swift.BITS, like]
        if net > least and net / turns > most:
            best, most = PASSAGE if room == passage else MOVE + room, net / turns
            where, pair = room, np.int64(known[swift.PAIR, like])
    if pair >= 0:
        swift.intend(s, seat, where, pair)
    return best


@jit
def _like(table: np.ndarray, known: np.ndarray, tried: int, room: int, called: int) -> int:
    """Return the first room of the mask ``tried`` equivalent to ``room``, or ``room``."""
    while tried:
        other = lowest(tried)
        tried &= tried - 1
        same = table[FIRST_ROOM + other, TWIN] == table[FIRST_ROOM + room, TWIN]
        if same and known[CALLED, other] == called:
            return other
    return room


@jit
def suggestion(world: World, s: State, seat: int) -> int:
    """Return the suggestion with the highest net bits here; draws nothing."""
    if s.hiding[seat] == 0.0 and s.summoning[seat] == 0.0:
        return swift.suggestion(world, s, seat)
    swift.refresh(world, s, seat)
    pair = swift.recall_intention(world, s, seat)
    if pair < 0:
        room = world.room_of[s.spot[seat]]
        table, columns = floats(N_CARDS, COLUMNS), floats(COLUMNS, LANES)
        named = CATEGORY_MASK[0] | CATEGORY_MASK[1] | 1 << FIRST_ROOM + room
        _tabulate(world, s, seat, named, table)
        weapon_columns(table, columns)
        called = called_by(world, s, seat, room)
        first = _likely_best(table, s.hiding[seat])
        pair = best_pair(s, world.players, seat, room, called, table, columns, first, -1.0)[0]
    return ASK + pair


@jit
def _tabulate(world: World, s: State, seat: int, cards: int, table: np.ndarray) -> None:
    playing = still_playing(world, s, seat)
    tabulate(s.marginals, s.public, seat, world.players, playing, s.has_shown[seat], cards, table)
