"""The belief MDP of BMCTS by the text [Ledford 2018, s. 2.5.1, 3.4 and 3.5].

It is played with ``answers: predictive``, as ``bmcts_faithful`` and ``ld_bmcts_faithful`` do.
``bmcts`` and the other presets play with a drawn deal (`sim.planning.determinized`).  The same in
plain Python: `sim.planning.reference`.

In the order of the text: how a simulation starts, what an action leads to, how the answers are
drawn and the belief is propagated, how it is rolled out, and what it pays.  The four phases around
it (selection by eq. 2.8, expansion, roll-out, backpropagation [s. 2.3]) are `mcts.simulation`; what
a node offers is `sim.planning.candidates`, and what its key is, `sim.planning.information_sets`.

The belief b is the searching seat's matrix of independent rows [App. B], ``state.belief[p.seat]``.
No hands exist in such a simulation.  When a card is asked for, the players answer in turn: each
holds each named card with the probability that b gives it by then, those who passed before
excepted; a player who holds some shows one of them.  Everybody learns from the answer as in the
game, so b is propagated, and the next answer follows the propagated one.

Where the text is silent: opponents accuse when they are certain, and are then taken to be right;
the roll-out pays for the likeliest envelope under the belief that it ends with.
"""

from __future__ import annotations

import numpy as np

from belief.matrix import never_certain, note_pass
from belief.matrix import start as prior
from mcts.kernel.compile import jit
from mcts.kernel.rng import draw
from sim.cards import N_CARDS
from sim.game import apply, decider, open_decision, stops
from sim.planning.answers import draw_answer, named_cards
from sim.planning.variants import LIGHTLY_DETERMINIZED
from sim.policies.common import was_heard
from sim.policies.heuristic import certain_envelope
from sim.policies.registry import choose, number
from sim.policies.swift import best_unheard
from sim.state import ACCUSE, EVENTS, FACTORED, MOVE, OVER, PASSAGE, REVEAL, State

_HEURISTIC = number("heuristic")
"""The policy that accuses only an envelope that its matrix is certain of."""

# Start: the root's belief, for everybody.


@jit
def start(p, s, stream: np.ndarray) -> None:
    """Begin a simulation at the root: b, opponents who share it, and fresh chance [s. 3.4].

    Consumes one draw, with a restriction two.
    """
    s.state[0] = p.root[0]
    state = s.state[0]
    state.key = draw(stream)
    state.envelope = 0
    for seat in range(p.world[0].players):
        if seat != p.seat:
            state.hand[seat] = 0
    share_belief(p, state)
    if p.answers == LIGHTLY_DETERMINIZED:
        restrict(p, state, stream)


@jit
def share_belief(p, state: State) -> None:
    """Copy b to every opponent, "spreading out the probability" of our hand [s. 3.4]."""
    players, hand = p.world[0].players, state.hand[p.seat]
    for seat in range(players):
        if seat != p.seat:
            copy_notebook(state, players, p.seat, seat, hand)
            state.bits[seat][:] = -1.0


@jit
def copy_notebook(state: State, players: int, own: int, seat: int, spread: int) -> None:
    """Give ``seat`` a copy of the matrix of the seat ``own``, and nothing else that it knows.

    Rows of the cards ``spread`` (mask) are as it would start with them: anywhere but with itself.
    """
    ours, theirs = state.belief[own], state.belief[seat]
    prior(theirs, players, seat, 0, state.face_up)
    for card in range(N_CARDS):
        if not spread >> card & 1:
            for column in range(theirs.shape[1]):
                theirs[card, column] = ours[card, column]
    state.known[seat] = state.face_up
    state.proved[seat] = 0
    state.goal[seat] = -1


@jit
def restrict(p, state: State, stream: np.ndarray) -> None:
    """Determinize the envelope lightly [LD-BMCTS, s. 3.5].

    It is that of a row of ``p.deals``, which share one where it is drawn "at the root node".  Its
    cards are never shown, and "each agent is informed that they do not have any of the three": its
    own column of its matrix loses them.  Ours had lost them before, for we know our hand; so b, by
    which accusations pay, stays as it is, and no seat learns that they are in the envelope.
    """
    draw_envelope(state, p.deals, stream)
    for seat in range(p.world[0].players):
        note_pass(state.belief[seat], seat, state.envelope)


