"""Cluedo as a search domain: one seat plans, the others are moved by a policy [Ledford 2018, 3.4].

Whose knowledge is used where:

* What the searching seat cannot know is one deal drawn from its exact posterior at the start of a
  simulation.  By the chain rule that gives the same answers, in distribution, as drawing each
  answer from the propagated belief; it costs 0.2 microseconds instead of one posterior an answer.
* Its own decisions in the tree and the pay-off of an accusation there use the *propagated belief*
  alone: evidence seen on the way down, and the exact posterior given it.  An accusation pays
  P(envelope = accused), so no simulation can be taught by an envelope that it happened to draw.
* Each opponent knows its drawn hand, what is public, and the cards it was shown, each drawn
  uniformly from the drawn answerer's matching cards -- never the searching seat's hand, except for
  the cards that this seat showed it.
* In a roll-out the searching seat plays a compiled policy on what it has learnt, and an accusation
  pays by the deal that the simulation carries (the same in expectation).

The reward is 1 for winning and 0 otherwise, so values are probabilities of winning for the
searching seat.  The limits: opponents' suggestions are taken to be independent of their hands.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belief import exact
from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import draw, fold
from sim.cards import N_CARDS
from sim.domains.candidates import by_information, in_order
from sim.game import advance, apply
from sim.knowledge import begin, learn
from sim.policies.common import any_card
from sim.policies.table import TRACKS
from sim.state import (
    ACCUSE,
    MAX_PLAYERS,
    MOVE,
    OVER,
    PASSAGE,
    REVEAL,
    empty,
)

MAX_ACTIONS = 64
MAX_DEPTH = 64


class Cluedo(NamedTuple):
    """The position searched, and how the search sees the game.

    Attributes
    ----------
    world : (1,) record of rules and board
    root : (1,) the state as the searching seat sees it, with what that seat has learnt, its
        evidence included
    posterior : workspace of `belief.exact`, solved for that evidence; only read
    events : (n,) the suggestions so far as this seat saw them (`sim.state.EVENT`)
    seat : the searching seat
    rollout : number of the policy of this seat in roll-outs; those of the others are in ``root``
    candidates : actions of a kind offered at a node, best information first; 0 offers all in order
    accusations, least_accused : an accusation is offered for so many envelopes, the likeliest,
        and only above this probability
    """

    world: np.recarray
    root: np.recarray
    posterior: tuple
    events: np.recarray
    seat: int
    rollout: int
    candidates: int
    accusations: int
    least_accused: float


class Workspace(NamedTuple):
    """What one thread needs: a state, and scratch for posteriors and deals."""

    state: np.recarray
    posterior: tuple
    holder: np.ndarray


def workspace(p: Cluedo) -> Workspace:
    """Return a fresh workspace for one thread."""
    return Workspace(
        state=empty(),
        posterior=exact.workspace(len(p.posterior.key)),
        holder=np.zeros(N_CARDS, np.int64),
    )


@jit
def start(p, s, stream):
    """Begin a simulation at the root with a fresh deal, fresh chance and opponents of their own."""
    s.state[0] = p.root[0]
    state = s.state[0]
    state.key = draw(stream)
    exact.sample(p.posterior, stream, s.holder)
    state.envelope = 0
    for seat in range(MAX_PLAYERS):
        if seat != p.seat:
            state.hand[seat] = 0
    for card in range(N_CARDS):
        holder = s.holder[card]
        if holder == 0:
            state.envelope |= 1 << card
        elif holder > 0 and holder - 1 != p.seat:
            state.hand[holder - 1] |= 1 << card
    inform_opponents(p, state, stream)


@jit
def inform_opponents(p: Cluedo, state: np.record, stream: np.ndarray) -> None:
    """Give each opponent the knowledge it would have if the drawn deal were the true one.

    A card shown between opponents is drawn uniformly from the drawn answerer's matching cards.
    """
    world = p.world[0]
    for seat in range(world.players):
        if seat != p.seat:
            begin(world, state, seat)
    for i in range(len(p.events)):
        event = p.events[i]
        card = event.card
        if card < 0 and event.answerer >= 0:
            card = any_card(stream, state.hand[event.answerer] & event.cards)
        for seat in range(world.players):
            if seat != p.seat:
                learn(world, state, seat, event.asker, event.cards, event.answerer, card)


@jit
def offer(p, state: np.record, posterior: tuple, out: np.ndarray, notes: np.ndarray) -> int:
    """List what the searching seat may do in ``state``, given its solved ``posterior``."""
    how = (p.accusations, p.least_accused, out, notes)
    if p.candidates:
        return by_information(p.world[0], state, posterior, p.seat, p.candidates, *how)
    return in_order(p.world[0], state, posterior, p.seat, *how)


@jit
def actions(p, s, out, notes):
    """List what the searching seat may do; an accusation's note is its propagated probability."""
    state = s.state[0]
    if not exact.solve(state.evidence[p.seat], s.posterior):
        # Consistent with the drawn deal, so it can only be too large: a leaf that stays a leaf.
        return 0
    return offer(p, state, s.posterior, out, notes)


@jit
def step(p, s, action, note, stream):
    """Act, and let the others play until this seat decides again; its evidence grows meanwhile."""
    world, state = p.world[0], s.state[0]
    if ACCUSE <= action < REVEAL:
        # Right or wrong, nothing is left to decide: the belief alone says what it is worth.
        state.phase = OVER
        return note
    if action < PASSAGE:
        state.goal[p.seat] = action - MOVE
    state.events = 0
    apply(world, state, action)
    # One suggestion a turn: a round among six cannot fill the events.
    advance(world, state)
    return 0.0


@jit
def observation(p, s):
    """Return the key of what bears on this seat's belief and choices.

    That is every suggestion with the answer as seen here, who is out, and the own pawn and roll.
    Where the other pawns stand tells nothing about the cards and changes no list of actions: such
    after-states have equal beliefs and are merged [Ledford 2018, s. 2.3].  With them in the key
    hardly any node below the own turn would be met twice.
    """
    world, state = p.world[0], s.state[0]
    key = fold(fold(np.uint64(state.phase), state.roll), state.spot[p.seat])
    key = fold(key, state.summoned[p.seat])
    for seat in range(world.players):
        key = fold(key, state.out[seat])
    for i in range(state.events):
        event = state.event[i]
        key = fold(fold(key, 8 * event[0] + event[2] + 1), event[1])
        if p.seat in (event[0], event[2]):
            key = fold(key, event[3] + 1)
    return key


@jit
def terminal(p, s):
    """Tell whether the game is over or this seat has accused."""
    return s.state[0].phase == OVER


@jit
def rollout(p, s, stream):
    """Play on with the roll-out policy in this seat; return 1 for winning, else 0."""
    state = s.state[0]
    state.recording = 0
    state.events = 0
    state.policy[p.seat] = p.rollout
    state.tracks[p.seat] = TRACKS[p.rollout]
    state.threshold[p.seat] = 1.0
    advance(p.world[0], state)
    return 1.0 if state.winner == p.seat else 0.0


register(
    Cluedo,
    start=start,
    actions=actions,
    step=step,
    observation=observation,
    terminal=terminal,
    rollout=rollout,
    workspace=workspace,
    discount=1.0,
    low=0.0,
    high=1.0,
    max_actions=MAX_ACTIONS,
    max_depth=MAX_DEPTH,
)
