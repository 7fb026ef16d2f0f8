"""Information of a suggestion about the asker's own cards, fitted to the asker.

A reader of suggestions multiplies the odds that the asker holds a suspect or weapon, when first
named, by ``own_card_weight``.  Swift and greedy name cards they lack: a weight near 0; players that
name own cards to mislead have a weight above 1; 1 means no preference.  `fit_weight` plays arena
games and records, for each card named for the first time, whether the asker holds it, and the
probability of that for its left neighbour without reading.  The weight is the maximum-likelihood
estimate: logistic regression of one intercept with the log odds as offset.
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
"""Seed of the games for fitting weights; no results are reported on it."""

DIGITS = 9
"""Decimals of fitted and compared values: results must not depend on the last ulp of log or BLAS,
which differs between processors."""

LEAST = 0.001
_MOST_ROWS = 100_000
_FIT = 0.5  # a threshold at which swift fits its belief to hand sizes


class Weight(NamedTuple):
    """A fitted weight.

    Attributes
    ----------
    value : the weight, from `LEAST` to `sim.policies.common.HIGHEST`
    low, high : its 95 % interval, by the curvature of the likelihood
    named : number of cards named for the first time with unknown holder
    held : how many of them the asker held
    expected : expected number without preference
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

    ``states[1]`` is scratch, ``named`` (6,) the masks of the cards named by each seat.  Returns the
    number of used rows, and False if ``work`` is too small; it can then be called again.
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
    """Write belief and truth about ``cards`` into ``rows``; return the new end."""
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

    All seats play ``model``, or draws from it, without reading suggestions.

    Raises belief.evidence.EvidenceFull if the posterior of a greedy player does not fit into
    memory.
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
    """Return ``policy`` without reading suggestions."""
    reads = "own_card_weight" in switches_of(policy.name)
    return replace(policy, own_card_weight=1.0) if reads else policy


def most_likely(believed: np.ndarray, held: np.ndarray) -> Weight:
    """Return the maximum-likelihood weight for ``held`` (n,), 0 or 1, given ``believed``.

    Two pseudo-cards with belief 1/2, one of them held, keep the weight positive and finite.
    """
    # Imported here: playing does not need SciPy, and the import is slow.
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
    """Return the own-card weight of ``model`` among its kind; raises like `namings`."""
    return most_likely(*namings(rules, model, seed, games).T)
