"""Steps that several policies share.  Those that draw consume ``s.stream``.

A policy answers three questions, each of ``(world, s, seat)``: which envelope it would accuse now
(``to_accuse``: a mask, 0 for none), what it does at the start of a turn (``turn``: an action, or
`SUGGESTS`), and which suggestion it makes where its pawn is (``suggestion``: an action).
``REQUIRES`` says what has to be kept for its seat.  A policy with switches has a frozen dataclass
``Switches`` of them, with defaults and ranges: each is a field of the state by its name
(`sim.state.SWITCHES`), from which the kernels read it.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import ENVELOPE, count, lowest
from mcts.kernel.compile import jit
from mcts.kernel.rng import below
from sim.board import N_ROOMS
from sim.cards import ALL_CARDS, CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON, N_CARDS
from sim.movement import barred_room
from sim.rules import ACCUSE as ACCUSATIONS
from sim.state import ACCUSE, ASK, END, MAX_PLAYERS, MOVE, PASSAGE, TURN, State, World

SUGGESTS = -1
"""What a policy's turn returns for "make a suggestion where the pawn is"."""

HIGHEST = 100
"""The highest weight of an own card, and price of a bit, that can be set."""

PAIRS = 36
ALL_PAIRS = (1 << PAIRS) - 1
"""The suggestions in one room, by number and as a mask."""

_AT_THE_END = ACCUSATIONS.index("end")

LEAST_INFORMATIVE = 1
"""Rule of showing: a card that the asker has seen before, if there is one; 0 is any."""


@jit
def accusation(envelope: int) -> int:
    """Return the action that accuses the three cards in the mask ``envelope``."""
    suspect = lowest(envelope)
    weapon = lowest(envelope >> FIRST_WEAPON)
    room = lowest(envelope >> FIRST_ROOM)
    return ACCUSE + 9 * (6 * suspect + weapon) + room


@jit
def is_envelope(cards: int) -> bool:
    """Return whether the mask ``cards`` is one card of each category."""
    for kind in CATEGORY_MASK:
        if count(cards & kind) != 1:
            return False
    return cards & ~ALL_CARDS == 0


@jit
def may_accuse(world: World, s: State) -> bool:
    """Return whether the rules allow an accusation at this start or end of a turn."""
    return s.phase == END or (s.phase == TURN and world.accuse != _AT_THE_END)


@jit
def any_heard(s: State) -> bool:
    """Return whether the players have heard a wrong accusation."""
    heard = 0
    for seat in range(MAX_PLAYERS):
        heard |= s.heard[seat]
    return heard > 0


@jit
def was_heard(s: State, envelope: int) -> bool:
    """Return whether the players have heard a wrong accusation of the mask ``envelope``."""
    found = False
    for seat in range(MAX_PLAYERS):
        found |= s.heard[seat] > 0 and s.heard[seat] == envelope
    return found


@jit
def list_products(
    s: State,
    marginals: np.ndarray,
    scale: float,
    most: int,
    least: float,
    cards: np.ndarray,
    chance: np.ndarray,
) -> int:
    """Find the ``most`` likeliest envelopes of independent categories above ``least``, best first.

    Each has the product of its ``marginals`` over ``scale``; those accused aloud are left out.
    ``cards`` (n, 3) and ``chance`` (n,) are overwritten.  Returns how many there are.
    """
    found, heard = 0, any_heard(s)
    for suspect in range(FIRST_WEAPON):
        for weapon in range(FIRST_WEAPON, FIRST_ROOM):
            pair = marginals[suspect, ENVELOPE] * marginals[weapon, ENVELOPE] / scale
            if pair <= least:
                continue
            for room in range(FIRST_ROOM, N_CARDS):
                weight = pair * marginals[room, ENVELOPE]
                if weight <= least or (found == most and weight <= chance[most - 1]):
                    continue
                if heard and was_heard(s, 1 << suspect | 1 << weapon | 1 << room):
                    continue
                at = min(found, most - 1)
                while at > 0 and chance[at - 1] < weight:
                    chance[at] = chance[at - 1]
                    for kind in range(3):
                        cards[at, kind] = cards[at - 1, kind]
                    at -= 1
                chance[at] = weight
                cards[at, 0], cards[at, 1], cards[at, 2] = suspect, weapon, room
                found = min(found + 1, most)
    return found


