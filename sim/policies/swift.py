"""Swift: the suggestion and room with the highest information per expected turn.

Its knowledge is the factored belief masked by the logical closure; the information of a suggestion
is the closed form of `belief.information`, for trios that may be the envelope.  It accuses at a
minimum probability; 1 waits for proof, until its last turn.  Below 1 the belief is fitted to hand
sizes and to one envelope card per category (`belief.beliefs.constrained`), because accusations need
a proper probability; for suggestions alone the fit would only cost time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belief.beliefs.constrained import fit, mask_matrix
from belief.entropy_table import rough_entropy
from belief.evidence import ENVELOPE, HOLDERS, lowest
from belief.information import closed_form
from belief.matrix import chance_of_any, envelope_chance, exclude_envelopes
from mcts.kernel.compile import jit, jit_owning
from mcts.kernel.stack import floats
from mcts.limits import above
from sim.board import N_ROOMS
from sim.cards import CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON, N_CARDS
from sim.knowledge import knowledge_version, update_seat_closure
from sim.movement import barred_room
from sim.policies import heuristic
from sim.policies.closure import proved_envelope
from sim.policies.common import (
    HIGHEST,
    SUGGESTS,
    any_heard,
    last_chance,
    list_products,
    turns_to,
)
from sim.state import ASK, EVIDENCE, FACTORED, MAX_PLAYERS, MOVE, PASSAGE, State, World

REQUIRES = FACTORED | EVIDENCE


@dataclass(frozen=True)
class Switches(heuristic.Switches):
    """Switches of `swift`: those of `heuristic`, and two more.

    threshold : minimum probability for an accusation; 1 waits for proof
    own_card_weight : relative weight that a player holds a card it names; 1 ignores suggestions
    """

    threshold: float = above(0, 1, default=1.0)
    own_card_weight: float = above(0, HIGHEST, default=1.0)


ROUNDS = 3
"""Rounds of fitting; more do not play better."""

SLACK = 1e-9
"""Bound on the rounding error of a sum of three entropies, in bits."""

BITS, PAIR = 0, 1
"""Rows of the room cache: bits of the best suggestion, and its pair (-1: bits are a bound)."""


@jit
def refresh(world: World, s: State, seat: int) -> None:
    """Update ``s.marginals`` to the belief of ``seat``, if stale.

    Heard accusations are excluded.  The best guess is computed before that, because categories are
    no longer independent afterwards.
    """
    now = knowledge_version(s, seat)
    if s.marginals_of == now:
        return
    s.marginals_of = now
    s.intention = 0
    update_seat_closure(s, seat)
    if s.threshold[seat] < 1.0:
        fit(s.belief[seat], s.closure[seat], s.evidence[seat], ROUNDS, s.marginals)
    else:
        mask_matrix(s.belief[seat], s.closure[seat], world.players, s.marginals)
    s.guess = 0
    if any_heard(s):
        s.guess, s.guess_chance = best_unheard(s, s.marginals)
        exclude_envelopes(s.marginals, s.heard)


@jit
def to_accuse(world: World, s: State, seat: int) -> int:
    """Return the mask of the likeliest envelope if it reaches the threshold of ``seat``, else 0.

    At the last chance there is no threshold: a draw returns 0.
    """
    refresh(world, s, seat)
    last = last_chance(world, s)
    if s.threshold[seat] >= 1.0 and not last:
        return proved_envelope(s, seat)
    found, chance = likeliest(s)
    return found if last or chance >= s.threshold[seat] else 0


@jit
def likeliest(s: State) -> tuple[int, float]:
    """Return the likeliest envelope after `refresh` and its probability, or 0, 0."""
    if s.guess:
        return s.guess, s.guess_chance
    return best_guess(s.marginals)


@jit
def best_guess(marginals: np.ndarray) -> tuple[int, float]:
    """Return the likeliest envelope (mask) by ``marginals`` and its probability, or 0, 0."""
    found, chance = 0, 1.0
    for category in CATEGORY_MASK:
        best, most, total = 0, 0.0, 0.0
        rest = category
        while rest:
            card = lowest(rest)
            rest &= rest - 1
            p = marginals[card, ENVELOPE]
            total += p
            if p > most:
                best, most = card, p
        if most == 0.0:
            return 0, 0.0
        found |= 1 << best
        chance *= most / total
    return found, chance


@jit
def best_unheard(s: State, marginals: np.ndarray) -> tuple[int, float]:
    """Return `best_guess` among the envelopes without a heard accusation."""
    found, chance = best_guess(marginals)
    if not any_heard(s) or not found:
        return found, chance
    return _likeliest_unheard(s, marginals)


@jit_owning
def _likeliest_unheard(s: State, marginals: np.ndarray) -> tuple[int, float]:
    cards, weight = np.empty((1, 3), np.int64), np.empty(1, np.float64)
    if not list_products(s, marginals, 1.0, 1, 0.0, cards, weight):
        return 0, 0.0
    found = 1 << cards[0, 0] | 1 << cards[0, 1] | 1 << cards[0, 2]
    chance = envelope_chance(marginals, found)
    return found, chance / max(1.0 - chance_of_any(marginals, s.heard, -1), chance)


@jit
def different(marginals: np.ndarray, cards: int) -> int:
    """Return the mask ``cards`` without cards whose row equals that of a lower card."""
    kept = 0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if alike(marginals, card, kept) == card:
            kept |= 1 << card
    return kept


@jit
def alike(marginals: np.ndarray, card: int, cards: int) -> int:
    """Return the lowest of ``cards`` (mask) whose row equals that of ``card``, or ``card``."""
    while cards:
        other = lowest(cards)
        cards &= cards - 1
        column = 0
        while column < HOLDERS and marginals[card, column] == marginals[other, column]:
            column += 1
        if column == HOLDERS:
            return other
    return card


@jit
def survey(s: State, seat: int, unsure: np.ndarray) -> int:
    """Fill ``unsure`` (1, 21) with the envelope entropy of each card, in bits.

    Returns the mask of suspects and weapons worth naming: cards that may be in the envelope, only
    the first of equal rows.
    """
    may = s.closure[seat].may[ENVELOPE]
    for card in range(N_CARDS):
        unsure[0, card] = rough_entropy(s.marginals[card, ENVELOPE])
    return different(s.marginals, may & CATEGORY_MASK[0]) | different(
        s.marginals, may & CATEGORY_MASK[1]
    )


@jit
def best_suggestion(
    s: State, seat: int, room: int, named: int, unsure: np.ndarray, least: float
) -> tuple[int, float]:
    """Return the pair of highest information in ``room``, as suspect * 6 + weapon, and its bits.

    ``named`` and ``unsure`` are the results of `survey`.  Pairs with at most ``least`` bits are
    skipped; if none is left, the bits are ``least``.  The sum of the three entropies bounds the
    bits of a pair.
    """
    pair, most = 0, least
    rest = unsure[0, FIRST_ROOM + room] + SLACK
    suspects = named & CATEGORY_MASK[0]
    while suspects:
        suspect = lowest(suspects)
        suspects &= suspects - 1
        both = rest + unsure[0, suspect]
        weapons = named & CATEGORY_MASK[1]
        while weapons:
            weapon = lowest(weapons)
            weapons &= weapons - 1
            if both + unsure[0, weapon] <= most:
                continue
            bits = closed_form(s.marginals, seat, suspect, weapon, FIRST_ROOM + room)
            if bits > most:
                pair, most = 6 * suspect + weapon - FIRST_WEAPON, bits
    return pair, most


@jit
def most_unsure(named: int, unsure: np.ndarray) -> float:
    """Return the maximum entropy, in bits, of the cards in the mask ``named``."""
    most = 0.0
    while named:
        most = max(most, unsure[0, lowest(named)])
        named &= named - 1
    return most


@jit
def intend(s: State, seat: int, room: int, pair: int) -> None:
    """Store the ``pair`` that ``seat`` will name if it reaches ``room`` this turn."""
    s.intention = 1 + pair + 36 * (room + N_ROOMS * (seat + MAX_PLAYERS * s.turn))


@jit
def recall_intention(world: World, s: State, seat: int) -> int:
    """Return the pair that ``seat`` stored this turn for its room, or -1.

    It is still valid: no knowledge changes between the start of a turn and its suggestion.
    """
    room = world.room_of[s.spot[seat]]
    pair = s.intention - 1 - 36 * (room + N_ROOMS * (seat + MAX_PLAYERS * s.turn))
    return pair if 0 <= pair < 36 else -1


@jit
def nearest_room(world: World, s: State, seat: int, barred: int) -> int:
    """Return the room with the fewest expected turns, except ``barred``."""
    nearest = 0 if barred else 1
    for room in range(nearest + 1, N_ROOMS):
        if room == barred:
            continue
        if turns_to(world, s, seat, room) < turns_to(world, s, seat, nearest):
            nearest = room
    return nearest


@jit
def turn(world: World, s: State, seat: int) -> int:
    """Return the action with the highest information per expected turn; draws nothing.

    A room is skipped if the sum of its three entropies per expected turn is below the best value so
    far, or if it has the same row as an evaluated room.  The nearest room is evaluated first.
    """
    refresh(world, s, seat)
    unsure, known = floats(1, N_CARDS), floats(2, N_ROOMS)
    named = survey(s, seat, unsure)
    here = world.room_of[s.spot[seat]]
    passage = -1 if here < 0 else world.passage[here]
    best, most = MOVE, -1.0
    where, pair = 0, -1
    if here >= 0 and s.summoned[seat]:
        best, where = SUGGESTS, here
        pair, most = best_suggestion(s, seat, here, named, unsure, -1.0)
    others = most_unsure(named & CATEGORY_MASK[0], unsure)
    others += most_unsure(named & CATEGORY_MASK[1], unsure) + SLACK
    barred = max(here, barred_room(world, s, seat))
    nearest = nearest_room(world, s, seat, barred)
    tried = 0
    for i in range(-1, N_ROOMS):
        room = nearest if i < 0 else i
        if room == barred or i == nearest:
            continue
        turns = 1.0 if room == passage else turns_to(world, s, seat, room)
        least = most * turns
        if others + unsure[0, FIRST_ROOM + room] <= least:
            continue
        twin = alike(s.marginals, FIRST_ROOM + room, tried) - FIRST_ROOM
        if twin == room:
            tried |= 1 << FIRST_ROOM + room
        elif known[BITS, twin] <= least:
            continue
        if twin == room or known[PAIR, twin] < 0.0:
            found, bits = best_suggestion(s, seat, room, named, unsure, least)
            known[BITS, twin], known[PAIR, twin] = bits, found if bits > least else -1
        bits = known[BITS, twin]
        if bits > least and bits / turns > most:
            best, most = PASSAGE if room == passage else MOVE + room, bits / turns
            where, pair = room, np.int64(known[PAIR, twin])
    if pair >= 0:
        intend(s, seat, where, pair)
    return best


@jit
def suggestion(world: World, s: State, seat: int) -> int:
    """Return the suggestion with the highest information here; draws nothing."""
    refresh(world, s, seat)
    pair = recall_intention(world, s, seat)
    if pair < 0:
        unsure = floats(1, N_CARDS)
        named = survey(s, seat, unsure)
        room = world.room_of[s.spot[seat]]
        pair = best_suggestion(s, seat, room, named, unsure, -1.0)[0]
    return ASK + pair
