"""Information of a suggestion about the asker's own cards: fitted to the asker, not set by hand.

Who reads suggestions multiplies the odds that the asker holds a suspect or weapon, when it first
names it, by ``own_card_weight``.  Swift and greedy name what they lack, so the weight is near 0;
who names cards of its own to mislead has one above 1; 1 is for who names any.  `fit_weight` plays
games of the arena and looks at every card that is named for the first time: the probability of the
asker's holding it, as the player to its left believes that reads nothing, and whether it does.  The
weight is the one under which what is seen is most likely: logistic regression of one intercept,
with the log odds as its offset.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from belief.evidence import lowest
from mcts.kernel.compile import jit
from sim.arena import Memory, act
from sim.cards import FIRST_WEAPON
from sim.chance import game_key
from sim.game import apply, new_game
from sim.models.opponents import Opponents, draw_seats, members
from sim.policies import greedy, swift
from sim.policies.common import HIGHEST
from sim.policies.registry import Policy, seat_policies, switches_of
from sim.rules import Rules, world
from sim.state import ACCUSE, ASK, EVIDENCE, FACTORED, MAX_PLAYERS, OVER, World, empty

GAMES = 400
SEED = 5_002
"""Of the games that weights are fitted to; nothing is reported on it."""

DIGITS = 9
"""Decimals of what is fitted and compared: logarithms and products of matrices differ in the last
of theirs from one processor to another, for each of which libraries have code of its own."""

LEAST = 0.001
_MOST_ROWS = 100_000
_FIT = 0.5  # a threshold for which swift's belief is fitted to the sizes of hands


class Weight(NamedTuple):
    """A fitted weight.

    Attributes
    ----------
    value : the weight, from `LEAST` to `sim.policies.common.HIGHEST`
    low, high : its 95 % interval, by the curvature of the likelihood
    named : cards named for the first time whose place was open
    held : how many of them the asker held
    expected : how many it would have held, had it named any
    """

    value: float
    low: float
    high: float
    named: int
    held: int
    expected: float


@jit
def _watch(
    world: World,
    states: np.recarray,
    work: tuple,
    sample: tuple,
    named: np.ndarray,
    rows: np.ndarray,
    used: int,
) -> tuple[int, bool]:
    """Play ``states[0]`` to the end, writing (believed, held) into ``rows[used:]``.

    ``states[1]`` is scratch, ``named`` (6,) the masks of what each seat has named.  Returns how
    many rows are in use, and False if ``work`` is too small: then it can be called again.
    """
    s, scratch = states[0], states[1]
    while s.phase != OVER:
        action = act(world, s, work, sample)
        if action == greedy.UNSOLVED:
            return used, False
        if ASK <= action < ACCUSE:
            asker = s.seat
            pair = action - ASK
            fresh = (1 << pair // 6 | 1 << FIRST_WEAPON + pair % 6) & ~named[asker]
            named[asker] |= fresh
            if fresh:
                states[1] = states[0]
                reader = asker + 1 if asker + 1 < world.players else 0
                scratch.threshold[reader] = _FIT
                scratch.marginals_of = 0
                swift.refresh(world, scratch, reader)
                used = _note(scratch.marginals, s.hand[asker], asker, fresh, rows, used)
        apply(world, s, action)
    return used, True


@jit
def _note(
    marginals: np.ndarray, hand: int, asker: int, cards: int, rows: np.ndarray, used: int
) -> int:
    """Write what is believed of ``cards``, and what is so, into ``rows``; return the new end."""
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        believed = marginals[card, asker + 1]
        if 0.0 < believed < 1.0 and used < len(rows):
            rows[used, 0] = believed
            rows[used, 1] = hand >> card & 1
            used += 1
    return used


def namings(rules: Rules, model: Opponents, seed: int, games: int) -> np.ndarray:
    """Return (believed, held), float64 (n, 2), of cards named for the first time.

    In all seats sits ``model``, or who is drawn from it, and reads nothing for the time being.

    belief.evidence.EvidenceFull if the posterior of a greedy player does not fit into memory.
    """
    opponents = tuple((_unread(policy), chance) for policy, chance in members(model))
    board, states = world(rules)[0], empty(2)
    memory = Memory([policy for policy, _ in opponents])
    rows, used = np.empty((_MOST_ROWS, 2)), 0
    for game, seats in draw_seats(opponents, rules.players, seed, range(games)):
        seat_policies(states[0], seats)
        states[0].tracks[: rules.players] |= FACTORED | EVIDENCE
        new_game(board, states[0], np.uint64(game_key(seed, game)))
        named, over = np.zeros(MAX_PLAYERS, np.int64), False
        while not over:
            used, over = _watch(board, states, memory.work, memory.sample, named, rows, used)
            if not over:
                memory.grow()
    return rows[:used].copy()


def _unread(policy: Policy) -> Policy:
    """Return ``policy``, reading nothing."""
    reads = "own_card_weight" in switches_of(policy.name)
    return replace(policy, own_card_weight=1.0) if reads else policy


def most_likely(believed: np.ndarray, held: np.ndarray) -> Weight:
    """Return the weight under which ``held`` (n,) of 0 and 1 is most likely, given ``believed``.

    Two cards believed held by one half, of which one was, are added: no weight is 0 or without end.
    """
    # Not needed by those who play, and slow to import.
    from scipy.optimize import brentq
    from scipy.special import expit, logit

    offset = np.append(logit(believed), [0.0, 0.0])
    is_so = np.append(held, [0.0, 1.0])

    def slope(log_weight: float) -> float:
        return float((is_so - expit(offset + log_weight)).sum())

    found = float(brentq(slope, -50.0, 50.0))
    chance = expit(offset + found)
    wide = 1.96 / np.sqrt((chance * (1.0 - chance)).sum())
    value, low, high = (
        round(float(np.clip(np.exp(at), LEAST, HIGHEST)), DIGITS)
        for at in (found, found - wide, found + wide)
    )
    return Weight(value, low, high, len(held), int(held.sum()), float(believed.sum()))


@cache
def fit_weight(rules: Rules, model: Opponents, seed: int = SEED, games: int = GAMES) -> Weight:
    """Return the weight of own cards in the suggestions of ``model`` among its kind.

    belief.evidence.EvidenceFull as `namings`.
    """
    return most_likely(*namings(rules, model, seed, games).T)
