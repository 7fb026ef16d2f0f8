"""Answers to suggestions without hands: drawn from a belief or evenly, and as tree nodes.

The agent's belief matrix gives the holders, except for the cards of the searching seat.  Columns of
players who passed on the same suggestion are excluded (``passed``, a mask).  Cards of a drawn
envelope are never shown.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import HOLDERS, lowest
from mcts.kernel.compile import jit
from mcts.kernel.rng import uniform
from sim.cards import FIRST_ROOM, FIRST_WEAPON
from sim.policies.common import any_card
from sim.state import ASK, PASS, REVEAL, State, World


@jit
def named_cards(world: World, state: State, action: int) -> int:
    """Return the mask of the cards of the current seat's suggestion ``action``."""
    pair = action - ASK
    room = world.room_of[state.spot[state.seat]]
    return 1 << (pair // 6) | 1 << (FIRST_WEAPON + pair % 6) | 1 << (FIRST_ROOM + room)


@jit
def left_over(own: np.ndarray, card: int, passed: int) -> float:
    """Return the sum of the row of ``card`` without the columns ``passed``."""
    total = 0.0
    for column in range(HOLDERS):
        if not passed >> column & 1:
            total += own[card, column]
    return total


@jit
def may_show(own: np.ndarray, seat: int, cards: int, passed: int) -> tuple[int, bool]:
    """Return the ``cards`` that player ``seat`` may hold, and whether it certainly holds one."""
    possible, sure = 0, False
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if own[card, seat + 1] > 0.0:
            possible |= 1 << card
            sure = sure or own[card, seat + 1] == left_over(own, card, passed)
    return possible, sure


@jit
def empty_hands(world: World, state: State, real: int) -> None:
    """Empty all hands except that of the seat ``real``."""
    for seat in range(world.players):
        if seat != real:
            state.hand[seat] = 0


@jit
def draw_answer(
    world: World,
    state: State,
    real: int,
    agent: int,
    even: bool,
    cards: int,
    asked: int,
    passed: int,
    stream: np.ndarray,
) -> None:
    """Fill the hands with a drawn answer to the suggestion of ``cards``: o ~ P(o | a, b).

    Uses the belief of the seat ``agent``, with one draw per card that a player may hold.  With
    ``even``, a coin decides whether a player shows a card, and the card is uniform.  ``asked`` is
    the first to answer.  Consumes ``stream``.
    """
    empty_hands(world, state, real)
    own = state.belief[agent]
    while asked != state.seat:
        if asked == real:
            if state.hand[asked] & cards:
                return
        else:
            allowed = cards & ~state.envelope
            if even:
                held = _toss(own, asked, allowed, passed, stream)
            else:
                held = _weigh(own, asked, allowed, passed, stream)
            passed |= 1 << (asked + 1)
            if held:
                state.hand[asked] = held
                return
        asked = asked + 1 if asked + 1 < world.players else 0


@jit
def _weigh(own: np.ndarray, asked: int, cards: int, passed: int, stream: np.ndarray) -> int:
    """Return the drawn ``cards`` that player ``asked`` holds, each with its probability."""
    held = 0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        chance = own[card, asked + 1]
        if chance > 0.0 and uniform(stream) * left_over(own, card, passed) < chance:
            held |= 1 << card
    return held


@jit
def _toss(own: np.ndarray, asked: int, cards: int, passed: int, stream: np.ndarray) -> int:
    """Return a drawn card that ``asked`` may hold, or none: a coin unless it is certain."""
    possible, sure = may_show(own, asked, cards, passed)
    if possible and (sure or uniform(stream) < 0.5):
        return 1 << any_card(stream, possible)
    return 0


@jit
def list_answers(
    own: np.ndarray, asked: int, cards: int, passed: int, out: np.ndarray, edge_data: np.ndarray
) -> int:
    """List the answers of player ``asked`` with their probabilities; return their number.

    Answers are `REVEAL` + card for each of ``cards`` that it may hold, and `PASS` for "no card".
    """
    n, nothing = 0, 1.0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        chance = own[card, asked + 1]
        if chance > 0.0:
            chance /= left_over(own, card, passed)
            out[n], edge_data[n] = REVEAL + card, chance
            nothing *= 1.0 - chance
            n += 1
    if nothing > 0.0:
        out[n], edge_data[n] = PASS, nothing
        n += 1
    return n
