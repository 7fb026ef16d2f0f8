"""Notebooks at the root: the agent has ours, the other seats have modified copies.

By the text [Ledford 2018, s. 3.4] the agent is the searching seat, and the other notebooks are
copies of ours with "our hand" spread.  With `FIRST_SEAT` the agent is seat 0 with our notebook; the
other copies spread the cards that we know seat 0 to hold, so all of them, our own seat included,
are certain of our hand.
"""

from __future__ import annotations

import numpy as np

from belief.matrix import note_pass
from mcts.kernel.compile import jit
from sim.cards import N_CARDS
from sim.knowledge import row_bits
from sim.planning.belief_mdp import copy_notebook, draw_envelope
from sim.planning.released.departures import UNTOLD
from sim.state import EXTERNAL, FACTORED, State


@jit
def share(players: int, state: State, real: int, agent: int) -> None:
    """Convert ``state``, the root as seen by seat ``real``, to the start of simulations."""
    state.envelope = 0
    for seat in range(players):
        state.tracks[seat] = FACTORED
        if seat != real:
            state.hand[seat] = 0
    ours, seen, proved = state.belief[agent], state.known[real], state.proved[real]
    if agent != real:
        for card in range(N_CARDS):
            for column in range(ours.shape[1]):
                ours[card, column] = state.belief[real, card, column]
        state.policy[real], state.policy[agent] = state.policy[agent], EXTERNAL
    held = 0
    for card in range(N_CARDS):
        if ours[card, agent + 1] == 1.0:
            held |= 1 << card
    for seat in range(players):
        if seat != agent:
            copy_notebook(state, players, agent, seat, held)
    state.known[agent], state.proved[agent] = seen, proved
    for seat in range(players):
        state.bits[seat][:] = -1.0
        for card in range(N_CARDS):
            row_bits(state, seat, card)


@jit
def limit(players: int, state: State, deals: np.ndarray, on: int, stream: np.ndarray) -> None:
    """Draw the never-shown envelope from ``deals`` [LD-BMCTS, s. 3.5]; one draw."""
    draw_envelope(state, deals, stream)
    exclude_envelope(players, state, on)


@jit
def exclude_envelope(players: int, state: State, on: int) -> None:
    """Record for all seats that they hold no card of the drawn envelope, unless `UNTOLD`."""
    if on & UNTOLD:
        return
    cards = state.envelope
    for seat in range(players):
        note_pass(state.belief[seat], seat, cards)
        for card in range(N_CARDS):
            if cards >> card & 1:
                state.bits[seat, card] = -1.0


@jit
def restore(players: int, state: State, root: State, on: int) -> None:
    """Reset all notebooks to those of the search ``root``."""
    for seat in range(players):
        state.known[seat], state.proved[seat] = root.known[seat], root.proved[seat]
        for card in range(N_CARDS):
            state.bits[seat, card] = root.bits[seat, card]
            for column in range(state.belief.shape[2]):
                state.belief[seat, card, column] = root.belief[seat, card, column]
    if state.envelope:
        exclude_envelope(players, state, on)
