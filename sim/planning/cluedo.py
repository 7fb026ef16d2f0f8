"""Cluedo as a search domain: one seat plans; the planners of the papers are values of `Cluedo`.

The domain is declared and registered here.  How a simulation starts, goes on and is rolled out is
one of two modules' business, by ``answers``:

* `sim.planning.belief_mdp`: no hands; answers are drawn from the propagated belief (the thesis);
* `sim.planning.determinized`: a deal is drawn, and the game is played with it.

Whose knowledge is used where:

* The searching seat's own decisions in the tree, and unless ``reward_from_deal`` the pay-off of an
  accusation there, use the *propagated belief* alone (`sim.planning.node_belief`): an accusation
  pays P(envelope = accused), so no simulation can be taught by an envelope that it happened to
  draw.
* Opponents know what their drawn hands, what is public and what they were shown imply; they are
  moved by a policy, or by the tree (`sim.planning.opponent_nodes`).
* In a roll-out every seat plays a compiled policy on what it has learnt.

Functions on the way of every simulation are handed parts of ``p`` and ``s`` where that will do:
the whole of both is some hundred arrays, which are copied at each call that is not inlined.

The reward is 1 for winning and 0 otherwise, so values are probabilities of winning for the
searching seat.  The limits: opponents' suggestions say no more about their hands than
``own_card_weight`` says.
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
from sim.planning.information_sets import after_state_key, view_key
from sim.planning.node_belief import believe
from sim.planning.opponent_nodes import list_opponents_actions, may, reward_for
from sim.planning.outcomes import answer_kind
from sim.planning.variants import DEAL, POLICY, TREES
from sim.state import ACCUSE, ASK, EVENT, OVER, PASS, PASSAGE, REVEAL, WALK, empty

MOVES, PASSAGES, SUGGESTIONS, ACCUSATIONS, CARDS, STAYS = range(6)
"""Types of action [Ledford 2018, s. 1.4], for searches with the option ``action_types``."""

MAX_ACTIONS = 64
MAX_DEPTH = 64
_PATH_EVENTS = 512


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
    answers, belief, movers : of the constants in `belief_mdp`, `node_belief`, `opponent_nodes`
    reward_from_deal : 1: an accusation in the tree is right or wrong by the deal, not by the belief
    resample_at_leaf : 1: another deal is drawn for the roll-out, from the belief at the leaf
    transpositions : 1: what bears neither on belief nor on choices is left out of the nodes' keys
    clairvoyant : 1: nodes know the deal (PIMC)
    policies : int64 (6,), (6,): what each seat plays in roll-outs, and what is kept for it
    seating : types from which each simulation draws the opponents'; none: they play ``policies``
    candidates : actions of a kind offered at a node, best net bits first; 0 offers all in order
    hiding, summoning : prices of what the opponents gain and of calling them, where candidates are
        ranked (`sim.planning.candidates`)
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
    """Suggestions on the way down, of which ``length`` are in use."""
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
    """Begin a simulation at the root with fresh chance: in the belief, or with a deal."""
    s.length[0] = 0
    if p.answers == DEAL:
        determinized.start(p, s, stream)
    else:
        belief_mdp.start(p, s, stream)


@jit
def actions(p, s, out, edge_data):
    """List what the seat to move may do; with an accusation goes its propagated probability."""
    state = s.state[0]
    if p.movers != POLICY and decider(state) != p.seat:
        return list_opponents_actions(p, s, out, edge_data)
    if not believe(p, state, s.posterior):
        # Consistent with the drawn deal, so it can only be too large: a leaf that stays a leaf.
        return 0
    return offer(p, state, s.posterior, out, edge_data)


@jit
def step(p, s, action, edge_data, stream):
    """Act, and let the others play until a seat decides in the tree; evidence grows meanwhile."""
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
    """Return the key of what this seat has seen since its last decision."""
    if p.transpositions:
        return after_state_key(p.world[0].players, s.state[0], p.seat)
    return view_key(p.world[0].players, s.state[0], p.seat)


@jit
def terminal(p, s):
    """Return whether the game is over, or over for this seat where the tree moves no other."""
    return s.state[0].phase == OVER


@jit
def rollout(p, s, stream):
    """Play on with the policies in all seats; return the chance of winning."""
    if p.resample_at_leaf and not determinized.resample(p, s, stream):
        return 0.0
    if p.answers == DEAL or p.resample_at_leaf:
        return determinized.rollout(p, s)
    return belief_mdp.rollout(p, s.state[0], stream)


@jit
def mover(p, s):
    """Return who decides, counted clockwise from the searching seat."""
    if p.movers == POLICY:
        return 0
    players = p.world[0].players
    return (decider(s.state[0]) + players - p.seat) % players


@jit
def available(p, s, action):
    """Return whether an opponent could do what its node lists."""
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
    """Return the answer to this seat's suggestion, where the tree moves others to anybody's."""
    return answer_kind(s.state[0], p.seat, p.movers != POLICY)


@jit
def observation_of(p, s, player):
    """Return the key of what ``player`` saw since the last decision, and of the cards it knows."""
    players = p.world[0].players
    return view_key(players, s.state[0], (p.seat + player) % players)


@jit
def payoff(p, s, player):
    """Return 1 for the winner; a draw pays nobody."""
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
