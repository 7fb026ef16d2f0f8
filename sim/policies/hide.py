"""Hide: the suggestion and the room that promise most information, less what the others learn.

It knows what `sim.policies.swift` knows, and ranks all 36 pairs of a room by own bits less
``hiding`` times the bits that the opponents still playing are expected to gain, as far as the
public view shows (`belief.giveaway`), less ``summoning`` where the pawn of one of them would be
called.  It names cards of its own, which mislead.  How much that is worth depends on who sits
opposite (`docs/players/hide.md`): with 0 and 0 it is swift.  What it accuses from may change with
the number of those who are out; alone, it waits for proof.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import count
from belief.giveaway import BOUND, COLUMNS, TWIN, UNSURE, given_away, tabulate
from belief.information import closed_form
from mcts.kernel.compile import jit, jit_owning
from sim.board import N_ROOMS
from sim.cards import ALL_CARDS, CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON, N_CARDS
from sim.policies import swift
from sim.policies.closure import proved_envelope
from sim.policies.common import SUGGESTS, last_chance, turns_to
from sim.state import ASK, EVIDENCE, FACTORED, MOVE, PASSAGE, PUBLIC, State, World

REQUIRES = FACTORED | EVIDENCE | PUBLIC
SWITCHES = (*swift.SWITCHES, "hiding", "summoning", "by_out")

LEAST = 0.1
"""Share of its own bits that a suggestion is worth at least: who will not give anything away would
ask for ever what tells nobody anything."""


@jit
def still_playing(world: World, s: State, seat: int) -> int:
    """Return the mask of the seats that still play, but for ``seat``."""
    playing = 0
    for other in range(world.players):
        if other != seat and not s.out[other]:
            playing |= 1 << other
    return playing


@jit
def accused(world: World, s: State, seat: int) -> int:
    """Return the mask of the envelope to accuse now, 0 for none."""
    swift.refresh(world, s, seat)
    last = last_chance(world, s)
    bar = least_chance(world, s, seat)
    if bar >= 1.0 and not last:
        return proved_envelope(s, seat)
    found, chance = swift.best_guess(s)
    return found if last or chance >= bar else 0


@jit
def least_chance(world: World, s: State, seat: int) -> float:
    """Return the probability from which ``seat`` accuses now; 1 is for proof.

    A threshold below 1 changes by ``by_out`` with each opponent who is out.  Alone it waits for
    proof.
    """
    bar = s.threshold[seat]
    out = world.players - 1 - count(still_playing(world, s, seat))
    if bar >= 1.0 or out == world.players - 1:
        return 1.0
    return bar + s.by_out[seat] * out


@jit
def summons(world: World, s: State, seat: int, suspect: int, room: int) -> bool:
    """Tell whether naming ``suspect`` in ``room`` calls the pawn of somebody who still plays."""
    called = world.seat_of[suspect]
    if called < 0 or called == seat or s.out[called] or not (world.board and world.summons):
        return False
    return world.room_of[s.spot[called]] != room


@jit
def best_pair(
    world: World, s: State, seat: int, room: int, table: np.ndarray, least: float
) -> tuple[int, float]:
    """Return the pair of highest net bits in ``room``, as suspect * 6 + weapon, and those bits.

    Pairs of no more than ``least`` are of no interest; if no other is left, the bits are ``least``.
    Cards of which the same is known are tried once.  Most pairs are left out unseen: a closed form
    cannot exceed the three entropies, nor can the others gain less than the bounds of ``table``.
    """
    hiding, best, most = s.hiding[seat], 0, least
    third = table[FIRST_ROOM + room]
    for suspect in range(FIRST_WEAPON):
        first = table[suspect]
        price, twin = _price(world, s, seat, suspect, room), np.int64(first[TWIN])
        if twin != suspect and price == _price(world, s, seat, twin, room):
            continue
        for weapon in range(FIRST_WEAPON, FIRST_ROOM):
            second = table[weapon]
            unsure = first[UNSURE] + second[UNSURE] + third[UNSURE] + swift.SLACK
            bound = first[BOUND] + second[BOUND] + third[BOUND]
            if second[TWIN] != weapon or _net(unsure, hiding * bound + price) <= most:
                continue
            cost = price
            cost += hiding * given_away(table, world.players, suspect, weapon, FIRST_ROOM + room)
            if _net(unsure, cost) <= most:
                continue
            bits = closed_form(s.marginals, seat, suspect, weapon, FIRST_ROOM + room)
            if _net(bits, cost) > most:
                best, most = 6 * suspect + weapon - FIRST_WEAPON, _net(bits, cost)
    return best, most


@jit
def _net(bits: float, cost: float) -> float:
    """Return ``bits`` less ``cost``, but no less than the share `LEAST` of them."""
    return max(bits - cost, LEAST * bits)


@jit
def _price(world: World, s: State, seat: int, suspect: int, room: int) -> float:
    """Return what is paid for calling the pawn of ``suspect`` to ``room``."""
    return s.summoning[seat] if summons(world, s, seat, suspect, room) else 0.0


@jit_owning
def turn(world: World, s: State, seat: int) -> int:
    """Return the action of most net bits per expected turn; draws nothing."""
    if s.hiding[seat] == 0.0 and s.summoning[seat] == 0.0:
        return swift.turn(world, s, seat)
    swift.refresh(world, s, seat)
    table = np.empty((N_CARDS, COLUMNS))
    _tabulate(world, s, seat, ALL_CARDS, table)
    here = world.room_of[s.spot[seat]]
    passage = -1 if here < 0 else world.passage[here]
    best, most = MOVE, -1.0
    if here >= 0 and s.summoned[seat]:
        best, most = SUGGESTS, best_pair(world, s, seat, here, table, -1.0)[1]
    nearest = swift.nearest_room(world, s, seat, here)
    for i in range(-1, N_ROOMS):
        room = nearest if i < 0 else i
        if room == here or i == nearest:
            continue
        turns = 1.0 if room == passage else turns_to(world, s, seat, room)
        net = best_pair(world, s, seat, room, table, most * turns)[1]
        if net > most * turns and net / turns > most:
            best, most = PASSAGE if room == passage else MOVE + room, net / turns
    return best


@jit_owning
def suggestion(world: World, s: State, seat: int) -> int:
    """Return the suggestion of most net bits here; draws nothing."""
    if s.hiding[seat] == 0.0 and s.summoning[seat] == 0.0:
        return swift.suggestion(world, s, seat)
    swift.refresh(world, s, seat)
    room = world.room_of[s.spot[seat]]
    table = np.empty((N_CARDS, COLUMNS))
    named = CATEGORY_MASK[0] | CATEGORY_MASK[1] | 1 << FIRST_ROOM + room
    _tabulate(world, s, seat, named, table)
    return ASK + best_pair(world, s, seat, room, table, -1.0)[0]


@jit
def _tabulate(world: World, s: State, seat: int, cards: int, table: np.ndarray) -> None:
    """Fill ``table`` for ``cards`` with what the opponents still playing would gain."""
    playing = still_playing(world, s, seat)
    tabulate(s.marginals, s.public, seat, world.players, playing, s.has_shown[seat], cards, table)
