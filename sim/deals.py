"""A deal as an array, put into a state."""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit
from sim.cards import N_CARDS
from sim.state import MAX_PLAYERS, State


@jit
def deal_out(state: State, seat: int, holder: np.ndarray) -> None:
    """Fill the envelope and the hands of all but ``seat`` from a deal (int64 (21,))."""
    state.envelope = 0
    for other in range(MAX_PLAYERS):
        if other != seat:
            state.hand[other] = 0
    for card in range(N_CARDS):
        if holder[card] == 0:
            state.envelope |= 1 << card
        elif holder[card] > 0 and holder[card] - 1 != seat:
            state.hand[holder[card] - 1] |= 1 << card
