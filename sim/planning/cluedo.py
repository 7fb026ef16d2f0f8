"""Cluedo as a search domain: one seat plans; the planners of the papers are values of `Cluedo`.

Whose knowledge is used where:

* What the searching seat cannot know is one deal a simulation, drawn from its belief
  (`sim.planning.determinized`); by the chain rule that gives the same answers, in distribution, as
  drawing each from the propagated belief.  With ``answers`` other than `DEAL` they are drawn one by
  one (`sim.planning.belief_mdp`), as the thesis has it for a belief without joint distribution.
* Its own decisions in the tree, and unless ``reward_from_deal`` the pay-off of an accusation there,
  use the *propagated belief* alone (`sim.planning.node_belief`): an accusation pays P(envelope =
  accused), so no simulation can be taught by an envelope that it happened to draw.
* Opponents know their drawn hands, what is public and what they were shown; they are moved by a
  policy, or by the tree (`sim.planning.opponent_nodes`).
* In a roll-out every seat plays a compiled policy on what it has learnt, and an accusation pays by
  the deal that the simulation carries (the same in expectation).

The reward is 1 for winning and 0 otherwise, so values are probabilities of winning for the
searching seat.  The limits: opponents' suggestions tell no more of their hands than
``own_card_weight`` says.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belief.exact import solver
from belief.sampling.mcmc import spread
from belief.sampling.sample_rows import new_memory, sample_rows
from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import draw, fold
from mcts.threads import private
from sim.cards import N_CARDS
from sim.game import advance, apply, decider
from sim.knowledge import update_seat_closure
from sim.planning.belief_mdp import accused_chance, advance_by_belief, perform, share_belief
from sim.planning.candidates import by_information, in_order
from sim.planning.cutoff import play_to_horizon
from sim.planning.determinized import begin_opponents, deal_out, draw_world, inform_opponents
from sim.planning.node_belief import EXACT, believe
from sim.planning.opponent_nodes import (
    GUESS,
    POLICY,
    TREES,
    guess,
    may,
    offer_opponent,
    view_key,
    won,
)
from sim.policies import swift
from sim.state import ACCUSE, EVENT, MOVE, OVER, PASSAGE, REVEAL, State, empty

MAX_ACTIONS = 64
MAX_DEPTH = 64
_PATH_EVENTS = 512

DEAL, ANSWERS, RESTRICTED = range(3)
"""Where answers come from: a drawn deal, the propagated belief, the same less a drawn envelope."""


class Cluedo(NamedTuple):
    """The position searched, and how the search sees the game.

    Attributes
    ----------
    world : (1,) record of rules and board
    root : (1,) the state as the searching seat sees it, with what that seat has learnt
    posterior : workspace of `belief.exact.solver`, solved for its evidence; only read
    states : room for those of posteriors at the nodes
    deals : int64 (n, 21), what a simulation's deal is drawn from; none: the posterior
    events : (n,) the suggestions so far as this seat saw them (`sim.state.EVENT`)
    seat : the searching seat
    answers, belief, movers : of the constants in this module and its neighbours
    reward_from_deal : 1: an accusation in the tree is right or wrong by the deal, not by the belief
    resample_at_leaf : 1: another deal is drawn for the roll-out, from the belief at the leaf
    transpositions : 1: what bears neither on belief nor on choices is left out of the nodes' keys
    clairvoyant : 1: nodes know the deal (PIMC)
    policies : int64 (6,), (6,): what each seat plays in roll-outs, and what is kept for it
    horizon : turns after which a roll-out is cut off and estimated; 0: none
    candidates : actions of a kind offered at a node, best information first; 0 offers all in order
    accusations, least_accused : an accusation is offered for so many envelopes, the likeliest,
        and only above this probability
    """

    world: np.recarray
    root: np.recarray
    posterior: tuple
    states: int
    deals: np.ndarray
    events: np.recarray
    seat: int
    answers: int
    belief: int
    movers: int
    reward_from_deal: int
    resample_at_leaf: int
    transpositions: int
    clairvoyant: int
    policies: np.ndarray
    horizon: int
    candidates: int
    accusations: int
    least_accused: float


class Workspace(NamedTuple):
    """What one thread needs: a state, and scratch for posteriors, deals and answers."""

    state: np.recarray
    posterior: tuple
    holder: np.ndarray
    matrix: np.ndarray
    rows: tuple
    path: np.recarray
    """Suggestions on the way down, of which ``length`` are in use."""
    length: np.ndarray


def workspace(p: Cluedo) -> Workspace:
    """Return a fresh workspace for one thread."""
    return Workspace(
        state=empty(),
        posterior=solver.workspace(p.states),
        holder=np.zeros(N_CARDS, np.int64),
        matrix=np.zeros((N_CARDS, 7)),
        rows=new_memory(),
        path=np.zeros(_PATH_EVENTS, EVENT).view(np.recarray),
        length=private(1, np.int64),
    )


@jit
def start(p, s, stream):
    """Begin a simulation at the root with fresh chance, and a deal unless answers are drawn."""
    s.length[0] = 0
    if p.answers == DEAL:
        draw_world(p, s, stream)
        return
    s.state[0] = p.root[0]
    state = s.state[0]
    state.key = draw(stream)
    state.envelope = 0
    for seat in range(p.world[0].players):
        if seat != p.seat:
            state.hand[seat] = 0
    share_belief(p, state)
    if p.answers == RESTRICTED:
        row = np.int64(draw(stream) % np.uint64(len(p.deals)))
        for card in range(N_CARDS):
            if p.deals[row, card] == 0:
                state.envelope |= 1 << card


@jit
def offer(p, state: State, work: tuple, out: np.ndarray, edge_data: np.ndarray) -> int:
    """List what the searching seat may do in ``state``, given what ``work`` says it believes."""
    if p.candidates:
        return by_information(p, state, work, out, edge_data)
    return in_order(p, state, work, out, edge_data)


@jit
def actions(p, s, out, edge_data):
    """List what the seat to move may do; an accusation's note is its propagated probability."""
    state = s.state[0]
    if p.movers != POLICY and decider(state) != p.seat:
        return _opponents_actions(p, s, out, edge_data)
    if not believe(p, state, s.posterior):
        # Consistent with the drawn deal, so it can only be too large: a leaf that stays a leaf.
        return 0
    return offer(p, state, s.posterior, out, edge_data)


