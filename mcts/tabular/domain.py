"""The domain of all finite problems: the search is compiled once for every one of them.

States, actions and observations are numbers.  A transition has an expected reward, so that a reward
that depends on the observation is paid in its mean.  A state without actions is terminal, which
everybody sees; one that no action leaves or pays for also ends a simulation, but unseen.

A game of several players is a table of its histories: each state has the player to move, the
information state of every player, and, at the end, what it pays.  Chance moves are part of the
transitions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, fold
from mcts.tabular.alias import draw_entry
from mcts.threads import private

RANDOM, POLICY, LEAF = 0, 1, 2
"""Roll-outs: any action, a table of actions, or none: a table of values."""

LIVE, OVER, ABSORBED = 0, 1, 2
"""States: with a decision, terminal and seen to be, and without any further reward."""

_STATE, _TO_GO, _SEEN = 0, 1, 2


class TabularPosition(NamedTuple):
    """A belief and the tables of a problem; made by `mcts.tabular.tables.Tabular.position`."""

    begin: np.ndarray
    """int64 (2,): the bounds of the belief's only row."""
    state: np.ndarray
    """int64 (n,): states of the belief ..."""
    share: np.ndarray
    """float64 (n,): ... with their probabilities."""
    share_keep: np.ndarray
    share_alias: np.ndarray
    first: np.ndarray
    """int64 (states * actions + 1,): rows of transitions; an illegal action has none."""
    then: np.ndarray
    """int64: next state of each transition ..."""
    chance: np.ndarray
    """float64: ... its probability ..."""
    keep: np.ndarray
    alias: np.ndarray
    reward: np.ndarray
    """float64: ... and its expected reward."""
    seen_first: np.ndarray
    """int64 (actions * states + 1,): rows of observations, by action and next state."""
    seen: np.ndarray
    seen_chance: np.ndarray
    seen_keep: np.ndarray
    seen_alias: np.ndarray
    legal_first: np.ndarray
    """int64 (states + 1,): rows of legal actions."""
    legal: np.ndarray
    kind: np.ndarray
    """int64 (states,): `LIVE`, `OVER` or `ABSORBED`."""
    policy: np.ndarray
    """int64 (states,): actions of the roll-out policy."""
    leaf: np.ndarray
    """float64 (rows, states): values by steps to go; the last row is for all more."""
    turn: np.ndarray
    """int64 (states,): player to move, with several players."""
    known: np.ndarray
    """int64 (states, players): information states."""
    paid: np.ndarray
    """float64 (states, players): payoffs of terminal states."""
    actions: int
    rollout: int
    steps: int
    """Actions to go."""
    discount: float
    low: float
    high: float
    players: int
    perspectives: int
    me: int
    """The player that searches."""
    lists_all: int
    """1: at the nodes of others all actions are listed, since the legal ones may reveal a hand."""
    order: int
    """Keys the order in which the actions of a node are tried; 0: as they are listed."""
    endless: int = 0
    """1: the trial has no end, and ``steps`` is how far a search looks ahead."""


def workspace(p: TabularPosition) -> np.ndarray:
    """Return a workspace, int64 (3,): the state, steps to go, and the last observation."""
    return private(3, np.int64)


@jit
def start(p, s, stream):
    """Draw a state of the belief; at most one draw."""
    s[_STATE] = p.state[draw_entry(p.begin, p.share_keep, p.share_alias, 0, stream)]
    s[_TO_GO] = p.steps
    s[_SEEN] = 0


@jit
def actions(p, s, out, edge_data):
    """List the legal actions of the state; in a game perhaps all, or in an order of its own."""
    state, n = s[_STATE], 0
    if p.lists_all != 0 and p.turn[state] != p.me:
        for n in range(p.actions):
            out[n] = n
        n = p.actions
    else:
        for entry in range(p.legal_first[state], p.legal_first[state + 1]):
            out[n] = p.legal[entry]
            n += 1
    for i in range(n):
        edge_data[i] = 0.0
    if p.order != 0:
        who = p.me if p.lists_all != 0 else p.turn[state]
        word = fold(np.uint64(p.order), p.known[state, who])
        for last in range(n - 1, 0, -1):
            word = fold(word, last)
            other = np.int64(word % np.uint64(last + 1))
            out[last], out[other] = out[other], out[last]
    return n


@jit
def step(p, s, action, edge_data, stream):
    """Draw a transition and its observation; at most a draw each."""
    row = s[_STATE] * p.actions + action
    entry = draw_entry(p.first, p.keep, p.alias, row, stream)
    state = p.then[entry]
    s[_STATE] = state
    s[_TO_GO] -= 1
    if p.players == 1:
        row = action * len(p.kind) + state
        s[_SEEN] = p.seen[draw_entry(p.seen_first, p.seen_keep, p.seen_alias, row, stream)]
    return p.reward[entry]


@jit
def observation(p, s):
    """Return the observation, or the searching player's information state."""
    return np.uint64(s[_SEEN] if p.players == 1 else p.known[s[_STATE], p.me])


@jit
def terminal(p, s):
    """Return whether the state is terminal, or no step is left."""
    return s[_TO_GO] <= 0 or p.kind[s[_STATE]] != LIVE


@jit
def rollout(p, s, stream):
    """Play to the end, one draw and those of `step` for each random action; or read a value."""
    if p.rollout == LEAF:
        return p.leaf[min(s[_TO_GO], len(p.leaf) - 1), s[_STATE]]
    total, weight = 0.0, 1.0
    while not terminal(p, s):
        state = s[_STATE]
        action = p.policy[state]
        if p.rollout == RANDOM:
            begin = p.legal_first[state]
            action = p.legal[begin + below(stream, p.legal_first[state + 1] - begin)]
        total += weight * step(p, s, action, 0.0, stream)
        weight *= p.discount
    return total


@jit
def mover(p, s):
    """Return the player to move."""
    return 0 if p.players == 1 else (p.turn[s[_STATE]] - p.me + p.players) % p.players


@jit
def available(p, s, action):
    """Return whether an action is legal in this state."""
    row = s[_STATE] * p.actions + action
    return p.first[row] < p.first[row + 1]


@jit
def observation_of(p, s, player):
    """Return the observation, or the information state of ``player``."""
    if p.players == 1:
        return np.uint64(s[_SEEN])
    return np.uint64(p.known[s[_STATE], (p.me + player) % p.players])


@jit
def payoff(p, s, player):
    """Return what ``player`` is paid in the state."""
    return p.paid[s[_STATE], (p.me + player) % p.players]


def _read(name: str) -> Any:
    return lambda p: getattr(p, name)


register(  # and the functions above, by their names
    TabularPosition,
    workspace=workspace,
    discount=_read("discount"),
    low=_read("low"),
    high=_read("high"),
    max_actions=_read("actions"),
    max_depth=_read("steps"),
    players=_read("players"),
    perspectives=_read("perspectives"),
)
