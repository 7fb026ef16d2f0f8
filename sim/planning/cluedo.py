"""Cluedo as a search domain: one seat plans; the papers' planners are values of `Cluedo`.

By ``answers``, one of two modules starts, steps and rolls out a simulation:
`sim.planning.belief_mdp` (no hands; answers are drawn from the propagated belief) or
`sim.planning.determinized` (the game is played with a drawn deal).

The searching seat's decisions and the rewards of its accusations use only the *propagated belief*
(`sim.planning.node_belief`), unless ``reward_from_deal``.  Opponents know their drawn hands, public
information and the cards they were shown; a policy or the tree (`sim.planning.opponent_nodes`)
moves them.  In a roll-out every seat plays a compiled policy on its own knowledge.

The reward is 1 for winning and 0 otherwise.  Kernels receive parts of ``p`` and ``s`` where
possible: every non-inlined call copies their hundred arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belief.exact import solver
from belief.sampling.sample_rows import new_memory
from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.threads import private
from sim.cards import N_CARDS
from sim.game import decider
from sim.models.types import Seating
from sim.planning import belief_mdp, determinized
from sim.planning.candidates import offer
from sim.planning.information_sets import after_state_key, answer_kind, view_key
from sim.planning.node_belief import believe
from sim.planning.opponent_nodes import list_opponents_actions, may, reward_for
from sim.planning.variants import DEAL, POLICY, TREES
from sim.state import ACCUSE, ASK, EVENT, OVER, PASS, PASSAGE, REVEAL, WALK, empty

MOVES, PASSAGES, SUGGESTIONS, ACCUSATIONS, CARDS, STAYS = range(6)
"""Types of action [Ledford 2018, s. 1.4], for searches with the option ``action_types``."""

MAX_ACTIONS = 64
MAX_DEPTH = 64
_PATH_EVENTS = 512


class Cluedo(NamedTuple):
    """The searched position and the model of the game.

    Attributes
    ----------
    world : (1,) record of rules and board
    root : (1,) view of the searching seat, with its knowledge
    posterior : workspace of `belief.exact.solver`, solved for its evidence; read only
    states : capacity of the posteriors at nodes
    deals : int64 (n, 21), deals that simulations draw from; empty: the posterior
    events : (n,) the suggestions so far as this seat saw them (`sim.state.EVENT`)
    seat : the searching seat
    answers, belief, movers : constants of `sim.planning.variants`
    reward_from_deal : 1: accusations in the tree are rewarded by the deal, not by the belief
    resample_at_leaf : 1: the roll-out uses a new deal drawn from the belief at the leaf
    transpositions : 1: node keys omit information irrelevant to belief and choices
    clairvoyant : 1: nodes know the deal (PIMC)
    policies : int64 (6,), (6,): roll-out policies by seat, and their tracked knowledge
    seating : types from which simulations draw opponents; empty: they play ``policies``
    candidates : number of offered actions per kind, by net bits; 0 offers all in order
    hiding, summoning : prices of opponents' gains and of moving their pawns, in the ranking
        (`sim.planning.candidates`)
    accusations, least_accused : maximum number and minimum probability of offered accusations
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
    seating: Seating
    candidates: int
    hiding: float
    summoning: float
    accusations: int
    least_accused: float


class Workspace(NamedTuple):
    """Memory of one thread: a state, and scratch for posteriors and deals."""

    state: np.recarray
    posterior: tuple
    holder: np.ndarray
    rows: tuple
    path: np.recarray
    """Suggestions on the current path, the first ``length`` in use."""
    length: np.ndarray


def workspace(p: Cluedo) -> Workspace:
    """Return a fresh workspace for one thread."""
    return Workspace(
        state=empty(),
        posterior=solver.workspace(p.states),
        holder=np.zeros(N_CARDS, np.int64),
        rows=new_memory(),
        path=np.zeros(_PATH_EVENTS, EVENT).view(np.recarray),
        length=private(1, np.int64),
    )


@jit
def start(p, s, stream):
    """Begin a simulation at the root: in the belief, or with a drawn deal."""
    s.length[0] = 0
    if p.answers == DEAL:
        determinized.start(p, s, stream)
    else:
        belief_mdp.start(p, s, stream)


@jit
def actions(p, s, out, edge_data):
    """List the actions of the seat to move; ``edge_data`` of accusations: their probability."""
    state = s.state[0]
    if p.movers != POLICY and decider(state) != p.seat:
        return list_opponents_actions(p, s, out, edge_data)
    if not believe(p, state, s.posterior):
        # The drawn deal is consistent, so the posterior can only be too large: remain a leaf.
        return 0
    return offer(p, state, s.posterior, out, edge_data)


@jit
def step(p, s, action, edge_data, stream):
    """Apply ``action``, and let the others play until the tree decides; return the reward."""
    s.state[0].events = 0
    if p.answers == DEAL:
        reward = determinized.step(p, s.state[0], action, edge_data)
    else:
        reward = belief_mdp.step(p, s.state[0], action, edge_data, stream)
    if p.resample_at_leaf:
        determinized.remember_path(p, s)
    return reward


@jit
def observation(p, s):
    """Return the key of this seat's observations since its last decision."""
    if p.transpositions:
        return after_state_key(p.world[0].players, s.state[0], p.seat)
    return view_key(p.world[0].players, s.state[0], p.seat)


@jit
def terminal(p, s):
    """Return whether the simulation is over."""
    return s.state[0].phase == OVER


@jit
def rollout(p, s, stream):
    """Continue with policies in all seats; return the winning probability."""
    if p.resample_at_leaf and not determinized.resample(p, s, stream):
        return 0.0
    if p.answers == DEAL or p.resample_at_leaf:
        return determinized.rollout(p, s)
    return belief_mdp.rollout(p, s.state[0], stream)


@jit
def mover(p, s):
    """Return the player to move, counted clockwise from the searching seat."""
    if p.movers == POLICY:
        return 0
    players = p.world[0].players
    return (decider(s.state[0]) + players - p.seat) % players


@jit
def available(p, s, action):
    """Return whether a listed action is legal for the opponent."""
    if p.movers == POLICY or decider(s.state[0]) == p.seat:
        return True
    return may(p, s.state[0], action)


@jit
def action_type(p, s, action):
    """Return the type of ``action``, one of `MOVES` to `STAYS`."""
    if action >= WALK:
        return MOVES
    if action >= REVEAL:
        return STAYS if action == PASS else CARDS
    if action >= ACCUSE:
        return ACCUSATIONS
    if action >= ASK:
        return SUGGESTIONS
    return PASSAGES if action == PASSAGE else MOVES


@jit
def outcome(p, s):
    """Return the answer to this seat's last suggestion, or to any seat's if the tree moves all."""
    return answer_kind(s.state[0], p.seat, p.movers != POLICY)


@jit
def observation_of(p, s, player):
    """Return the key of the known cards and new observations of ``player``."""
    players = p.world[0].players
    return view_key(players, s.state[0], (p.seat + player) % players)


@jit
def payoff(p, s, player):
    """Return 1 if ``player`` wins, else 0."""
    return reward_for(p, s.state[0], player)


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
    action_type=action_type,
    outcome=outcome,
    observation_of=observation_of,
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
