"""Swift: the suggestion and the room that promise most information per expected turn.

Its knowledge is the factored belief as far as the logical closure allows it; what a suggestion
tells is the closed form of `belief.information`, of the trios that are not known to be elsewhere.
It accuses from a probability on: 1 waits for proof, though not beyond its last turn.  Below 1 the
belief is fitted to hand sizes and to one envelope card a category (`belief.beliefs.constrained`),
because the probability of an accusation has to be one; for the choice of suggestions alone that
would change nothing but the time.
"""

from __future__ import annotations

import numpy as np

from belief.beliefs.constrained import fit, masked
from belief.evidence import ENVELOPE, HOLDERS, lowest
from belief.information import closed_form
from belief.matrix import binary_entropy
from mcts.kernel.compile import jit
from sim.board import N_ROOMS
from sim.cards import CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON
from sim.knowledge import knowledge_version, update_seat_closure
from sim.policies.closure import proved_envelope
from sim.policies.common import SUGGESTS, last_chance, turns_to
from sim.state import ASK, EVIDENCE, FACTORED, MOVE, PASSAGE, State, World

REQUIRES = FACTORED | EVIDENCE
SWITCHES = ("inference", "threshold", "own_card_weight")

ROUNDS = 3
"""Rounds of fitting; more change no strength."""

SLACK = 0.01
"""More bits than the closed form, which reads its entropies from a table, can be off."""


@jit
def refresh(world: World, s: State, seat: int) -> None:
    """Fill ``s.marginals`` with what ``seat`` believes, unless they are up to date."""
    now = knowledge_version(s, seat)
    if s.marginals_of == now:
        return
    s.marginals_of = now
    update_seat_closure(s, seat)
    if s.threshold[seat] < 1.0:
        fit(s.belief[seat], s.closure[seat], s.evidence[seat], ROUNDS, s.marginals)
    else:
        masked(s.belief[seat], s.closure[seat], world.players, s.marginals)


@jit
def accused(world: World, s: State, seat: int) -> int:
    """Return the mask of the likeliest envelope if it reaches the threshold of ``seat``, else 0.

    Any will do where there is no later chance to accuse: a draw pays nothing.
    """
    refresh(world, s, seat)
    last = last_chance(world, s)
    if s.threshold[seat] >= 1.0 and not last:
        return proved_envelope(s, seat)
    found, chance = best_guess(s)
    return found if last or chance >= s.threshold[seat] else 0


@jit
def best_guess(s: State) -> tuple[int, float]:
    """Return the mask of the likeliest envelope by ``s.marginals`` and its probability, or 0, 0."""
    found, chance = 0, 1.0
    for category in CATEGORY_MASK:
        best, most, total = 0, 0.0, 0.0
        rest = category
        while rest:
            card = lowest(rest)
            rest &= rest - 1
            p = s.marginals[card, ENVELOPE]
            total += p
            if p > most:
                best, most = card, p
        if most == 0.0:
            return 0, 0.0
        found |= 1 << best
        chance *= most / total
    return found, chance


@jit
def different(marginals: np.ndarray, cards: int) -> int:
    """Return the mask ``cards`` without those whose row equals that of a lower one."""
    kept = 0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        others = kept
        kept |= 1 << card
        while others:
            other = lowest(others)
            others &= others - 1
            column = 0
            while column < HOLDERS and marginals[card, column] == marginals[other, column]:
                column += 1
            if column == HOLDERS:
                kept ^= 1 << card
                others = 0
    return kept


@jit
def best_suggestion(s: State, seat: int, room: int, least: float) -> tuple[int, float]:
    """Return the most telling pair in ``room``, as suspect * 6 + weapon, and its bits.

    Pairs that tell no more than ``least`` are of no interest; if no other is left, the bits are
    ``least``.  Cards believed alike are tried once, and not if even all three entropies together
    are too few.
    """
    may = s.closure[seat].may[ENVELOPE]
    pair, most = 0, least
    rest = binary_entropy(s.marginals[FIRST_ROOM + room, ENVELOPE]) + SLACK
    every_weapon = different(s.marginals, may & CATEGORY_MASK[1])
    suspects = different(s.marginals, may & CATEGORY_MASK[0])
    while suspects:
        suspect = lowest(suspects)
        suspects &= suspects - 1
        both = rest + binary_entropy(s.marginals[suspect, ENVELOPE])
        weapons = every_weapon
        while weapons:
            weapon = lowest(weapons)
            weapons &= weapons - 1
            if both + binary_entropy(s.marginals[weapon, ENVELOPE]) <= most:
                continue
            bits = closed_form(s.marginals, seat, suspect, weapon, FIRST_ROOM + room)
            if bits > most:
                pair, most = 6 * suspect + weapon - FIRST_WEAPON, bits
    return pair, most


@jit
def most_unsure(s: State, seat: int, category: int) -> float:
    """Return the largest binary envelope entropy, in bits, of a card in the mask ``category``."""
    most = 0.0
    rest = s.closure[seat].may[ENVELOPE] & category
    while rest:
        most = max(most, binary_entropy(s.marginals[lowest(rest), ENVELOPE]))
        rest &= rest - 1
    return most


@jit
def nearest_room(world: World, s: State, seat: int, here: int) -> int:
    """Return the room in fewest expected turns, other than ``here``."""
    nearest = 0 if here else 1
    for room in range(nearest + 1, N_ROOMS):
        if room == here:
            continue
        if turns_to(world, s, seat, room) < turns_to(world, s, seat, nearest):
            nearest = room
    return nearest


@jit
def turn(world: World, s: State, seat: int) -> int:
    """Return the action of most information per expected turn; draws nothing.

    A room whose three entropies together, shared out over the turns to it, are below the best found
    so far is not looked at closely: nearly all far ones, once the nearest has been.
    """
    refresh(world, s, seat)
    here = world.room_of[s.spot[seat]]
    passage = -1 if here < 0 else world.passage[here]
    best, most = MOVE, -1.0
    if here >= 0 and s.summoned[seat]:
        best, most = SUGGESTS, best_suggestion(s, seat, here, -1.0)[1]
    others = most_unsure(s, seat, CATEGORY_MASK[0]) + most_unsure(s, seat, CATEGORY_MASK[1]) + SLACK
    nearest = nearest_room(world, s, seat, here)
    for i in range(-1, N_ROOMS):
        room = nearest if i < 0 else i
        if room == here or i == nearest:
            continue
        turns = 1.0 if room == passage else turns_to(world, s, seat, room)
        all_of_it = others + binary_entropy(s.marginals[FIRST_ROOM + room, ENVELOPE])
        if all_of_it <= most * turns:
            continue
        bits = best_suggestion(s, seat, room, most * turns)[1]
        if bits > most * turns and bits / turns > most:
            best, most = PASSAGE if room == passage else MOVE + room, bits / turns
    return best


@jit
def suggestion(world: World, s: State, seat: int) -> int:
    """Return the most telling suggestion here; draws nothing."""
    refresh(world, s, seat)
    return ASK + best_suggestion(s, seat, world.room_of[s.spot[seat]], -1.0)[0]
