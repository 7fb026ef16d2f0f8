"""Likely: it names the card of each category with the fewest possible holders, likelier ones first.

If no player answers, the envelope is proved.  Under ``rules.accuse=end``, where it can accuse right
after its suggestion, it beats the most informative suggestions (`sim.policies.swift`); where the
others accuse first, it helps them.  Knowledge and accusations are those of swift.
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
    """Return the card of the mask ``cards`` (not 0) with the fewest holders, likeliest of ties.

    Cards that cannot be in the envelope come last.
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
    """Return the action towards the room to name; draws nothing."""
    swift.refresh(world, s, seat)
    rooms = CATEGORY_MASK[2]
    barred = max(world.room_of[s.spot[seat]], barred_room(world, s, seat))
    if barred >= 0:
        rooms &= ~(1 << FIRST_ROOM + barred)
    return towards(world, s, seat, best_card(world, s, seat, rooms) - FIRST_ROOM)


@jit
def suggestion(world: World, s: State, seat: int) -> int:
    """Return the suggestion of the suspect and weapon to name here; draws nothing."""
    swift.refresh(world, s, seat)
    suspect = best_card(world, s, seat, CATEGORY_MASK[0])
    return ASK + 6 * suspect + best_card(world, s, seat, CATEGORY_MASK[1]) - FIRST_WEAPON
