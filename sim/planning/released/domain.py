"""Search domain of the planner in the program released with [Ledford 2018].

The position is that of `sim.planning.cluedo`; simulations deviate from the text by the switches of
`sim.planning.released.departures`.  Without any, the trees are bit-identical to those of the
planner by the text.  Kernels read the switches as bits, so one compilation serves all
combinations, and the planners by the text are unaffected.

The only hand is our own (`sim.planning.belief_mdp`).  If the tree decides for several seats, each
maximises its own wins, and an accusation by the agent in the tree ends the simulation with the
probability under its belief as the reward.  Nodes are then histories, visible to all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belief.exact import solver
from belief.matrix import note_pass
from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import draw, fold
from mcts.threads import private
from sim.cards import N_CARDS
from sim.game import open_decision, stops
from sim.knowledge import row_bits
from sim.planning import cluedo
from sim.planning.belief_mdp import copy_notebook, draw_envelope
from sim.planning.cluedo import Cluedo
from sim.planning.information_sets import after_state_key, view_key
from sim.planning.released.departures import (
    EVEN_ACCUSATIONS,
    FIRST_SEAT,
    IN_ROLLOUTS,
    ROOT_BELIEF,
    TREE_OPPONENTS,
    UNTOLD,
)
from sim.planning.released.nodes import (
    ACTION,
    ASKED,
    PASSED,
    answer,
    ask,
    close_if_decided,
    list_open,
    list_opponents,
    list_own,
)
from sim.planning.released.play import (
    Play,
    accuse,
    act,
    answer_by_chance,
    chance_of,
    decide,
    do,
    play_out,
    win,
)
from sim.planning.variants import LIGHTLY_DETERMINIZED
from sim.state import (
    ACCUSE,
    ASK,
    EVENTS,
    EXTERNAL,
    FACTORED,
    MAX_PLAYERS,
    MOVE,
    OVER,
    PASSAGE,
    REVEAL,
    State,
    empty,
)

MAX_DEPTH = 500
"""Depth of the program's tree; each decision of a seat and each answer is one step."""


class Released(NamedTuple):
    """The searched position and the deviations from the text.

    Attributes
    ----------
    planned : position of the planner by the text; LD-BMCTS draws envelopes from its ``deals``
    root : (1,) start of simulations: ``planned.root`` with the notebooks of all seats
    agent : the seat that the searching seat plays in simulations
    on : deviations, as bits of `sim.planning.released.departures`
    """

    planned: Cluedo
    root: np.recarray
    agent: int
    on: int


class Workspace(NamedTuple):
    """Memory of one thread.

    Attributes
    ----------
    state, posterior : as for the planner by the text
    question : the suggestion that the tree is answering (`sim.planning.released.nodes`)
    paid : float64, by seat: returns
    did : uint64: the last action, if several seats have nodes, and a key of suggestions that exceed
        the state's buffer
    """

    state: np.recarray
    posterior: tuple
    question: np.ndarray
    paid: np.ndarray
    did: np.ndarray


def make_position(planned: Cluedo, on: int) -> Released:
    """Return the search position for ``planned`` with the deviations ``on``, as bits."""
    agent = 0 if on & FIRST_SEAT else planned.seat
    root = planned.root.copy()
    share(int(planned.world[0].players), root[0], planned.seat, agent)
    return Released(planned, root, agent, on)


def workspace(p: Released) -> Workspace:
    """Return a fresh workspace for one thread."""
    return Workspace(
        state=empty(),
        posterior=solver.workspace(p.planned.states),
        question=private(4, np.int64),
        paid=private(MAX_PLAYERS),
        did=private(2, np.uint64),
    )


@jit
def share(players: int, state: State, real: int, agent: int) -> None:
    """Convert ``state``, the root as seen by seat ``real``, to the start of simulations.

    By the text [Ledford 2018, s. 3.4] the agent is the searching seat, and the other notebooks are
    copies of ours with "our hand" spread.  With `FIRST_SEAT` the agent is seat 0 with our notebook;
    the other copies spread the cards that we know seat 0 to hold, so all of them, our own seat
    included, are certain of our hand.
    """
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


@jit
def start(p, s, stream):
    """Begin a simulation at the root with a fresh key, and for LD-BMCTS an envelope."""
    s.state[0] = p.root[0]
    state, players = s.state[0], p.planned.world[0].players
    state.key = draw(stream)
    s.question[ACTION] = 0
    s.did[0] = s.did[1] = np.uint64(0)
    for seat in range(players):
        s.paid[seat] = 0.0
    if p.planned.answers == LIGHTLY_DETERMINIZED:  # an envelope that is never shown [s. 3.5]
        draw_envelope(state, p.planned.deals, stream)
        exclude_envelope(players, state, p.on)


@jit
def actions(p, s, out, edge_data):
    """List the actions of the seat to move; at the root those of the searching seat."""
    planned = p.planned
    g = Play(planned.world[0], s.state[0], planned.seat, p.agent, p.on, s.question, s.paid)
    if g.question[ACTION]:
        return list_open(g, out, edge_data)
    if g.state.seat != p.agent and s.did[0] != 0:
        return list_opponents(g, out, edge_data)
    n = list_own(planned, g, s.posterior, out, edge_data)
    if p.on & TREE_OPPONENTS:
        for i in range(n):
            edge_data[i] = 1.0
    return n


