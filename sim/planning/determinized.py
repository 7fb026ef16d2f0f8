"""The hidden state of a simulation: a deal, and what the opponents would know if it were true.

Each opponent knows its drawn hand, what is public, and the cards that it was shown, each drawn
uniformly from the drawn answerer's matching cards -- never the searching seat's hand, except for
the cards that this seat showed it.
"""

from __future__ import annotations

import numpy as np

from belief.exact import solver
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, draw
from sim.cards import N_CARDS
from sim.knowledge import begin, learn
from sim.policies.common import any_card
from sim.state import MAX_PLAYERS, State


@jit
def draw_world(p, s, stream: np.ndarray) -> None:
    """Set ``s.state`` to the root with a deal drawn, the opponents informed and fresh chance."""
    s.state[0] = p.root[0]
    state = s.state[0]
    if len(p.deals):
        row = below(stream, len(p.deals))
        for card in range(N_CARDS):
            s.holder[card] = p.deals[row, card]
    else:
        solver.sample(p.posterior, stream, s.holder)
    deal_out(state, p.seat, s.holder)
    begin_opponents(p, state)
    inform_opponents(p, state, p.events, len(p.events), stream)
    state.key = draw(stream)


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


@jit
def begin_opponents(p, state: State) -> None:
    """Let the opponents know their hands and no more."""
    for seat in range(p.world[0].players):
        if seat != p.seat:
            begin(p.world[0], state, seat)


@jit
def inform_opponents(p, state: State, events: np.recarray, n: int, stream: np.ndarray) -> None:
    """Let the opponents learn from the first ``n`` of ``events``, as the searching seat saw them.

    A card shown between opponents is drawn uniformly from the drawn answerer's matching cards.
    """
    world = p.world[0]
    for i in range(n):
        event = events[i]
        card = event.card
        if card < 0 and event.answerer >= 0:
            card = any_card(stream, state.hand[event.answerer] & event.cards)
        for seat in range(world.players):
            if seat != p.seat:
                learn(world, state, seat, event.asker, event.cards, event.answerer, card)
