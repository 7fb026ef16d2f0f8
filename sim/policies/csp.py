"""Constraint satisfaction [Cai & Ferrari 2008, s. IV; Ferrari & Cai 2009, s. VIII].

The hidden cards differ from all known ones (C1), and no two cards of the others are the same (C2).
Known are its own cards, the face-up cards and the cards it was shown.  It suggests a consistent
assignment if it can, and ignores events between other players.  The papers leave open which
assignment (here *uniform among the possible*) and when it accuses (here *when one assignment is
left; unknown cards that no player shows when it asks are hidden*).

``walk``: ``nearest`` walks to the nearest possible room, or from the only possible room to the
nearest other one [2009]; ``adjacent`` walks from the nearest room back and forth between neighbours
until suspect and weapon are known, then like ``nearest`` [2008].
"""

from __future__ import annotations

from dataclasses import dataclass

from belief.evidence import count
from mcts.kernel.compile import jit
from mcts.limits import one_of
from sim.cards import CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON
from sim.policies.common import SUGGESTS, any_card, any_heard, was_heard
from sim.policies.walking import OTHER, enter_again, nearest_room, towards
from sim.state import ASK, State, World

REQUIRES = 0

WALKS = ("nearest", "adjacent")
ADJACENT = 1


@dataclass(frozen=True)
class Switches:
    """Switches of `csp`.

    walk : rule for choosing rooms, one of `WALKS`
    """

    walk: str = one_of(*WALKS, default="nearest")


_ALL_ROOMS = 0x1FF


@jit
def possible(s: State, seat: int, category: int) -> int:
    """Return the cards of the mask ``category`` that may be hidden."""
    proved = s.proved[seat] & category
    return proved if proved else category & ~s.known[seat]


@jit
def to_accuse(world: World, s: State, seat: int) -> int:
    """Return the envelope if only one assignment is left, else 0."""
    found = 0
    for category in CATEGORY_MASK:
        cards = possible(s, seat, category)
        if cards & (cards - 1) and not any_heard(s):
            return 0
        found |= cards
    return only_unheard(s, found) if any_heard(s) else found


@jit
def only_unheard(s: State, cards: int) -> int:
    """Return the only assignment of ``cards`` without a heard accusation, 0 if not unique.

    Heard accusations are no solution (C3, ours: the papers keep accusations secret).
    """
    number, found = 0, 0
    suspects = cards & CATEGORY_MASK[0]
    while suspects and number < 2:
        weapons = cards & CATEGORY_MASK[1]
        while weapons and number < 2:
            rooms = cards & CATEGORY_MASK[2]
            while rooms and number < 2:
                envelope = suspects & -suspects | weapons & -weapons | rooms & -rooms
                if not was_heard(s, envelope):
                    number, found = number + 1, envelope
                rooms &= rooms - 1
            weapons &= weapons - 1
        suspects &= suspects - 1
    return found if number == 1 else 0


@jit
def turn(world: World, s: State, seat: int) -> int:
    """Return the action at the start of a turn; draws nothing."""
    here = world.room_of[s.spot[seat]]
    if here >= 0 and s.summoned[seat]:
        return SUGGESTS
    suspects = count(possible(s, seat, CATEGORY_MASK[0]))
    weapons = count(possible(s, seat, CATEGORY_MASK[1]))
    if s.walk[seat] == ADJACENT and suspects + weapons > 2:
        # On its way to the neighbour it must not return to the room it left.
        if here >= 0 or s.goal[seat] < 0:
            s.goal[seat] = nearest_room(world, s, seat, _ALL_ROOMS)
        return towards(world, s, seat, s.goal[seat])
    rooms = possible(s, seat, CATEGORY_MASK[2]) >> FIRST_ROOM
    return enter_again(world, s, seat, rooms, OTHER)


@jit
def suggestion(world: World, s: State, seat: int) -> int:
    """Return a suggestion of possible cards, uniformly; consumes ``s.stream``."""
    suspect = any_card(s.stream, possible(s, seat, CATEGORY_MASK[0]))
    weapon = any_card(s.stream, possible(s, seat, CATEGORY_MASK[1]))
    return ASK + 6 * suspect + weapon - FIRST_WEAPON
