"""Hide: the suggestion and the room that promise most information, less what the others learn.

It knows what `sim.policies.swift` knows, and ranks all 36 pairs of a room by own bits less
``hiding`` times the bits that the opponents still playing are expected to gain, as far as the
public view shows (`belief.giveaway`), less ``summoning`` where the pawn of one of them would be
called.  It names cards of its own, which mislead.  How much that is worth depends on who sits
opposite (`docs/players/hide.md`): with 0 and 0 it is swift.  Alone, it waits for proof.
"""

from __future__ import annotations

import numpy as np

from belief.giveaway import COLUMNS, given_away, tabulate
from belief.information import closed_form
from mcts.kernel.compile import jit, jit_owning
from sim.board import N_ROOMS
from sim.cards import ALL_CARDS, FIRST_ROOM, FIRST_WEAPON, N_CARDS
from sim.policies import swift
from sim.policies.closure import proved_envelope
from sim.policies.common import SUGGESTS, last_chance, turns_to
from sim.state import ASK, EVIDENCE, FACTORED, MOVE, PASSAGE, PUBLIC, State, World

REQUIRES = FACTORED | EVIDENCE | PUBLIC
SWITCHES = (*swift.SWITCHES, "hiding", "summoning")

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
    """Return the mask of the envelope to accuse now, 0 for none; alone it waits for proof."""
    if still_playing(world, s, seat) or last_chance(world, s):
        return swift.accused(world, s, seat)
    swift.refresh(world, s, seat)
    return proved_envelope(s, seat)


@jit
def summons(world: World, s: State, seat: int, suspect: int, room: int) -> bool:
    """Tell whether naming ``suspect`` in ``room`` calls the pawn of somebody who still plays."""
    called = world.seat_of[suspect]
    if called < 0 or called == seat or s.out[called] or not (world.board and world.summons):
        return False
    return world.room_of[s.spot[called]] != room


@jit
def best_pair(world: World, s: State, seat: int, room: int, table: np.ndarray) -> tuple[int, float]:
    """Return the pair of highest net bits in ``room``, as suspect * 6 + weapon, and those bits."""
    best, most = 0, -np.inf
    for suspect in range(FIRST_WEAPON):
        price = s.summoning[seat] if summons(world, s, seat, suspect, room) else 0.0
        for weapon in range(FIRST_WEAPON, FIRST_ROOM):
            lost = given_away(table, world.players, suspect, weapon, FIRST_ROOM + room)
            bits = closed_form(s.marginals, seat, suspect, weapon, FIRST_ROOM + room)
            net = max(bits - s.hiding[seat] * lost - price, LEAST * bits)
            if net > most:
                best, most = 6 * suspect + weapon - FIRST_WEAPON, net
    return best, most


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
    best, most = MOVE, -np.inf
    if here >= 0 and s.summoned[seat]:
        best, most = SUGGESTS, best_pair(world, s, seat, here, table)[1]
    for room in range(N_ROOMS):
        if room == here:
            continue
        turns = 1.0 if room == passage else turns_to(world, s, seat, room)
        net = best_pair(world, s, seat, room, table)[1]
        if net / turns > most:
            best, most = PASSAGE if room == passage else MOVE + room, net / turns
    return best


@jit_owning
def suggestion(world: World, s: State, seat: int) -> int:
    """Return the suggestion of most net bits here; draws nothing."""
    if s.hiding[seat] == 0.0 and s.summoning[seat] == 0.0:
        return swift.suggestion(world, s, seat)
    swift.refresh(world, s, seat)
    table = np.empty((N_CARDS, COLUMNS))
    _tabulate(world, s, seat, ALL_CARDS, table)
    return ASK + best_pair(world, s, seat, world.room_of[s.spot[seat]], table)[0]


@jit
def _tabulate(world: World, s: State, seat: int, cards: int, table: np.ndarray) -> None:
    """Fill ``table`` for ``cards`` with what the opponents still playing would gain."""
    playing = still_playing(world, s, seat)
    tabulate(s.marginals, s.public, seat, world.players, playing, s.has_shown[seat], cards, table)
