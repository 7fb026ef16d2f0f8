"""Answers drawn one by one from the propagated factored belief, without a deal [Ledford 2018, 3.4].

No hands exist in such a simulation.  When a card is asked for, the players answer in turn: each
holds each named card with the probability that the searching seat's matrix gives it by then, those
who passed before excepted; a player who holds some shows one of them.  Where an envelope was drawn
[LD-BMCTS, 3.5] its cards cannot be shown.  Everybody learns from the answer as in the game, so the
matrix is propagated, and the next answer follows the propagated one.

Opponents play on beliefs of their own, at first ours with our hand spread out; they accuse when
they are certain, and are then taken to be right.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import lowest
from belief.matrix import start as prior
from mcts.kernel.compile import jit
from mcts.kernel.rng import uniform
from sim.cards import CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON, N_CARDS
from sim.game import apply, decider, open_decision, stops
from sim.policies.table import choose
from sim.state import ACCUSE, ASK, EVENTS, OVER, PASSAGE, REVEAL, State


@jit
def share_belief(p, state: State) -> None:
    """Give every opponent the searching seat's matrix, its hand spread out [s. 3.4]."""
    world = p.world[0]
    for seat in range(world.players):
        if seat == p.seat:
            continue
        own, theirs = state.belief[p.seat], state.belief[seat]
        # Rows of our hand as the opponent would start with them: anywhere but with itself.
        prior(theirs, world.players, seat, 0, state.face_up)
        for card in range(N_CARDS):
            if not state.hand[p.seat] >> card & 1:
                for column in range(theirs.shape[1]):
                    theirs[card, column] = own[card, column]
        state.known[seat] = state.face_up
        state.goal[seat] = -1
        state.bits[seat][:] = -1.0


@jit
def answer(p, state: State, action: int, matrix: np.ndarray, stream: np.ndarray) -> None:
    """Fill the opponents' hands with just what answers the suggestion ``action``.

    It is that of the seat to move; ``matrix`` is scratch (21, 7).
    """
    world, own = p.world[0], state.belief[p.seat]
    pair = action - ASK
    cards = (
        1 << (pair // 6)
        | 1 << (FIRST_WEAPON + pair % 6)
        | 1 << (FIRST_ROOM + world.room_of[state.spot[state.seat]])
    )
    for seat in range(world.players):
        if seat != p.seat:
            state.hand[seat] = 0
    rest = cards
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        for column in range(matrix.shape[1]):
            matrix[card, column] = own[card, column]
    asked = state.seat
    for _ in range(world.players - 1):
        asked = asked + 1 if asked + 1 < world.players else 0
        if asked == p.seat:
            if state.hand[asked] & cards:
                return
            continue
        held = 0
        rest = cards & ~state.envelope
        while rest:
            card = lowest(rest)
            rest &= rest - 1
            total = 0.0
            for column in range(matrix.shape[1]):
                total += matrix[card, column]
            chance = matrix[card, asked + 1]
            if chance > 0.0 and uniform(stream) * total < chance:
                held |= 1 << card
            matrix[card, asked + 1] = 0.0
        if held:
            state.hand[asked] = held
            return


@jit
def advance_by_belief(p, state: State, matrix: np.ndarray, stream: np.ndarray) -> None:
    """Run as `sim.game.advance` does, with answers drawn from the belief of the searching seat."""
    world = p.world[0]
    while state.phase != OVER and state.events < EVENTS and not stops(state):
        open_decision(state)
        perform(p, state, choose(world, state, decider(state)), matrix, stream)


@jit
def perform(p, state: State, action: int, matrix: np.ndarray, stream: np.ndarray) -> None:
    """Do ``action`` without hands: answers are drawn, accusations are right."""
    if ACCUSE <= action < REVEAL:
        state.winner = state.seat
        state.phase = OVER
        return
    if PASSAGE < action < ACCUSE:
        answer(p, state, action, matrix, stream)
    apply(p.world[0], state, action)


@jit
def accused_chance(matrix: np.ndarray) -> float:
    """Return the probability, under a matrix of independent rows, of its likeliest envelope."""
    chance = 1.0
    for kind in CATEGORY_MASK:
        most = total = 0.0
        rest = kind
        while rest:
            p = matrix[lowest(rest), 0]
            rest &= rest - 1
            total += p
            most = max(most, p)
        chance *= most / total if total > 0.0 else 0.0
    return chance
