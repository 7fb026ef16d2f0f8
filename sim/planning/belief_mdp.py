"""The belief MDP of BMCTS by the text [Ledford 2018, s. 2.5.1, 3.4 and 3.5].

Used with ``answers: predictive``, by ``bmcts_faithful`` and ``ld_bmcts_faithful``.  ``bmcts`` and
the other presets draw a deal (`sim.planning.determinized`).  `sim.planning.reference` is the same
in plain Python.  `mcts.simulation` has the four phases (selection by eq. 2.8, expansion, roll-out,
backpropagation [s. 2.3]), `sim.planning.candidates` the actions of a node, and
`sim.planning.information_sets` its key.

The belief b is the searching seat's matrix of independent rows [App. B], ``state.belief[p.seat]``.
A simulation has no hands.  Players answer a suggestion in turn: each holds each named card with
its current probability under b, excluding players who passed before; a player who holds some shows
one.  All seats learn from the answer as in the game, so later answers follow the propagated b.

The text leaves open: opponents accuse when certain, and count as right; a roll-out returns the
probability of the likeliest envelope under its final belief.
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
"""The policy that accuses only an envelope that is certain in its matrix."""

# Start: the root's belief, for all seats.


@jit
def start(p, s, stream: np.ndarray) -> None:
    """Begin a simulation at the root: b, opponents who share it, a fresh game key [s. 3.4].

    Consumes one draw, LD-BMCTS two.
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
    """Copy b to all opponents, "spreading out the probability" of our hand [s. 3.4]."""
    players, hand = p.world[0].players, state.hand[p.seat]
    for seat in range(players):
        if seat != p.seat:
            copy_notebook(state, players, p.seat, seat, hand)
            state.bits[seat][:] = -1.0


@jit
def copy_notebook(state: State, players: int, own: int, seat: int, spread: int) -> None:
    """Give ``seat`` a copy of the matrix of seat ``own``, and no other knowledge.

    Rows of the cards ``spread`` (mask) are initial rows: any holder but ``seat``.
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

    It is the envelope of a row of ``p.deals``, which all share it if it is drawn "at the root
    node".  Its cards are never shown, and "each agent is informed that they do not have any of the
    three": its own matrix column loses them.  Our column had none, since we know our hand, so b,
    the value of accusations, is unchanged, and no seat learns that the cards are in the envelope.
    """
    draw_envelope(state, p.deals, stream)
    for seat in range(p.world[0].players):
        note_pass(state.belief[seat], seat, state.envelope)


@jit
def draw_envelope(state: State, deals: np.ndarray, stream: np.ndarray) -> None:
    """Set the envelope from a random row of ``deals``, int64 (n, 21); one draw."""
    row = np.int64(draw(stream) % np.uint64(len(deals)))
    for card in range(N_CARDS):
        if deals[row, card] == 0:
            state.envelope |= 1 << card


# Step: b' ~ P(b' | b, a), until the searching seat's next decision [eq. 2.10].


@jit
def step(p, state: State, action: int, edge_data: float, stream: np.ndarray) -> float:
    """Apply the own ``action`` and let the others play; return the reward.

    An accusation ends the simulation with reward rho(b) = b(accused) [eq. 2.11]: ``edge_data``,
    computed when the node listed its actions.
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
    """Run the policies, "three heuristic opponents" [s. 3.4], until the searching seat decides."""
    # With one suggestion per turn, a round of six players cannot fill the events.
    while state.phase != OVER and state.events < EVENTS and not stops(state):
        open_decision(state)
        transition(p, state, choose(p.world[0], state, decider(state)), stream)


@jit
def transition(p, state: State, action: int, stream: np.ndarray) -> None:
    """Apply ``action`` of the seat to move: P(b' | b, a) = sum_o P(b' | a, b, o) P(o | a, b)."""
    if ACCUSE <= action < REVEAL:
        state.winner = state.seat
        state.phase = OVER
        return
    if PASSAGE < action < ACCUSE:
        cards = named_cards(p.world[0], state, action)
        first = state.seat + 1 if state.seat + 1 < p.world[0].players else 0
        # o ~ P(o | a, b)
        draw_answer(p.world[0], state, p.seat, p.seat, False, cards, first, 0, stream)
    propagate(p, state, action)  # b', determined by o


@jit
def propagate(p, state: State, action: int) -> None:
    """Apply ``action`` by the rules; update all beliefs with passes and answer, P(b' | a, b, o).

    By `sim.knowledge.learn`, a pass removes the cards from a player's column, and a card shown to
    others is weighed by Bayes' rule [eq. 3.1].
    """
    apply(p.world[0], state, action)


# Roll-out and reward.


@jit
def rollout(p, state: State, stream: np.ndarray) -> float:
    """Continue with policies in all seats, in the belief [s. 2.5.2]; return the reward by b.

    By the text, most roll-outs in a game's first half never end: hands drawn from independent rows
    need not leave an envelope, and then no player becomes certain.  A seat that can never become
    certain cannot win, so its roll-out stops with 0.
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

    R is 1 if the envelope is the accused one.  Rows are independent, and the envelope column is
    normalised by category.  Heard accusations are excluded.
    """
    return best_unheard(state, matrix)[1]
