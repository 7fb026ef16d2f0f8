"""A position inside a simulation as numbers, for one seat, from what is cheap there.

The seat that searches comes first, the others clockwise after it; each has a block of `OWN` or
`OTHER`, which is zero but for its first entry once it is out.  `GAME` and whose turn it is follow.

Knowledge used: of the own seat what it believes, never the drawn envelope.  Of each other
seat what it believes in the *drawn* deal, and whether that is so there: a roll-out of the same
simulation would play by the same beliefs, and end by the same envelope.  So the mean over the deals
of a node is an expectation over what the searching seat does not know, as it is for roll-outs.

A belief is the factored one fitted to hands and envelope, as `sim.policies.swift` uses it.  Of a
seat that keeps none it is what the cards that it has seen leave, all alike.  Nothing here consumes
randomness or allocates; ``marginals`` of the state are overwritten.
"""

from __future__ import annotations

from math import log2

import numpy as np

from belief.beliefs.constrained import fit
from belief.evidence import ENVELOPE, count, lowest
from belief.matrix import binary_entropy
from belief.public import surest
from mcts.kernel.compile import jit
from sim.board import N_ROOMS
from sim.cards import CATEGORY_MASK, FIRST_ROOM, N_CARDS
from sim.knowledge import update_seat_closure
from sim.planning.node_belief import envelope_chance
from sim.policies.swift import ROUNDS, best_guess
from sim.state import END, EVIDENCE, FACTORED, PUBLIC, SUGGEST, TURN, State, World

OWN = (
    "out",
    "entropy of its envelope belief, tens of bits",
    "probability of its best guess",
    "expected turns to the nearest room that may be the hidden one",
    "summoned",
    "share of the cards that it has seen",
    "entropy of the room that it can ask in now, bits",
)
OTHER = (
    *OWN[:-1],
    "that probability less its threshold",
    "whether it reaches the threshold",
    "the same if the guess is right in this deal, else the negative",
    "whether it reaches the threshold with a right guess",
    "probability that it gives the envelope of this deal",
)
GAME = ("round, tens", "at a suggestion", "at the end of a turn", "likeliest envelope in public")

KEPT = FACTORED | EVIDENCE | PUBLIC
"""What has to be kept for the seat that searches."""

_TENS, _MOST_ROUNDS = 0.1, 30.0


def size(players: int) -> int:
    """Return how many features a position of so many players has."""
    return len(OWN) + (players - 1) * len(OTHER) + len(GAME) + players


_OWN, _OTHER = len(OWN), len(OTHER)


@jit
def describe(world: World, s: State, seat: int, out: np.ndarray) -> None:
    """Write the features of ``s`` for ``seat`` into ``out``, (`size`,)."""
    out[:] = 0.0
    first = 0
    for step in range(world.players):
        player = seat + step if seat + step < world.players else seat + step - world.players
        _describe_seat(world, s, player, step, out[first:])
        first += _OTHER if step else _OWN
    out[first] = _TENS * min(s.turn / world.players, _MOST_ROUNDS)
    out[first + 1] = 1.0 if s.phase == SUGGEST else 0.0
    out[first + 2] = 1.0 if s.phase == END else 0.0
    out[first + 3] = surest(s.public)
    after = s.seat - seat if s.seat >= seat else s.seat - seat + world.players
    out[first + 4 + after] = 1.0
    s.marginals_of = 0


@jit
def _describe_seat(world: World, s: State, player: int, step: int, out: np.ndarray) -> None:
    """Write the block of ``player``, ``step`` seats from the searching one, from ``out[0]`` on."""
    if s.out[player]:
        out[0] = 1.0
        return
    both = FACTORED | EVIDENCE
    if s.tracks[player] & both == both:
        update_seat_closure(s, player)
        fit(s.belief[player], s.closure[player], s.evidence[player], ROUNDS, s.marginals)
    else:
        _spread(s, player)
    guess, chance = best_guess(s.marginals)
    out[1] = _TENS * envelope_bits(s.marginals)
    out[2] = chance
    out[3] = _turns_to_ask(world, s, player)
    out[4] = s.summoned[player]
    out[5] = count(s.known[player]) / N_CARDS
    if step == 0:
        out[6] = _bits_here(world, s, player)
        return
    reaches = 1.0 if chance >= s.threshold[player] else 0.0
    out[6] = chance - s.threshold[player]
    out[7] = reaches
    out[8] = chance if guess == s.envelope else -chance
    out[9] = reaches if guess == s.envelope else 0.0
    out[10] = envelope_chance(s.marginals, s.envelope)


@jit
def _spread(s: State, player: int) -> None:
    """Fill the envelope column of ``s.marginals`` with what ``player`` has not seen, all alike."""
    for category in CATEGORY_MASK:
        open_cards = category & ~s.known[player]
        proved = category & s.proved[player]
        left = proved if proved else open_cards
        for card in range(N_CARDS):
            if category >> card & 1:
                s.marginals[card, ENVELOPE] = (left >> card & 1) / max(count(left), 1)


@jit
def envelope_bits(marginals: np.ndarray) -> float:
    """Return the entropy in bits of the envelope by ``marginals``, categories as independent."""
    bits = 0.0
    for category in CATEGORY_MASK:
        total, surprise = 0.0, 0.0
        rest = category
        while rest:
            p = marginals[lowest(rest), ENVELOPE]
            rest &= rest - 1
            if p > 0.0:
                total += p
                surprise -= p * log2(p)
        if total > 0.0:
            bits += surprise / total + log2(total)
    return bits


@jit
def _may_ask_here(world: World, s: State, player: int) -> bool:
    """Return whether ``player`` can suggest where its pawn is, now or as its turn begins."""
    if world.room_of[s.spot[player]] < 0:
        return False
    return s.summoned[player] > 0 or (s.phase == SUGGEST and s.seat == player)


@jit
def _bits_here(world: World, s: State, player: int) -> float:
    """Return the entropy of the room in which ``player`` may ask now, 0 where it may not."""
    if not _may_ask_here(world, s, player):
        return 0.0
    return binary_entropy(s.marginals[FIRST_ROOM + world.room_of[s.spot[player]], ENVELOPE])


@jit
def _turns_to_ask(world: World, s: State, player: int) -> float:
    """Return the expected turns of ``player``, 1 at least, until it asks in a room worth it.

    That is one that may be the hidden one and is not known to be; if none is left, any.
    """
    here, rolled = world.room_of[s.spot[player]], s.phase == TURN and s.seat == player
    passage = -1 if here < 0 else world.passage[here]
    nearest, nearest_open = np.inf, np.inf
    for room in range(N_ROOMS):
        if room == here:
            if not _may_ask_here(world, s, player):
                continue
            turns = 1.0
        elif room == passage:
            turns = 1.0
        else:
            missing = world.steps[room, s.spot[player]] - (s.roll if rolled else 0)
            turns = (1.0 if rolled else 0.0) + (world.turns[missing] if missing > 0 else 0.0)
        nearest = min(nearest, turns)
        if 0.0 < s.marginals[FIRST_ROOM + room, ENVELOPE] < 1.0:
            nearest_open = min(nearest_open, turns)
    return nearest_open if nearest_open < np.inf else nearest