@jit
def _opponents_actions(p, s, out, edge_data):
    """List an opponent's actions by what the node is keyed by."""
    state, marginals = s.state[0], s.posterior.marginals
    if p.candidates and state.phase <= 1:
        if p.movers == TREES:
            swift.refresh(p.world[0], state, state.seat)
            for card in range(N_CARDS):
                for holder in range(marginals.shape[1]):
                    marginals[card, holder] = state.marginals[card, holder]
        elif not believe(p, state, s.posterior):
            return 0
    return offer_opponent(p, state, s.posterior, out, edge_data)


@jit
def step(p, s, action, edge_data, stream):
    """Act, and let the others play until a seat decides in the tree; evidence grows meanwhile."""
    world, state = p.world[0], s.state[0]
    state.events = 0
    if action == GUESS:
        apply(world, state, guess(world, state)[0])
    elif ACCUSE <= action < REVEAL:
        # Right or wrong, nothing is left to decide for the searching seat.
        if p.reward_from_deal:
            apply(world, state, action)
            edge_data = 1.0 if state.winner == p.seat else 0.0
        state.phase = OVER
        return edge_data
    else:
        if decider(state) == p.seat and action < PASSAGE:
            state.goal[p.seat] = action - MOVE
        if p.answers == DEAL:
            apply(world, state, action)
        else:
            perform(p, state, action, s.matrix, stream)
    # One suggestion a turn: a round among six cannot fill the events.
    if p.answers == DEAL:
        advance(world, state)
    else:
        advance_by_belief(p, state, s.matrix, stream)
    if p.resample_at_leaf:
        _note_events(p, s)
    return 0.0


@jit
def _note_events(p, s):
    """Append the suggestions since the last decision to the path, as this seat saw them."""
    state = s.state[0]
    for i in range(state.events):
        if s.length[0] < len(s.path):
            into = s.path[s.length[0]]
            event = state.event[i]
            into.asker, into.cards, into.answerer = event[0], event[1], event[2]
            into.card = event[3] if p.seat in (event[0], event[2]) else -1
            s.length[0] += 1


