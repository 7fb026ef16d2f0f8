"""Likely: it names, of each category, the card that fewest players can hold, likelier ones first.

Nobody's answer then proves the envelope.  Where an accusation follows the own suggestion at once
(``rules.accuse=end``), that wins, and what asks for most information (`sim.policies.swift`) is
behind; where the others come first, it is a gift to them.  It knows and accuses as swift does.
"""

from __future__ import annotations

from belief.evidence import ENVELOPE, lowest
from mcts.kernel.compile import jit
from sim.cards import CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON
from sim.movement import barred_room
from sim.policies import swift
from sim.policies.walking import towards
from sim.state import ASK, State, World

REQUIRES = swift.REQUIRES
Switches = swift.Switches

to_accuse = swift.to_accuse


@jit
def best_card(world: World, s: State, seat: int, cards: int) -> int:
    """Return the card of the mask ``cards`` (not 0) with fewest holders, of equals the likeliest.

    One that may not be in the envelope comes after all that may.
    """
    best, fewest = -1, 0.0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        holders = 0.0 if s.closure[seat].may[ENVELOPE] >> card & 1 else 1.0 + world.players
        for player in range(world.players):
            holders += s.closure[seat].may[1 + player] >> card & 1
        holders -= 0.5 * s.marginals[card, ENVELOPE]
        if best < 0 or holders < fewest:
            best, fewest = card, holders
    return best


@jit
def turn(world: World, s: State, seat: int) -> int:
    """Return the way to the room to be named; draws nothing."""
    swift.refresh(world, s, seat)
    rooms = CATEGORY_MASK[2]
    barred = max(world.room_of[s.spot[seat]], barred_room(world, s, seat))
    if barred >= 0:
        rooms &= ~(1 << FIRST_ROOM + barred)
    return towards(world, s, seat, best_card(world, s, seat, rooms) - FIRST_ROOM)


@jit
def suggestion(world: World, s: State, seat: int) -> int:
    """Return the suspect and the weapon to be named where the pawn is; draws nothing."""
    swift.refresh(world, s, seat)
    suspect = best_card(world, s, seat, CATEGORY_MASK[0])
    return ASK + 6 * suspect + best_card(world, s, seat, CATEGORY_MASK[1]) - FIRST_WEAPON
