"""Leduc poker [Southey et al. 2005]: six cards, two rounds, at most two raises in each.

Each antes 1 and gets one of six cards, two of each rank (card // 2).  After a round of betting one
card is revealed, and they bet again.  A raise is 2 in the first round and 4 in the second.  Unless
a player folds, the one with the rank of the open card wins, else the higher rank; equal ranks
share.

A position is the information of the player to move.  The other card is drawn once per simulation,
the open one when the first round is over.  `others` says whose nodes the tree has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.games.two_players import OPEN, TREES, others_trees, shuffle_untried
from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import below
from mcts.threads import private

FOLD, CALL, RAISE = range(3)
"""Actions; calling without a raise is checking."""

CARDS, HIDDEN = 6, -1
MOST = 13.0
"""Maximum gain: the ante and two raises in each round."""
_MOST_RAISES, _MOST_MADE = 2, 8
_OWN, _OTHER, _OPEN, _CODE, _ROUND, _RAISES, _CALLS, _MOVER, _FOLDED, _OVER, _STAKE = range(11)


class LeducParameters(NamedTuple):
    """A position: the searching player's card and the actions so far."""

    card: int = 0
    """0 to 5."""
    open: int = HIDDEN
    """The open card, if the second round has begun."""
    second: int = 0
    """1: the searching player is the second one."""
    code: int = 0
    """The actions so far, two bits each, as the action and 1; the first is the highest."""
    others: int = TREES
    """Whose nodes the tree has."""
    order: int = 0
    """Keys the order in which untried actions are tried."""


def workspace(p: LeducParameters) -> np.ndarray:
    """Return a workspace, int64 (12,): three cards, the code of the actions, the round, raises and
    calls in it, the player to move, the one who folded (or -1), whether it is over, both stakes."""
    return private(_STAKE + 2, np.int64)


@jit
def deal(p, s, own, other):
    """Begin a game with these cards."""
    s[_OWN], s[_OTHER], s[_OPEN] = own, other, HIDDEN
    s[_CODE] = s[_ROUND] = s[_RAISES] = s[_CALLS] = s[_OVER] = 0
    s[_FOLDED] = -1
    s[_MOVER] = p.second  # the first player, seen from the one who searches
    s[_STAKE] = s[_STAKE + 1] = 1


@jit
def start(p, s, stream):
    """Draw the other card from the unseen ones; one draw.  Earlier actions are ignored."""
    low, high = min(p.card, p.open), max(p.card, p.open)
    other = below(stream, CARDS - 1 - (p.open != HIDDEN))
    if low != HIDDEN and other >= low:
        other += 1
    if other >= high:
        other += 1
    deal(p, s, p.card, other)
    for i in range(_MOST_MADE - 1, -1, -1):
        digit = p.code >> (2 * i) & 3
        if digit:
            act(p, s, digit - 1)
    s[_OPEN] = p.open


@jit
def act(p, s, action):
    """Apply ``action`` of the player to move; `lay` reveals the open card."""
    player = s[_MOVER]
    s[_CODE] = s[_CODE] << 2 | (action + 1)
    s[_MOVER] = 1 - player
    if action == FOLD:
        s[_FOLDED], s[_OVER] = player, 1
        return
    s[_STAKE + player] = s[_STAKE + 1 - player]
    if action == RAISE:
        s[_STAKE + player] += 2 + 2 * s[_ROUND]
        s[_RAISES] += 1
        s[_CALLS] = 0
        return
    s[_CALLS] += 1
    if s[_CALLS] == 2 or s[_RAISES] > 0:
        if s[_ROUND] == 1:
            s[_OVER] = 1
        s[_ROUND], s[_RAISES], s[_CALLS], s[_MOVER] = 1, 0, 0, p.second


@jit
def waits(s):
    """Return whether the open card is due."""
    return s[_ROUND] == 1 and s[_OPEN] == HIDDEN


@jit
def lay(s, card):
    """Reveal the open card."""
    s[_OPEN] = card


@jit
def _go_on(p, s, action, stream):
    """Act, and draw the open card if due; one draw then."""
    act(p, s, action)
    if waits(s):
        card = below(stream, CARDS - 2)
        if card >= min(s[_OWN], s[_OTHER]):
            card += 1
        if card >= max(s[_OWN], s[_OTHER]):
            card += 1
        lay(s, card)


@jit
def mover(p, s):
    """Return 0 for the searching player, 1 for its opponent."""
    return s[_MOVER]


@jit
def terminal(p, s):
    """Return whether a player folded or the second round is over."""
    return s[_OVER] == 1


@jit
def legal(s, action):
    """Return whether ``action`` is legal for the player to move."""
    if action == FOLD:
        return s[_STAKE] != s[_STAKE + 1]
    return action == CALL or s[_RAISES] < _MOST_RAISES


@jit
def actions(p, s, out, edge_data):
    """List the legal actions in the order of this node."""
    n = 0
    for action in range(3):
        if legal(s, action):
            out[n] = action
            edge_data[n] = 0.0
            n += 1
    shuffle_untried(out, n, p.order, observation_of(p, s, s[_MOVER]))
    return n


@jit
def step(p, s, action, edge_data, stream):
    """Act, and reveal the open card if due; one draw then."""
    _go_on(p, s, action, stream)
    return 0.0


@jit
def payoff(p, s, player):
    """Return ``player``'s winnings, in antes; 0 during the game."""
    if s[_OVER] == 0:
        return 0.0
    loser = s[_FOLDED]
    if loser < 0:
        own, other, laid = s[_OWN] // 2, s[_OTHER] // 2, s[_OPEN] // 2
        if own == other:
            return 0.0
        loser = 1 if own == laid or (other != laid and own > other) else 0
    lost = float(s[_STAKE + loser])
    return -lost if player == loser else lost


@jit
def observation(p, s):
    """Return all actions so far and the open card."""
    return np.uint64((s[_OPEN] + 1) << 16 | s[_CODE])


@jit
def observation_of(p, s, player):
    """Return the same, and the opponent's card if ``player`` knows it."""
    hidden = 0
    if p.others == OPEN or (p.others == TREES and player == 1):
        hidden = s[_OTHER] + 1
    return np.uint64(hidden << 20 | (s[_OPEN] + 1) << 16 | s[_CODE])


@jit
def rollout(p, s, stream):
    """Let both act at random; one draw per action and one for the open card."""
    while s[_OVER] == 0:
        least = 0 if legal(s, FOLD) else 1
        n = (3 if legal(s, RAISE) else 2) - least
        _go_on(p, s, least + below(stream, n), stream)
    return payoff(p, s, 0)


register(
    LeducParameters,
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
    low=-MOST,
    high=MOST,
    max_actions=3,
    max_depth=_MOST_MADE,
    players=2,
    perspectives=others_trees,
)
