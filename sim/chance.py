"""Chance events, indexed by purpose.

Dice, deal and random choices of policies are functions of (game key, purpose, count), not draws
from a shared stream.  Game *k* therefore has the same deal and dice whatever the players do, so
comparisons are paired.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import category, count
from mcts.kernel.compile import jit, jit_owning
from mcts.kernel.rng import below, fold, shuffle
from sim.cards import CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON, N_CARDS
from sim.state import MAX_PLAYERS, State, World

# Purposes.
DEAL, DICE, DECIDE, DETOUR = 1, 2, 3, 4


@jit
def game_key(seed: int, game: int) -> np.uint64:
    """Return the key of game number ``game`` of run ``seed`` (both non-negative)."""
    return fold(fold(np.uint64(0x51E07), seed), game)


@jit
def search_key(seed: int, game: int, seat: int) -> np.uint64:
    """Return the search key of ``seat``, separate from the key of deal and dice.

    A player could recover seed and game only by a deliberate brute-force search.
    """
    return fold(fold(fold(np.uint64(0x5EA2C4), seed), game), seat)


@jit
def open_stream(s: State, purpose: int, count: int) -> None:
    """Set ``s.stream`` to the random numbers of the ``count``-th ``purpose``."""
    s.stream[0] = fold(fold(s.key, purpose), count)


@jit
def roll(world: World, s: State) -> None:
    """Roll for the turn ``s.turn``."""
    open_stream(s, DICE, s.turn)
    s.roll = 0
    for _ in range(world.dice):
        s.roll += 1 + below(s.stream, 6)


@jit_owning
def deal(world: World, s: State) -> None:
    """Put one card per category into the envelope, deal the rest, leave the remainder face up.

    Cards are dealt round the table.  With hands by category, each card is dealt to the first player
    with room for its category.
    """
    open_stream(s, DEAL, 0)
    suspect = below(s.stream, FIRST_WEAPON)
    weapon = FIRST_WEAPON + below(s.stream, FIRST_ROOM - FIRST_WEAPON)
    room = FIRST_ROOM + below(s.stream, N_CARDS - FIRST_ROOM)
    s.envelope = (1 << suspect) | (1 << weapon) | (1 << room)
    pack = np.empty(N_CARDS - 3, np.int64)
    n = 0
    for card in range(N_CARDS):
        if not s.envelope >> card & 1:
            pack[n] = card
            n += 1
    shuffle(s.stream, pack)
    dealt = 0
    for seat in range(MAX_PLAYERS):
        s.hand[seat] = 0
        dealt += world.hand_sizes[seat]
    s.face_up = 0
    for i in range(n):
        card = pack[i]
        if world.shares[0, 0] >= 0:
            s.hand[_with_room(world, s, category(card))] |= 1 << card
        elif i < dealt:
            s.hand[i % world.players] |= 1 << card
        else:
            s.face_up |= 1 << card


@jit
def _with_room(world: World, s: State, kind: int) -> int:
    seat = 0
    while count(s.hand[seat] & CATEGORY_MASK[kind]) == world.shares[seat, kind]:
        seat += 1
    return seat


@jit
def deal_out(state: State, seat: int, holder: np.ndarray) -> None:
    """Set the envelope and all hands except that of ``seat`` from a deal (int64 (21,))."""
    state.envelope = 0
    for other in range(MAX_PLAYERS):
        if other != seat:
            state.hand[other] = 0
    for card in range(N_CARDS):
        if holder[card] == 0:
            state.envelope |= 1 << card
        elif holder[card] > 0 and holder[card] - 1 != seat:
            state.hand[holder[card] - 1] |= 1 << card