@jit
def observation(p, s):
    """Return the key of what this seat has seen since its last decision.

    If the planner merges, of what bears on its belief and choices alone: every suggestion with the
    answer as seen here, who is out, and the own pawn and roll.  Where the other pawns stand tells
    nothing about the cards and changes no list of actions: such after-states have equal beliefs
    [Ledford 2018, s. 2.3].  With them in the key hardly any node below the own turn is met twice.
    """
    world, state = p.world[0], s.state[0]
    if not p.transpositions:
        return view_key(p, state, p.seat)
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
    """Play on with the policies in all seats; return 1 for winning, else 0 (or an estimate)."""
    world, state = p.world[0], s.state[0]
    if p.answers != DEAL and not p.resample_at_leaf:
        return _rollout_by_belief(p, s, stream)
    if p.resample_at_leaf and not _redeal(p, s, stream):
        return 0.0
    state.recording = 0
    state.events = 0
    for seat in range(world.players):
        state.policy[seat] = p.policies[0, seat]
        own = p.movers == POLICY or seat == p.seat
        state.showing[seat] = p.root[0].showing[seat] if own else 0
        state.tracks[seat] = p.policies[1, seat]
    if p.horizon:
        return play_to_horizon(p, state)
    advance(world, state)
    return 1.0 if state.winner == p.seat else 0.0


@jit
def _rollout_by_belief(p, s, stream):
    """Play on with answers from the belief; an own accusation pays what the belief makes of it."""
    state = s.state[0]
    state.recording = 0
    state.events = 0
    for seat in range(p.world[0].players):
        state.policy[seat] = p.policies[0, seat]
    advance_by_belief(p, state, s.matrix, stream)
    if state.winner != p.seat:
        return 0.0
    return accused_chance(state.belief[p.seat])


@jit
def _redeal(p, s, stream):
    """Draw a deal from the belief at the leaf and inform the opponents; False if that fails."""
    state = s.state[0]
    if p.belief == EXACT:
        if not solver.solve(state.evidence[p.seat], s.posterior):
            return False
        solver.sample(s.posterior, stream, s.holder)
    else:
        update_seat_closure(state, p.seat)
        facts, known = state.evidence[p.seat], state.closure[p.seat]
        sample_rows(state.belief[p.seat], facts, known, s.rows, stream)
        spread(s.rows.hands, s.holder)
    deal_out(state, p.seat, s.holder)
    begin_opponents(p, state)
    inform_opponents(p, state, p.events, len(p.events), stream)
    inform_opponents(p, state, s.path, s.length[0], stream)
    return True


@jit
def mover(p, s):
    """Return who decides, counted clockwise from the searching seat."""
    if p.movers == POLICY:
        return 0
    players = p.world[0].players
    return (decider(s.state[0]) + players - p.seat) % players


@jit
def available(p, s, action):
    """Tell whether an opponent could do what its node lists."""
    if p.movers == POLICY or decider(s.state[0]) == p.seat:
        return True
    return may(p, s.state[0], action)


@jit
def seen(p, s, player):
    """Return the key of what ``player`` saw since the last decision, and of the cards it knows."""
    return view_key(p, s.state[0], (p.seat + player) % p.world[0].players)


@jit
def payoff(p, s, player):
    """Return 1 for the winner; a draw pays nobody."""
    return won(p, s.state[0], player)


@jit
def copy(p, s, into):
    """Copy the state and the path."""
    into.state[0] = s.state[0]
    into.length[0] = s.length[0]
    for i in range(s.length[0]):
        into.path[i] = s.path[i]


def _players(p: Cluedo) -> int:
    return 1 if p.movers == POLICY else int(p.world[0].players)


register(
    Cluedo,
    start=start,
    actions=actions,
    step=step,
    observation=observation,
    terminal=terminal,
    rollout=rollout,
    mover=mover,
    available=available,
    seen=seen,
    payoff=payoff,
    copy=copy,
    workspace=workspace,
    discount=1.0,
    low=0.0,
    high=1.0,
    max_actions=MAX_ACTIONS,
    max_depth=MAX_DEPTH,
    players=_players,
    perspectives=lambda p: _players(p) if p.movers == TREES else 1,
)
