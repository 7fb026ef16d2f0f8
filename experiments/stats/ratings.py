"""Elo ratings of many players, from games with one winner among several seats.

The model is Plackett-Luce (Bradley-Terry for two seats): a seat wins in proportion to 10^(Elo /
400) of its player.  Draws have no winner and are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from experiments.stats.intervals import CONFIDENCE
from mcts.kernel.extras import extra

ALPHA = 0.1
"""Regularisation of the fit, which keeps ratings of players without wins finite."""
RESAMPLES = 1000
_ELO = 400 / log(10)
_TOLERANCE = 1e-8
_ITERATIONS = 1000


@dataclass(frozen=True)
class Rating:
    """A player's Elo, relative to the mean over players, with its 95 % interval."""

    label: str
    elo: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.elo:+.0f} ({self.low:+.0f} to {self.high:+.0f})"


def ratings(
    tables: np.ndarray, winners: np.ndarray, labels: Sequence[str], seed: int
) -> list[Rating]:
    """Return the rating of each player, in the order of ``labels``.

    The estimate is `choix.ilsr_top1` [Maystre and Grossglauser 2015, NeurIPS], the interval the
    percentiles of a bootstrap over games.  For a player that won nothing, or everything, `ALPHA`
    determines both rating and interval.  Raises ValueError if there are fewer than two players, or
    one of them is in no decided game.

    ``tables``: (games, seats) int, player number in each seat; players may repeat; ``winners``:
    (games,) int, winning seat, -1 for a draw; ``labels``: by player number; ``seed``: of the
    bootstrap.
    """
    tables, winners = np.asarray(tables), np.asarray(winners)
    tables, winners = tables[winners >= 0], winners[winners >= 0]
    absent = [label for player, label in enumerate(labels) if not (tables == player).any()]
    if len(labels) < 2 or absent:
        named = ", ".join(absent) or "all"
        raise ValueError(f"a rating needs two players and a game with a winner for each: {named}")
    seats = np.stack([(tables == player).sum(axis=1) for player in range(len(labels))], axis=1)
    champions = tables[np.arange(len(tables)), winners]
    outcomes, counts = np.unique(np.column_stack([champions, seats]), axis=0, return_counts=True)
    drawn = np.random.default_rng(seed).multinomial(
        len(tables), counts / len(tables), size=RESAMPLES
    )
    resampled = _ELO * fit(outcomes, drawn)
    low, high = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    games = [
        (int(winner), tuple(np.delete(table, seat).tolist()))
        for table, seat, winner in zip(tables, winners, champions, strict=True)
    ]
    # Starting from the fit of the counted outcomes, two passes suffice instead of a dozen.
    start = fit(outcomes, counts[None])[0]
    with extra("ratings"):
        import choix

    point = choix.ilsr_top1(len(labels), games, alpha=ALPHA, initial_params=start)
    point = _ELO * (point - point.mean())
    return [
        Rating(*values)
        for values in zip(labels, *(v.tolist() for v in (point, low, high)), strict=True)
    ]


def fit(outcomes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the parameters of many samples of the same outcomes, as `choix.ilsr_top1` would.

    I-LSR on counted outcomes for all samples at once: each pass finds the stationary distribution
    of the Markov chain whose rates are how often one player lost to another.  ``outcomes``:
    (outcomes, 1 + players) int, the winner, and the number of seats of each player; ``counts``:
    (samples, outcomes), how often each outcome occurred.  Returns (samples, players), log strengths
    with mean 0.  Raises RuntimeError if they do not converge.
    """
    seats = outcomes[:, 1:].astype(float)
    samples, players = len(counts), seats.shape[1]
    flows = np.zeros((len(outcomes), players, players))  # from the losers to the winner
    flows[np.arange(len(outcomes)), :, outcomes[:, 0]] = seats
    flows[:, np.arange(players), np.arange(players)] = 0
    by_outcome = flows.reshape(len(outcomes), -1)
    ones = np.zeros((samples, players, 1))
    ones[:, -1] = 1
    parameters = np.zeros((samples, players))
    for _ in range(_ITERATIONS):
        strengths = np.exp(parameters - parameters.max(axis=1, keepdims=True))
        strengths *= players / strengths.sum(axis=1, keepdims=True)
        chain = ((counts / (strengths @ seats.T)) @ by_outcome).reshape(samples, players, players)
        chain += ALPHA
        chain -= np.eye(players) * chain.sum(axis=2, keepdims=True)
        balance = chain.transpose(0, 2, 1).copy()
        balance[:, -1] = 1  # one balance equation follows from the others; the sum is 1
        last = parameters
        parameters = np.log(np.linalg.solve(balance, ones)[..., 0])
        parameters -= parameters.mean(axis=1, keepdims=True)
        if np.abs(parameters - last).max() <= _TOLERANCE:
            return parameters
    raise RuntimeError(f"the ratings did not converge in {_ITERATIONS} passes")
