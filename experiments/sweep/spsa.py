"""Simultaneous perturbation stochastic approximation (SPSA) over many numeric settings.

Iteration k plays two points on either side of a centre, each setting moved up or down at random, on
games that no other iteration plays; the difference of their win rates moves the centre [Spall 1992,
IEEE Trans. Automatic Control 37; 1998, Johns Hopkins APL Technical Digest 19].  An iteration costs
two points for any number of settings.

Settings are represented as fractions of their interval, logarithmic where the axis is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.stats.intervals import Z
from experiments.sweep.axes import Axis, Parameters, Value

ALPHA, GAMMA, STABILITY = 0.602, 0.101, 0.1
"""Exponents of both gain sequences, and the stability constant as a share of the iterations
[Spall 1998]."""

_CHANCE = (0.01, 0.99)
"""Bounds of a win rate used for sampling."""

_CLIMBS = 200

Rates = Callable[[int, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Maps an iteration and both its points, (n, axes) each, to their win rates, (n,) each; where one
is NaN the centre stays."""


@dataclass(frozen=True)
class Reached:
    """The end of a climb.

    Attributes
    ----------
    parameters : the estimate: the mean of the centres of the second half
    bounds : 95 % interval by axis, within the axis
    path : its centres, from the start on
    """

    parameters: Parameters
    bounds: dict[str, tuple[Value, Value]]
    path: tuple[Parameters, ...]