@jit
def avoid_repeat(world: World, s: State, seat: int, action: int) -> int:
    """Return ``action``, or the next one of its kind that repeats no suggestion of ``seat``.

    That is the next pair in the room, or the next room that has one left.
    """
    if world.repeats or action >= ACCUSE or action == PASSAGE:
        return action
    if action < PASSAGE:
        while s.named[seat, action - MOVE] == ALL_PAIRS:
            action = MOVE + (action - MOVE + 1) % N_ROOMS
        return action
    named = s.named[seat, world.room_of[s.spot[seat]]]
    while named >> (action - ASK) & 1:
        action = ASK + (action - ASK + 1) % PAIRS
    return action


@jit
def last_chance(world: World, s: State) -> bool:
    """Return whether the game ends before the seat whose turn it is can accuse once more."""
    if s.turn + world.players <= world.turn_cap or (world.accuse and s.phase == TURN):
        return False
    playing = 0
    for seat in range(world.players):
        playing += 1 - s.out[seat]
    return s.turn + playing > world.turn_cap


@jit
def kind_of_turn(world: World, s: State, seat: int) -> int:
    """Return `MOVE`, `PASSAGE` or `SUGGESTS`: uniform over the types on offer [Ledford, s. 1.1]."""
    room = world.room_of[s.spot[seat]]
    if room < 0:
        return MOVE
    kinds = 1
    passage = world.passage[room] >= 0
    if passage:
        kinds += 1
    if s.summoned[seat]:
        kinds += 1
    if kinds == 1:
        return MOVE
    picked = below(s.stream, kinds)
    if picked == 0:
        return MOVE
    return PASSAGE if passage and picked == 1 else SUGGESTS


@jit
def any_card(stream: np.ndarray, cards: int) -> int:
    """Return a card of the mask ``cards`` (not 0), uniformly; one draw if there are several."""
    held = count(cards)
    for _ in range(below(stream, held) if held > 1 else 0):
        cards &= cards - 1
    return lowest(cards)


@jit
def needs_goal(world: World, s: State, seat: int) -> bool:
    """Return whether ``seat`` needs a new goal: it has none, or is in the room that was its goal.

    Where it walks to a room's first entrance and may enter its own room, it is there only at that
    entrance.
    """
    goal = s.goal[seat]
    if goal < 0:
        return True
    if world.to_first and world.reenter:
        return s.spot[seat] == world.first_door[goal]
    return world.room_of[s.spot[seat]] == goal


@jit
def roam(world: World, s: State, seat: int) -> int:
    """Return a kind of action uniformly; a goal is drawn uniformly and kept until reached."""
    kind = kind_of_turn(world, s, seat)
    if kind != MOVE:
        return kind
    room = barred_room(world, s, seat)
    if needs_goal(world, s, seat):
        if room < 0:
            s.goal[seat] = below(s.stream, N_ROOMS)
        else:
            other = below(s.stream, N_ROOMS - 1)
            s.goal[seat] = other if other < room else other + 1
    return MOVE + s.goal[seat]


@jit
def unseen_envelope(world: World, s: State, seat: int) -> int:
    """Return the envelope if ``seat`` has seen all other cards, else 0."""
    unseen = ALL_CARDS & ~s.known[seat]
    for kind in CATEGORY_MASK:
        left = unseen & kind
        if left & (left - 1):
            return 0
    return unseen


@jit
def turns_to(world: World, s: State, seat: int, room: int) -> float:
    """Return the expected turns of ``seat``, this one included, until it can suggest in ``room``.

    Other pawns are ignored; the roll of this turn is known.
    """
    missing = world.steps[room, s.spot[seat]] - s.roll
    return 1.0 + world.turns[missing] if missing > 0 else 1.0


@jit
def card_to_show(s: State, seat: int) -> int:
    """Return the card that ``seat`` shows to the asker; consumes ``s.stream``.

    One of several is drawn uniformly, as every agent of the thesis does [Ledford 2018, s. 3.2]; who
    shows the least informative prefers those that this asker has seen before.
    """
    matching = s.hand[seat] & s.cards
    if s.showing[seat] == LEAST_INFORMATIVE:
        seen = matching & s.has_shown[seat, s.seat]
        if seen:
            matching = seen
    return any_card(s.stream, matching)
