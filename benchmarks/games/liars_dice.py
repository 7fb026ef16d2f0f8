"""Liar's dice with one six-sided die each, the six being wild.

Both roll and see their own die.  In turn they bid a number of dice of one face, each bid higher
than the last: more dice, or as many of a higher face.  Instead of bidding a player may call the
last bid a lie: it is none if as many dice show its face or a six.  The liar, or the wrong caller,
loses 1.

A position is the information of the player to move.  The other die is drawn once per simulation.
`others` says whose nodes the tree has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.games.two_players import OPEN, TREES, others_trees, shuffle_untried
from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import below
from mcts.threads import private

SIDES = 6
BIDS = 2 * SIDES
"""Bids are numbered by dice, then by face: `bid` // 6 + 1 dice of the face `bid` % 6, from 0."""
LIAR = BIDS
"""The action after the bids."""
_WILD = SIDES - 1
_OWN, _OTHER, _MADE, _LAST, _MOVER, _OVER = range(6)


class DiceParameters(NamedTuple):
    """A position: the searching player's die and the bids so far."""

    die: int = 0
    """0 to 5."""
    second: int = 0
    """1: the searching player is the second one."""
    made: int = 0
    """The bids so far, as bits: every bid is higher than the last."""
    others: int = TREES
    """Whose nodes the tree has."""
    order: int = 0
    """Keys the order in which untried actions are tried."""


def workspace(p: DiceParameters) -> np.ndarray:
    """Return a workspace, int64 (6,): both dice, the bids as bits, the last bid (or -1), the player
    to move, whether a lie was called."""
    return private(6, np.int64)


@jit
def deal(p, s, own, other):
    """Begin a game with these dice."""
    s[_OWN], s[_OTHER] = own, other
    s[_MADE], s[_LAST], s[_MOVER], s[_OVER] = 0, -1, p.second, 0


@jit
def start(p, s, stream):
    """Roll the other die; one draw.  Earlier bids are ignored."""
    deal(p, s, p.die, below(stream, SIDES))
    for bid in range(BIDS):
        if p.made >> bid & 1:
            act(s, bid)


@jit
def act(s, action):
    """Apply ``action`` of the player to move."""
    s[_MOVER] = 1 - s[_MOVER]
    if action == LIAR:
        s[_OVER] = 1
    else:
        s[_MADE] |= 1 << action
        s[_LAST] = action


@jit
def mover(p, s):
    """Return 0 for the searching player, 1 for its opponent."""
    return s[_MOVER]


@jit
def terminal(p, s):
    """Return whether a lie was called."""
    return s[_OVER] == 1


@jit
def actions(p, s, out, edge_data):
    """List the higher bids, and calling the last a lie, in the order of this node."""
    least = s[_LAST] + 1
    n = BIDS - least + (least > 0)
    for i in range(n):
        out[i] = least + i
        edge_data[i] = 0.0
    shuffle_untried(out, n, p.order, observation_of(p, s, s[_MOVER]))
    return n


@jit
def step(p, s, action, edge_data, stream):
    """Act."""
    act(s, action)
    return 0.0


@jit
def payoff(p, s, player):
    """Return 1 if ``player`` won, -1 if it lost; 0 during the game."""
    if s[_OVER] == 0:
        return 0.0
    face = s[_LAST] % SIDES
    there = (s[_OWN] == face or s[_OWN] == _WILD) + (s[_OTHER] == face or s[_OTHER] == _WILD)
    bidder = s[_MOVER]  # the caller has moved last
    winner = bidder if there >= s[_LAST] // SIDES + 1 else 1 - bidder
    return 1.0 if player == winner else -1.0


@jit
def observation(p, s):
    """Return all bids, and whether a lie was called."""
    return np.uint64(s[_OVER] << BIDS | s[_MADE])


@jit
def observation_of(p, s, player):
    """Return the same, and the opponent's die if ``player`` knows it."""
    hidden = 0
    if p.others == OPEN or (p.others == TREES and player == 1):
        hidden = s[_OTHER] + 1
    return np.uint64(hidden << (BIDS + 1) | s[_OVER] << BIDS | s[_MADE])


@jit
def rollout(p, s, stream):
    """Let both act at random; one draw per action."""
    while s[_OVER] == 0:
        least = s[_LAST] + 1
        act(s, least + below(stream, BIDS - least + (least > 0)))
    return payoff(p, s, 0)


register(
    DiceParameters,
    start=start,
    actions=actions,
    step=step,
    observation=observation,
    terminal=terminal,
    rollout=rollout,
    mover=mover,
    observation_of=observation_of,
    payoff=payoff,
    workspace=workspace,
    discount=1.0,
    low=-1.0,
    high=1.0,
    max_actions=BIDS + 1,
    max_depth=BIDS + 1,
    players=2,
    perspectives=others_trees,
)