class Spsa:
    """A climb over ``axes``, all of them intervals.

    Parameters
    ----------
    start : the first centre
    seed : of the directions
    iterations : number of iterations, two points each
    games : per point
    perturb : distance of the first points from their centre, as a fraction of the interval
    step : how far the first centre moves where two points differ by one standard error
    """

    def __init__(
        self,
        axes: Sequence[Axis],
        start: Parameters,
        seed: int,
        iterations: int,
        games: int,
        perturb: float,
        step: float,
    ) -> None:
        self.axes, self.start = tuple(axes), start
        self._seed, self._games = seed, games
        self._first = np.array([share(axis, start[axis.key]) for axis in axes])
        slowed = STABILITY * iterations
        k = np.arange(iterations)
        moved = step * 2 * perturb / math.sqrt(0.5 / games)
        self._gains = moved * ((1 + slowed) / (k + 1 + slowed)) ** ALPHA
        self._distances = perturb / (k + 1) ** GAMMA

    def propose(self, rates: Sequence[float]) -> Parameters:
        """Return the point of the next trial, given the ``rates`` so far."""
        iteration, second = divmod(len(rates), 2)
        centre = self._climb(rates[: 2 * iteration])[-1]
        point = centre + (-1 if second else 1) * self._move(iteration)
        return self.parameters(np.clip(point, 0, 1))

    def estimate(self, rates: Sequence[float]) -> Reached:
        """Return the end point for trials with ``rates``, with its error.

        The error is the spread of climbs on a surface fitted to all points, with resampled game
        outcomes: a parametric bootstrap [Efron & Tibshirani 1993, s. 6.5].  Raises ValueError for
        fewer than two complete iterations.
        """
        centres = self._climb(rates)
        done = len(centres) - 1
        if done < 2:
            raise ValueError("an estimate needs two iterations")
        found = _settle(centres[1:])
        spread = _settle(self._imagine(rates, done)).std(axis=0, ddof=1)
        low, high = np.clip(found - Z * spread, 0, 1), np.clip(found + Z * spread, 0, 1)
        ends = zip(self.axes, low, high, strict=True)
        bounds = {axis.key: (value(axis, at), value(axis, to)) for axis, at, to in ends}
        path = tuple(self.parameters(centre) for centre in centres)
        return Reached(self.parameters(found), bounds, path)

    def parameters(self, shares: np.ndarray) -> Parameters:
        """Return the point with these ``shares``."""
        return {axis.key: value(axis, at) for axis, at in zip(self.axes, shares, strict=True)}

    def _move(self, iteration: int) -> np.ndarray:
        """Return the offset of the first point of ``iteration`` from its centre, (axes,)."""
        ways = np.random.default_rng([self._seed, iteration]).choice([-1, 1], len(self.axes))
        return self._distances[iteration] * ways

    def _climb(self, rates: Sequence[float]) -> np.ndarray:
        """Return the centres for trials with ``rates``, (iterations + 1, axes)."""

        def look_up(iteration: int, plus: np.ndarray, minus: np.ndarray) -> tuple:
            return np.array([rates[2 * iteration]]), np.array([rates[2 * iteration + 1]])

        return self._walk(look_up, len(rates) // 2, 1)[:, 0]

    def _walk(self, rates: Rates, iterations: int, climbs: int) -> np.ndarray:
        """Return the centres of ``climbs`` climbs, (iterations + 1, climbs, axes)."""
        centres = [np.tile(self._first, (climbs, 1))]
        for iteration in range(iterations):
            plus, minus = self._pair(centres[-1], iteration)
            above, below = rates(iteration, plus, minus)
            apart = plus - minus
            rise = (above - below)[:, None]
            slope = np.divide(rise, apart, out=np.zeros_like(apart), where=apart != 0)
            step = self._gains[iteration] * np.nan_to_num(slope)
            centres.append(np.clip(centres[-1] + step, 0, 1))
        return np.stack(centres)

    def _pair(self, centre: np.ndarray, iteration: int) -> tuple[np.ndarray, np.ndarray]:
        """Return both points of ``iteration``, rounded to integers where an axis is whole."""
        move = self._move(iteration)
        plus, minus = (np.clip(centre + sign * move, 0, 1) for sign in (1, -1))
        for number, axis in enumerate(self.axes):
            if axis.whole:
                for point in (plus, minus):
                    point[:, number] = [share(axis, value(axis, at)) for at in point[:, number]]
        return plus, minus

    def _imagine(self, rates: Sequence[float], iterations: int) -> np.ndarray:
        """Return (iterations, climbs, axes) centres of climbs on fitted least-squares parabolas."""
        centres = self._climb(rates)
        pairs = [self._pair(centres[k : k + 1], k) for k in range(iterations)]
        points = np.concatenate([point for pair in pairs for point in pair])
        known = np.array(rates[: 2 * iterations], float)
        there = ~np.isnan(known)
        terms = _parabola(points[there])
        surface = np.linalg.lstsq(terms, known[there], rcond=None)[0]
        rng = np.random.default_rng(self._seed)

        def draw(iteration: int, *pair: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            above, below = (np.clip(_parabola(point) @ surface, *_CHANCE) for point in pair)
            games = self._games
            return rng.binomial(games, above) / games, rng.binomial(games, below) / games

        return self._walk(draw, iterations, _CLIMBS)[1:]


def _parabola(points: np.ndarray) -> np.ndarray:
    return np.hstack([np.ones((len(points), 1)), points, points**2])


def _settle(centres: np.ndarray) -> np.ndarray:
    """Return the mean over the second half of the iterations, the first axis of ``centres``."""
    return centres[len(centres) // 2 :].mean(axis=0)


def share(axis: Axis, at: Value) -> float:
    """Return the position of ``at`` in the interval of ``axis``, from 0 to 1."""
    low, high, here = _scale(axis, axis.low), _scale(axis, axis.high), _scale(axis, float(at))
    return (here - low) / (high - low)


def value(axis: Axis, at: float) -> Value:
    """Return the value of ``axis`` at a position in its interval."""
    low, high = _scale(axis, axis.low), _scale(axis, axis.high)
    found = low + at * (high - low)
    plain = min(max(math.exp(found) if axis.log else found, axis.low), axis.high)
    return round(plain) if axis.whole else float(plain)


def _scale(axis: Axis, plain: float) -> float:
    return math.log(plain) if axis.log else plain
