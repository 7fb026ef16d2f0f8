"""The hidden state of a simulation: a deal, and what the opponents would know if it were true.

Each opponent knows its drawn hand, what is public, and the cards that it was shown, each drawn
uniformly from the drawn answerer's matching cards -- never the searching seat's hand, except for
the cards that this seat showed it.

Bringing three opponents up to date on a whole game costs as much as a roll-out.  So a search can
keep a number of such *worlds*: each is made when a simulation first draws it, in memory that all
threads share, and copied from then on.
"""

from __future__ import annotations

import numpy as np

from belief import exact
from mcts.kernel.atomics import compare_and_swap, load
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, draw, fold
from sim.cards import N_CARDS
from sim.knowledge import begin, learn
from sim.policies.common import any_card
from sim.state import MAX_PLAYERS

_FRESH, _UNDER_WAY, _READY = 0, 1, 2


@jit
def draw_world(p, s, stream: np.ndarray) -> None:
    """Set ``s.state`` to the root with a deal drawn; its chance from here on is ``stream``'s."""
    n = len(p.ready)
    if n == 0:
        make_world(p, s, s.state, 0, stream)
    else:
        i = below(stream, n)
        s.stream[0] = fold(p.key, i)
        if compare_and_swap(p.ready, i, _FRESH, _UNDER_WAY) == _FRESH:
            make_world(p, s, p.worlds, i, s.stream)
            compare_and_swap(p.ready, i, _UNDER_WAY, _READY)
        if load(p.ready, i) == _READY:
            s.state[0] = p.worlds[i]
        else:  # another thread is at it; this makes the same one
            make_world(p, s, s.state, 0, s.stream)
    s.state[0].key = draw(stream)


@jit
def make_world(p, s, states: np.recarray, i: int, stream: np.ndarray) -> None:
    """Set ``states[i]`` to the root with a deal drawn and the opponents informed."""
    states[i] = p.root[0]
    state = states[i]
    if len(p.deals):
        row = below(stream, len(p.deals))
        for card in range(N_CARDS):
            s.holder[card] = p.deals[row, card]
    else:
        exact.sample(p.posterior, stream, s.holder)
    deal_out(state, p.seat, s.holder)
    begin_opponents(p, state)
    inform_opponents(p, state, p.events, len(p.events), stream)


@jit
def deal_out(state: np.record, seat: int, holder: np.ndarray) -> None:
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
def begin_opponents(p, state: np.record) -> None:
    """Let the opponents know their hands and no more."""
    for seat in range(p.world[0].players):
        if seat != p.seat:
            begin(p.world[0], state, seat)


@jit
def inform_opponents(p, state: np.record, events: np.recarray, n: int, stream: np.ndarray) -> None:
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
