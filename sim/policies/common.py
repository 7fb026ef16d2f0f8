"""Functions shared by several policies; random choices consume ``s.stream``.

A policy consists of three kernels of ``(world, s, seat)``: ``to_accuse`` returns the mask of the
envelope to accuse now, or 0; ``turn`` returns the action at the start of a turn, or `SUGGESTS`;
``suggestion`` returns the suggestion in the pawn's room.  ``REQUIRES`` is the knowledge to track
for its seat.  Switches are a frozen dataclass ``Switches`` with defaults and ranges; kernels read
each from the state field of the same name (`sim.state.SWITCHES`).
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
"""Result of ``turn`` for "make a suggestion in the pawn's room"."""

HIGHEST = 100
"""Maximum own-card weight and price of a bit."""

PAIRS = 36
ALL_PAIRS = (1 << PAIRS) - 1
"""Mask of all suggestions in one room."""

_AT_THE_END = ACCUSATIONS.index("end")

LEAST_INFORMATIVE = 1
"""Showing rule: prefer a card that the asker has seen before; 0: any card."""


@jit
def accusation(envelope: int) -> int:
    """Return the accusation of the three cards in the mask ``envelope``."""
    suspect = lowest(envelope)
    weapon = lowest(envelope >> FIRST_WEAPON)
    room = lowest(envelope >> FIRST_ROOM)
    return ACCUSE + 9 * (6 * suspect + weapon) + room


@jit
def is_envelope(cards: int) -> bool:
    """Return whether the mask ``cards`` contains exactly one card of each category."""
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
    """Return whether a wrong accusation was heard."""
    heard = 0
    for seat in range(MAX_PLAYERS):
        heard |= s.heard[seat]
    return heard > 0


@jit
def was_heard(s: State, envelope: int) -> bool:
    """Return whether a wrong accusation of the mask ``envelope`` was heard."""
    found = False
    for seat in range(MAX_PLAYERS):
        found |= s.heard[seat] > 0 and s.heard[seat] == envelope
    return found


@jit
def list_products(
    s: State,
    marginals: np.ndarray,
    scale: float,
    max_count: int,
    min_chance: float,
    cards: np.ndarray,
    chance: np.ndarray,
) -> int:
    """Find up to ``max_count`` likeliest envelopes above ``min_chance``, best first.

    The probability is the product of the envelope ``marginals`` over ``scale``; heard accusations
    are excluded.  ``cards`` (n, 3) and ``chance`` (n,) are overwritten.  Returns their number.
    """
    found, heard = 0, any_heard(s)
    for suspect in range(FIRST_WEAPON):
        for weapon in range(FIRST_WEAPON, FIRST_ROOM):
            pair = marginals[suspect, ENVELOPE] * marginals[weapon, ENVELOPE] / scale
            if pair <= min_chance:
                continue
            for room in range(FIRST_ROOM, N_CARDS):
                weight = pair * marginals[room, ENVELOPE]
                if weight <= min_chance or (found == max_count and weight <= chance[max_count - 1]):
                    continue
                if heard and was_heard(s, 1 << suspect | 1 << weapon | 1 << room):
                    continue
                at = min(found, max_count - 1)
                while at > 0 and chance[at - 1] < weight:
                    chance[at] = chance[at - 1]
                    for kind in range(3):
                        cards[at, kind] = cards[at - 1, kind]
                    at -= 1
                chance[at] = weight
                cards[at, 0], cards[at, 1], cards[at, 2] = suspect, weapon, room
                found = min(found + 1, max_count)
    return found


@jit
def avoid_repeat(world: World, s: State, seat: int, action: int) -> int:
    """Return ``action``, or the next one of its kind without a repeated suggestion of ``seat``.

    The next one is the next pair in the room, or the next room with a pair left.
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
    """Return whether the game ends before the current seat can accuse again."""
    if s.turn + world.players <= world.turn_cap or (world.accuse and s.phase == TURN):
        return False
    playing = 0
    for seat in range(world.players):
        playing += 1 - s.out[seat]
    return s.turn + playing > world.turn_cap


@jit
def kind_of_turn(world: World, s: State, seat: int) -> int:
    """Return `MOVE`, `PASSAGE` or `SUGGESTS`, uniform over the available types [s. 1.1]."""
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
    """Return a uniform card of the mask ``cards`` (not 0); one draw if there are several."""
    held = count(cards)
    for _ in range(below(stream, held) if held > 1 else 0):
        cards &= cards - 1
    return lowest(cards)


@jit
def needs_goal(world: World, s: State, seat: int) -> bool:
    """Return whether ``seat`` needs a new goal: it has none, or has reached it.

    If policies walk to first entrances and pawns may re-enter their room, only the first entrance
    counts as reached.
    """
    goal = s.goal[seat]
    if goal < 0:
        return True
    if world.to_first and world.reenter:
        return s.spot[seat] == world.first_door[goal]
    return world.room_of[s.spot[seat]] == goal


@jit
def roam(world: World, s: State, seat: int) -> int:
    """Return a uniform kind of action; the goal is drawn uniformly and kept until reached."""
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
    """Return the expected turns, this one included, until ``seat`` can suggest in ``room``.

    Ignores other pawns; the current roll is known.
    """
    missing = world.steps[room, s.spot[seat]] - s.roll
    return 1.0 + world.turns[missing] if missing > 0 else 1.0


@jit
def card_to_show(s: State, seat: int) -> int:
    """Return the card that ``seat`` shows to the asker; consumes ``s.stream``.

    The choice is uniform, as for all agents of [Ledford 2018, s. 3.2]; `LEAST_INFORMATIVE` prefers
    cards that this asker has seen before.
    """
    matching = s.hand[seat] & s.cards
    if s.showing[seat] == LEAST_INFORMATIVE:
        seen = matching & s.has_shown[seat, s.seat]
        if seen:
            matching = seen
    return any_card(s.stream, matching)
