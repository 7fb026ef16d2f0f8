"""Kuhn poker [Kuhn 1950]: three cards, two players, one bet; the smallest game with bluffing.

Each antes 1 and gets one of three cards.  The first passes or bets 1; a bet is called or not; after
a pass the second may bet.  Without a call the better takes the pot, else the higher card.  At
equilibrium the first player loses 1/18 a game.

A position is the information of the player to move.  The other card is drawn once per simulation.
The opponent is moved by a fixed policy, which makes it a problem of one player [POMCP], or by the
tree: nodes are the searching player's information sets (SO-ISMCTS), or each player's own
(MO-ISMCTS).  Neither converges to an equilibrium in general: in the one tree of SO-ISMCTS the
opponent's choices cannot even depend on its card.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, uniform
from mcts.threads import private

PASS, BET = 0, 1
"""Actions; passing after a bet is folding, betting after one is calling."""
EQUILIBRIUM, RANDOM, ONE_TREE, TREES = range(4)
"""Models of the opponent."""

VALUE = -1.0 / 18.0
"""Value of the game for the first player, at equilibrium."""

_CARDS = 3
_OWN, _OTHER, _MADE, _BETS = 0, 1, 2, 3


class KuhnParameters(NamedTuple):
    """A position: the searching player's card and the actions so far."""

    card: int = 1
    """0, 1 or 2."""
    second: int = 0
    """1: the searching player is the second one."""
    made: int = 0
    """Actions so far; the searching player is next."""
    bets: int = 0
    """Which of them were bets, as bits from the first action on."""
    opponent: int = EQUILIBRIUM
    """`EQUILIBRIUM`, `RANDOM`, `ONE_TREE` or `TREES`."""
    bluff: float = 1.0 / 3.0
    """Probability that the equilibrium's first player bets with the lowest card, 0 to 1/3."""


def workspace(p: KuhnParameters) -> np.ndarray:
    """Return a workspace, int64 (4,): both cards, actions made, bets as bits."""
    return private(4, np.int64)


@jit
def start(p, s, stream):
    """Draw the opponent's card; one draw.  Earlier actions are assumed independent of it."""
    other = below(stream, _CARDS - 1)
    s[_OWN] = p.card
    s[_OTHER] = other if other < p.card else other + 1
    s[_MADE] = p.made
    s[_BETS] = p.bets


@jit
def mover(p, s):
    """Return 0 for the searching player, 1 for its opponent."""
    return (s[_MADE] + p.second) & 1


@jit
def terminal(p, s):
    """Return whether the cards decide or a player folded."""
    if s[_MADE] < 2:
        return False
    return s[_MADE] == 3 or s[_BETS] != 0b10  # only pass, bet continues


@jit
def actions(p, s, out, edge_data):
    """List passing and betting."""
    for action in (PASS, BET):
        out[action] = action
        edge_data[action] = 0.0
    return 2


@jit
def act(s, action):
    """Apply ``action`` of the player to move."""
    s[_BETS] |= action << s[_MADE]
    s[_MADE] += 1


@jit
def bets(card: int, made: int, so_far: int, bluff: float) -> float:
    """Return the probability that a player at equilibrium bets (or calls) with ``card``.

    ``bluff`` is the free parameter of the first player's equilibria.
    """
    if made == 0:
        return bluff if card == 0 else 3.0 * bluff if card == 2 else 0.0
    if made == 1 and so_far == 0:
        return 1.0 / 3.0 if card == 0 else 1.0 if card == 2 else 0.0
    if card == 1:
        return 1.0 / 3.0 if made == 1 else bluff + 1.0 / 3.0
    return 1.0 if card == 2 else 0.0


@jit
def _by_policy(p, s, card, stream):
    """Apply the fixed policy's action with ``card``; one draw."""
    chance = 0.5 if p.opponent == RANDOM else bets(card, s[_MADE], s[_BETS], p.bluff)
    act(s, BET if uniform(stream) < chance else PASS)


@jit
def step(p, s, action, edge_data, stream):
    """Act; a fixed opponent then answers, and the pot is paid when the game is over."""
    act(s, action)
    if p.opponent < ONE_TREE:
        while not terminal(p, s) and mover(p, s) == 1:
            _by_policy(p, s, s[_OTHER], stream)
        return payoff(p, s, 0) if terminal(p, s) else 0.0
    return 0.0


@jit
def payoff(p, s, player):
    """Return ``player``'s winnings, in antes; 0 during the game."""
    if not terminal(p, s):
        return 0.0
    called = s[_BETS] == 0b11 or s[_BETS] == 0b110
    if s[_BETS] != 0 and not called:
        # The last player to act folded.
        folded = (s[_MADE] - 1 + p.second) & 1
        won = 1.0 if folded == 1 else -1.0
    else:
        won = 2.0 if called else 1.0
        if s[_OTHER] > s[_OWN]:
            won = -won
    return won if player == 0 else -won


@jit
def observation(p, s):
    """Return all actions so far."""
    return np.uint64(8 * s[_MADE] + s[_BETS])


@jit
def observation_of(p, s, player):
    """Return all actions so far, and to the opponent also its card."""
    return np.uint64(64 * (s[_OTHER] + 1) * player + 8 * s[_MADE] + s[_BETS])


@jit
def rollout(p, s, stream):
    """Let both act at random, or the opponent by its policy; at most two draws."""
    while not terminal(p, s):
        if mover(p, s) == 1 and p.opponent < ONE_TREE:
            _by_policy(p, s, s[_OTHER], stream)
        else:
            act(s, below(stream, 2))
    return payoff(p, s, 0)


register(
    KuhnParameters,
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
    low=-2.0,
    high=2.0,
    max_actions=2,
    max_depth=3,
    players=lambda p: 2 if p.opponent >= ONE_TREE else 1,
    perspectives=lambda p: 2 if p.opponent == TREES else 1,
)