@jit
def step(p, s, action, edge_data, stream):
    """Apply a node's action, advance to the next node; return the searching seat's reward."""
    planned, first = p.planned, s.did[0] == 0
    g = Play(planned.world[0], s.state[0], planned.seat, p.agent, p.on, s.question, s.paid)
    s.did[0], s.did[1] = np.uint64(action + 1), np.uint64(0)
    g.state.events = 0
    if p.on & TREE_OPPONENTS:
        _do_one(g, action, first or g.state.seat == p.agent, stream)
    else:
        _do_and_play_on(g, action, edge_data, s.did, stream)
    if p.on & ROOT_BELIEF and g.state.phase != OVER and s.question[ACTION] == 0:
        restore(g.world.players, g.state, p.root[0], p.on)
    return s.paid[g.real]


@jit
def _do_and_play_on(
    g: Play, action: int, edge_data: float, did: np.ndarray, stream: np.ndarray
) -> None:
    """Apply ``action``, and run policies until the agent decides.

    With `ANSWERER_NEXT` that can take many suggestions: those that exceed the state's buffer are
    folded into the key ``did[1]``.
    """
    state = g.state
    if ACCUSE <= action < REVEAL:
        win(g, state.seat, edge_data)
        return
    if action < PASSAGE:
        state.goal[state.seat] = action - MOVE
    on = g.on & ~IN_ROLLOUTS
    act(g, on, action, stream)
    while state.phase != OVER and not stops(state):
        if state.events == EVENTS:
            did[1] = fold(did[1], view_key(g.world.players, state, g.agent))
            state.events = 0
        open_decision(state)
        act(g, on, decide(g, on), stream)


@jit
def _do_one(g: Play, action: int, own: bool, stream: np.ndarray) -> None:
    """Apply one ``action``: at a turn, in a room, or an answer."""
    state = g.state
    state.recording = 0
    if g.question[ACTION]:
        answer(g, action)
    elif ACCUSE <= action < REVEAL:
        if own:
            win(g, state.seat, chance_of(state.belief[g.agent], action))
        else:
            accuse(g, g.on & ~EVEN_ACCUSATIONS, action, stream)
        return
    elif ASK <= action < ACCUSE:
        ask(g, action)
    else:
        if action < PASSAGE:
            state.goal[state.seat] = action - MOVE
        do(g, g.on, action)
    close_if_decided(g)


@jit
def observation(p, s):
    """Return the key of the agent's observations since its last decision."""
    players, state = p.planned.world[0].players, s.state[0]
    if p.planned.transpositions:
        key = after_state_key(players, state, p.agent)
    else:
        key = view_key(players, state, p.agent)
    return fold(key, s.did[1]) if s.did[1] else key


@jit
def observation_of(p, s, player):
    """Return the key of the last decision of any seat and its effects.

    If the tree decides for opponents, its nodes depend on no hidden information.
    """
    state = s.state[0]
    if not p.on & TREE_OPPONENTS:
        return fold(observation(p, s), s.did[0])
    key = fold(fold(fold(s.did[0], state.phase), state.seat), state.roll)
    for seat in range(p.planned.world[0].players):
        key = fold(fold(key, state.spot[seat]), state.out[seat])
    return key


@jit
def terminal(p, s):
    """Return whether the simulation is over."""
    return s.state[0].phase == OVER


@jit
def rollout(p, s, stream):
    """Continue with policies in all seats; return the searching seat's reward."""
    planned, question = p.planned, s.question
    g = Play(planned.world[0], s.state[0], planned.seat, p.agent, p.on, s.question, s.paid)
    g.state.recording = 0
    g.state.events = 0
    for seat in range(g.world.players):
        g.state.policy[seat] = planned.policies[0, seat]
    if question[ACTION]:  # complete the open question, from the asked player on
        action, question[ACTION] = question[ACTION], 0
        answer_by_chance(g, p.on, action, question[ASKED], question[PASSED], stream)
        do(g, p.on, action)
    play_out(g, not p.on & (FIRST_SEAT | TREE_OPPONENTS), stream)
    return s.paid[g.real]


@jit
def mover(p, s):
    """Return the player to move, counted clockwise from the searching seat."""
    if not p.on & (FIRST_SEAT | TREE_OPPONENTS):
        return 0
    seat = s.question[ASKED] if s.question[ACTION] else s.state[0].seat
    players = p.planned.world[0].players
    return (seat + players - p.planned.seat) % players


@jit
def payoff(p, s, player):
    """Return the return of ``player``: 1 for a win, or the value of its accusation."""
    return s.paid[(p.planned.seat + player) % p.planned.world[0].players]


@jit
def copy(p, s, into):
    """Copy everything except scratch."""
    into.state[0] = s.state[0]
    for i in range(len(s.question)):
        into.question[i] = s.question[i]
    for seat in range(len(s.paid)):
        into.paid[seat] = s.paid[seat]
    into.did[0], into.did[1] = s.did[0], s.did[1]


def _players(p: Released) -> int:
    return int(p.planned.world[0].players) if p.on & (FIRST_SEAT | TREE_OPPONENTS) else 1


register(
    Released,
    start=start,
    actions=actions,
    step=step,
    observation=observation,
    terminal=terminal,
    rollout=rollout,
    mover=mover,
    observation_of=observation_of,
    payoff=payoff,
    copy=copy,
    workspace=workspace,
    discount=1.0,
    low=0.0,
    high=1.0,
    max_actions=cluedo.MAX_ACTIONS,
    max_depth=lambda p: MAX_DEPTH if p.on & TREE_OPPONENTS else cluedo.MAX_DEPTH,
    players=_players,
)