@jit
def draw_envelope(state: State, deals: np.ndarray, stream: np.ndarray) -> None:
    """Fill the envelope from a row of ``deals``, int64 (n, 21); one draw."""
    row = np.int64(draw(stream) % np.uint64(len(deals)))
    for card in range(N_CARDS):
        if deals[row, card] == 0:
            state.envelope |= 1 << card


# Step: b' ~ P(b' | b, a), until the searching seat decides again [eq. 2.10].


@jit
def step(p, state: State, action: int, edge_data: float, stream: np.ndarray) -> float:
    """Do the own ``action`` and let the others play; return the reward.

    An accusation ends the simulation and pays rho(b) = b(accused) [eq. 2.11]: ``edge_data``, which
    was found when the node listed its actions.
    """
    if ACCUSE <= action < REVEAL:
        state.phase = OVER
        return edge_data
    if action < PASSAGE:
        state.goal[p.seat] = action - MOVE
    transition(p, state, action, stream)
    play_on(p, state, stream)
    return 0.0


@jit
def play_on(p, state: State, stream: np.ndarray) -> None:
    """Let the policies play, "three heuristic opponents" [s. 3.4], until they do not decide."""
    # One suggestion a turn: a round among six cannot fill the events.
    while state.phase != OVER and state.events < EVENTS and not stops(state):
        open_decision(state)
        transition(p, state, choose(p.world[0], state, decider(state)), stream)


@jit
def transition(p, state: State, action: int, stream: np.ndarray) -> None:
    """Do one ``action`` of the seat to move: P(b' | b, a) = sum_o P(b' | a, b, o) P(o | a, b)."""
    if ACCUSE <= action < REVEAL:
        state.winner = state.seat
        state.phase = OVER
        return
    if PASSAGE < action < ACCUSE:
        cards = named_cards(p.world[0], state, action)
        first = state.seat + 1 if state.seat + 1 < p.world[0].players else 0
        # o ~ P(o | a, b)
        draw_answer(p.world[0], state, p.seat, p.seat, False, cards, first, 0, stream)
    propagate(p, state, action)  # b', which o determines


@jit
def propagate(p, state: State, action: int) -> None:
    """Do ``action`` by the rules; all beliefs take in the passes and the answer, P(b' | a, b, o).

    `sim.knowledge.learn` shows every seat what it sees of them: a pass takes the cards from a
    player's column, a card shown to others is weighed in by Bayes' rule [eq. 3.1].
    """
    apply(p.world[0], state, action)


# Roll-out, and what it pays.


@jit
def rollout(p, state: State, stream: np.ndarray) -> float:
    """Play on with policies in all seats, in the belief [s. 2.5.2]; pay what b makes of the end.

    By the text most roll-outs of a game's first half never end: hands drawn from independent rows
    need not leave an envelope, and then nobody is ever certain.  A seat that can be certain no more
    cannot win, so what happens to it is not played out.
    """
    state.recording = 0
    state.events = 0
    for seat in range(p.world[0].players):
        state.policy[seat] = p.policies[0, seat]
        state.tracks[seat] = p.policies[1, seat]
    state.tracks[p.seat] |= FACTORED
    own, asked, certain = state.belief[p.seat], -1, state.policy[p.seat] == _HEURISTIC
    while state.phase != OVER:
        if certain and state.asked != asked:
            asked = state.asked
            if never_certain(own) or was_heard(state, certain_envelope(own)):
                return 0.0
        open_decision(state)
        transition(p, state, choose(p.world[0], state, decider(state)), stream)
    return reward(state, own) if state.winner == p.seat else 0.0


@jit
def reward(state: State, matrix: np.ndarray) -> float:
    """Return rho(b) = sum_s b(s) R(s) [eq. 2.11] of accusing the likeliest envelope.

    It leaves out what was accused aloud.

    R is 1 where the envelope is the accused one; rows are independent, and the column of the
    envelope is normalised by category.
    """
    return best_unheard(state, matrix)[1]
