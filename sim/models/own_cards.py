"""Information of a suggestion about the asker's own cards, fitted to the asker.

A reader of suggestions multiplies the odds that the asker holds a suspect or weapon, when first
named, by ``own_card_weight``.  Swift and greedy name cards they lack: a weight near 0; players that
name own cards to mislead have a weight above 1; 1 means no preference.  `fit_weight` plays arena
games and records, for each card named for the first time, whether the asker holds it, and the
probability of that for its left neighbour without reading.  The weight is the maximum-likelihood
estimate: logistic regression of one intercept with the log odds as offset.

A weight fitted to one type is wrong for others, and soon makes a reader certain of a wrong
envelope.  So a `Reading` has a belief over `WEIGHTS` for each opponent.  The posterior over deals
gives their likelihood: with total Z(w), for a hand of h cards and n named suspects and weapons it
is

    Z(w) / Z(1) / (1 + (w - 1) h / 21)^n,

where the denominator is the first-order probability of naming n cards, held or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from belief.evidence import lowest
from belief.exact.solver import ExactPosterior, Workspace
from mcts.kernel.compile import jit
from sim.arena import Memory, act
from sim.cards import CATEGORY_MASK, FIRST_WEAPON, N_CARDS
from sim.chance import game_key
from sim.game import apply, new_game
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


def namings(rules: Rules, model: Policy, seed: int, games: int) -> np.ndarray:
    """Return (believed, held), float64 (n, 2), of cards named for the first time.

    All seats play ``model`` without reading suggestions.

    Raises belief.evidence.EvidenceFull if the posterior of a greedy player does not fit into
    memory.
    """
    if "own_card_weight" in switches_of(model.name):
        model = replace(model, own_card_weight=1.0)
    board, states, memory = world(rules)[0], empty(2), Memory([model])
    rows, used = np.empty((_MOST_ROWS, 2)), 0
    for game in range(games):
        seat_policies(states[0], [model] * rules.players)
        states[0].tracks[: rules.players] |= FACTORED | EVIDENCE
        new_game(board, states[0], np.uint64(game_key(seed, game)))
        named, over = np.zeros(MAX_PLAYERS, np.int64), False
        while not over:
            used, over = _watch(board, states, memory.work, memory.sample, named, rows, used)
            if not over:
                memory.grow()
    return rows[:used].copy()


def most_likely(believed: np.ndarray, held: np.ndarray) -> float:
    """Return the maximum-likelihood weight for ``held`` (n,), 0 or 1, given ``believed``.

    It is from `LEAST` to `sim.policies.common.HIGHEST`.  Two pseudo-cards with belief 1/2, one of
    them held, keep it positive and finite.
    """
    # Imported here: playing does not need SciPy, and the import is slow.
    from scipy.optimize import brentq
    from scipy.special import expit, logit

    offset = np.append(logit(believed), [0.0, 0.0])
    is_so = np.append(held, [0.0, 1.0])

    def slope(log_weight: float) -> float:
        return float((is_so - expit(offset + log_weight)).sum())

    found = np.exp(float(brentq(slope, -50.0, 50.0)))
    return round(float(np.clip(found, LEAST, HIGHEST)), DIGITS)


@cache
def fit_weight(rules: Rules, model: Policy, seed: int = SEED, games: int = GAMES) -> float:
    """Return the own-card weight of ``model`` among its kind; raises like `namings`."""
    return most_likely(*namings(rules, model, seed, games).T)


WEIGHTS = np.array([0.01, 0.04, 0.15, 0.5, 1.0, 2.0, 4.0])
"""Possible own-card weights; a fitted weight counts as the nearest."""

UNKNOWN = 0.25
"""Prior probability that no type describes an opponent's weight; then all are equally likely."""

_HELD = 0.25
"""Probability that an opponent holds a named card, at which weights are averaged."""


class Reading:
    """Belief over the own-card weight of each opponent, for one game.

    ``opponents``: their seats; ``fitted``: (types,) weights of the types.  Attribute
    ``likelihood``: float64 (6, `WEIGHTS`), log likelihoods by seat.
    """

    def __init__(self, opponents: Sequence[int], fitted: np.ndarray) -> None:
        self.likelihood = np.zeros((MAX_PLAYERS, len(WEIGHTS)))
        self._opponents = opponents
        far = np.abs(np.log(fitted)[:, None] - np.log(WEIGHTS))
        self._nearest = far.argmin(axis=1)
        self._work: Workspace | None = None

    def take_in(self, evidence: np.record) -> None:
        """Recompute the likelihoods from ``evidence``, one `belief.evidence.EVIDENCE`.

        Raises belief.evidence.ContradictoryEvidence and belief.evidence.EvidenceFull like
        `belief.exact.solver.ExactPosterior`.
        """
        seen = evidence.copy()
        seen.own_card_weight[:] = 1.0
        for seat in self._opponents:
            named = int(seen.named[seat]) & (CATEGORY_MASK[0] | CATEGORY_MASK[1])
            share = int(seen.hand_sizes[seat]) / N_CARDS
            for place, weight in enumerate(WEIGHTS):
                seen.own_card_weight[seat] = weight
                posterior = ExactPosterior(seen, self._work)
                self._work = posterior.work
                chance = named.bit_count() * np.log1p((weight - 1.0) * share)
                self.likelihood[seat, place] = posterior.log_weight - chance
            seen.own_card_weight[seat] = 1.0

    def weight(self, seat: int, types: np.ndarray) -> float:
        """Return the weight of ``seat`` with the type probabilities ``types``.

        At a prior of 1/4, it gives a named card the posterior averaged over weights.
        """
        prior = np.full(len(WEIGHTS), UNKNOWN / len(WEIGHTS))
        np.add.at(prior, self._nearest, (1.0 - UNKNOWN) * types)
        likelihood = self.likelihood[seat]
        chances = prior * np.exp(likelihood - likelihood.max())
        held = _HELD * WEIGHTS / (_HELD * WEIGHTS + 1.0 - _HELD)
        chance = float((chances * held).sum() / chances.sum())
        return round(chance / (1.0 - chance) * (1.0 - _HELD) / _HELD, DIGITS)
