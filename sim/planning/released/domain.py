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
from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import draw, fold
from mcts.threads import private
from sim.game import open_decision, stops
from sim.planning import cluedo
from sim.planning.answers import draw_answer, named_cards
from sim.planning.cluedo import Cluedo
from sim.planning.information_sets import after_state_key, view_key
from sim.planning.released.departures import (
    EVEN_ACCUSATIONS,
    EVEN_ANSWERS,
    FIRST_SEAT,
    IN_ROLLOUTS,
    ROOT_BELIEF,
    TREE_OPPONENTS,
)
from sim.planning.released.nodes import (
    ACTION,
    ASKED,
    PASSED,
    answer,
    ask,
    close,
    is_decided,
    list_open,
    list_opponents,
    list_own,
)
from sim.planning.released.notebooks import limit, restore, share
from sim.planning.released.playing import accuse, act, chance_of, decide, do, play_out, win
from sim.planning.variants import LIGHTLY_DETERMINIZED
from sim.state import (
    ACCUSE,
    ASK,
    EVENTS,
    MAX_PLAYERS,
    MOVE,
    OVER,
    PASSAGE,
    REVEAL,
    State,
    World,
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
    """Memory of one thread."""

    state: np.recarray
    posterior: tuple
    question: np.ndarray
    """The suggestion that the tree is answering (`sim.planning.released.nodes`)."""
    paid: np.ndarray
    """float64, by seat: returns."""
    did: np.ndarray
    """uint64: the last action, if several seats have nodes, and a key of suggestions that exceed
    the state's buffer."""


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
def start(p, s, stream):
    """Begin a simulation at the root with a fresh key, and for LD-BMCTS an envelope."""
    s.state[0] = p.root[0]
    s.state[0].key = draw(stream)
    s.question[ACTION] = 0
    s.did[0] = s.did[1] = np.uint64(0)
    for seat in range(p.planned.world[0].players):
        s.paid[seat] = 0.0
    if p.planned.answers == LIGHTLY_DETERMINIZED:
        limit(p.planned.world[0].players, s.state[0], p.planned.deals, p.on, stream)


@jit
def actions(p, s, out, edge_data):
    """List the actions of the seat to move; at the root those of the searching seat."""
    state, world = s.state[0], p.planned.world[0]
    if s.question[ACTION]:
        return list_open(world, state, p.agent, p.on, s.question, out, edge_data)
    own = state.seat == p.agent or s.did[0] == 0
    if not own:
        return list_opponents(world, state, p.on, out, edge_data)
    belief = state.belief[p.agent]
    n = list_own(p.planned, state, s.posterior, belief, p.on, out, edge_data)
    if p.on & TREE_OPPONENTS:
        for i in range(n):
            edge_data[i] = 1.0
    return n


@jit
def step(p, s, action, edge_data, stream):
    """Apply a node's action, advance to the next node; return the searching seat's reward."""
    state, world, real = s.state[0], p.planned.world[0], p.planned.seat
    first = s.did[0] == 0
    s.did[0], s.did[1] = np.uint64(action + 1), np.uint64(0)
    state.events = 0
    if p.on & TREE_OPPONENTS:
        own = first or state.seat == p.agent
        _do(world, state, real, p.agent, p.on, action, own, s.question, s.paid, stream)
    else:
        _do_and_play_on(world, state, real, p.agent, p.on, action, edge_data, s.did, s.paid, stream)
    if p.on & ROOT_BELIEF and state.phase != OVER and s.question[ACTION] == 0:
        restore(world.players, state, p.root[0], p.on)
    return s.paid[real]


@jit
def _do_and_play_on(
    world: World,
    state: State,
    real: int,
    agent: int,
    on: int,
    action: int,
    edge_data: float,
    did: np.ndarray,
    paid: np.ndarray,
    stream: np.ndarray,
) -> None:
    """Apply ``action``, and run policies until the agent decides.

    With `ANSWERER_NEXT` that can take many suggestions: those that exceed the state's buffer are
    folded into the key ``did[1]``.
    """
    if ACCUSE <= action < REVEAL:
        win(state, state.seat, edge_data, paid)
        return
    if action < PASSAGE:
        state.goal[state.seat] = action - MOVE
    on &= ~IN_ROLLOUTS
    act(world, state, real, agent, on, action, paid, stream)
    while state.phase != OVER and not stops(state):
        if state.events == EVENTS:
            did[1] = fold(did[1], view_key(world.players, state, agent))
            state.events = 0
        open_decision(state)
        action = decide(world, state, agent, on)
        act(world, state, real, agent, on, action, paid, stream)


@jit
def _do(
    world: World,
    state: State,
    real: int,
    agent: int,
    on: int,
    action: int,
    own: bool,
    question: np.ndarray,
    paid: np.ndarray,
    stream: np.ndarray,
) -> None:
    """Apply one ``action``: at a turn, in a room, or an answer.

    ``own``: accusations are rewarded by the agent's belief, as in the planner by the text.
    """
    state.recording = 0
    if question[ACTION]:
        answer(world, state, agent, action, question)
    elif ACCUSE <= action < REVEAL:
        if own:
            win(state, state.seat, chance_of(state.belief[agent], action), paid)
        else:
            accuse(world, state, agent, on & ~EVEN_ACCUSATIONS, action, paid, stream)
        return
    elif ASK <= action < ACCUSE:
        ask(world, state, agent, action, question)
    else:
        if action < PASSAGE:
            state.goal[state.seat] = action - MOVE
        do(world, state, agent, on, action, paid)
    if question[ACTION] and is_decided(state, question):
        close(world, state, real, agent, on, question, paid)


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
    state, world, real = s.state[0], p.planned.world[0], p.planned.seat
    state.recording = 0
    state.events = 0
    for seat in range(world.players):
        state.policy[seat] = p.planned.policies[0, seat]
    if s.question[ACTION]:
        _close(world, state, real, p.agent, p.on, s.question, s.paid, stream)
    alone = not p.on & (FIRST_SEAT | TREE_OPPONENTS)
    play_out(world, state, real, p.agent, p.on, alone, s.paid, stream)
    return s.paid[real]


@jit
def _close(
    world: World,
    state: State,
    real: int,
    agent: int,
    on: int,
    question: np.ndarray,
    paid: np.ndarray,
    stream: np.ndarray,
) -> None:
    """Complete an open question as in a roll-out, from the asked player on."""
    action, asked, passed = question[ACTION], question[ASKED], question[PASSED]
    question[ACTION] = 0
    cards = named_cards(world, state, action)
    even = on & EVEN_ANSWERS > 0
    draw_answer(world, state, real, agent, even, cards, asked, passed, stream)
    do(world, state, agent, on, action, paid)


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
