"""Ways past hundreds of targets: a good one by insertion, with a bound on the best.

The target that is worth most for its detour is inserted, one after another, and the order is
shortened by turning and moving parts of it.  The way need not be the best; `Bounded.upper` bounds
what is lost (`sim.hunt.paths.bounds`).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import networkx as nx
import numpy as np

from mcts.kernel.compile import jit
from sim.hunt.benefit import Benefit
from sim.hunt.paths.bounds import upper_bound
from sim.hunt.paths.distances import Stops
from sim.hunt.paths.objective import Objective
from sim.hunt.reward import Route, Weights

GAIN = 1e-9
"""What an improvement must gain at least, so that rounding ends no search late."""

BASES = 6
"""Sets on the way to the result that the bound is tried from."""


class Bounded(NamedTuple):
    """A way, and what no way is worth more than."""

    route: Route
    upper: float


def insertion(
    graph: nx.Graph,
    benefit: Benefit,
    weights: Weights,
    start: Hashable,
    goal: Hashable | None = None,
    within: float | None = None,
    cost: np.ndarray | None = None,
) -> Bounded:
    """Return a way by greedy insertion, 2-opt and or-opt.

    Insertion is by worth less detour, and by worth for detour; the better result is returned.
    ValueError as `Stops`.  ``within``: d_M: how much longer than the shortest way it may be;
    without a goal, how long; ``cost``: J of each target's test, float64 (targets,); 1 each if None.
    """
    stops = Stops(graph, start, goal, within)
    worth = Objective(benefit, weights, stops.targets, cost)
    tours = [_insert_greedily(stops, worth, by_ratio) for by_ratio in (False, True)]
    return _add_bound(stops, worth, max(tours, key=lambda tour: tour.value(stops, worth)))


class _Tour(NamedTuple):
    """Stops in order, and targets measured, in the order in which they were chosen."""

    order: list[int]
    measured: tuple[int, ...]

    def value(self, stops: Stops, worth: Objective) -> float:
        """Return what it is worth."""
        return (
            worth.weights.benefit * worth.benefit.value(sorted(self.measured))
            - float(worth.test[list(self.measured)].sum())
            - worth.weights.distance * stops.length(self.order)
        )


def _add_bound(stops: Stops, worth: Objective, tour: _Tour) -> Bounded:
    """Return the way of a tour with its bound."""
    route = Route(
        stops.trace_path(tour.order),
        stops.length(tour.order),
        tuple(sorted(tour.measured)),
        worth.benefit.value(sorted(tour.measured)),
        tour.value(stops, worth),
    )
    parts = sorted({len(tour.measured) * part // BASES for part in range(1, BASES + 1)})
    upper = upper_bound(stops, worth, [tour.measured[:part] for part in parts])
    return Bounded(route, max(upper, route.value))


def _insert_greedily(stops: Stops, worth: Objective, by_ratio: bool) -> _Tour:
    """Return the best tour that greedy insertion and shortening meet.

    It goes on where no single target pays its detour, since several together may.
    """
    best, best_value = _Tour([], ()), -np.inf
    far, measured = stops.with_ends(), []
    start, goal = len(far) - 2, len(far) - 1
    way = np.full(len(far) + 1, goal)
    way[0] = start
    size, length, known = 0, stops.straight, 0.0
    extra, where = np.empty(len(stops.home)), np.empty(len(stops.home), np.int64)
    gain = np.array([worth.information([target]) for target in range(stops.targets)])
    stale = np.zeros(stops.targets, bool)
    while True:
        order = way[1 : size + 1].tolist()
        cheapest(way, size, far, extra, where)
        while True:
            target, stop = _choice(stops, worth, gain, extra, length, by_ratio)
            if target is None or not stale[target]:
                break
            with_it = worth.weights.benefit * worth.benefit.value(sorted([*measured, target]))
            gain[target], stale[target] = with_it - known, False
        value = known - worth.test[measured].sum() - worth.weights.distance * length
        if value > best_value + GAIN:
            best_value, best = value, _Tour(order, tuple(measured))
        if target is None:
            return best
        measured.append(target)
        known += gain[target]
        gain[target] = -np.inf
        stale[:] = not worth.benefit.modular
        stale[measured] = False
        if extra[stop] > 0 or stop not in order:
            way[where[stop] + 1 : size + 3] = way[where[stop] : size + 2].copy()
            way[where[stop]] = stop
            size += 1
            shorten(way, size, far)
            length = stops.length(way[1 : size + 1].tolist())


def _choice(
    stops: Stops,
    worth: Objective,
    gain: np.ndarray,
    extra: np.ndarray,
    length: float,
    by_ratio: bool,
) -> tuple[int | None, int]:
    """Return the target to insert and its stop; None if none is left that fits and may pay.

    What does not pay its test alone never does later, if the benefit is submodular.
    """
    net = gain - worth.test
    fits = length + extra <= stops.limit
    score = net[None, :] - worth.weights.distance * extra[:, None]
    useful = net > (GAIN if worth.benefit.submodular else -np.inf)
    score = np.where(stops.shows & fits[:, None] & useful, score, -np.inf)
    if not score.size or score.max() == -np.inf:
        return None, -1
    if by_ratio:
        ratio = net[None, :] / np.maximum(extra, GAIN)[:, None]
        score = np.where(score > -np.inf, ratio, -np.inf)
    stop, target = divmod(int(score.argmax()), stops.targets)
    return target, stop


@jit
def cheapest(
    way: np.ndarray, size: int, far: np.ndarray, extra: np.ndarray, where: np.ndarray
) -> None:
    """Set for each stop the least length that it adds to a way, and before which place.

    Parameters
    ----------
    way : int64: the start, ``size`` stops in order, and the goal, as rows of ``far``
    far : as `Stops.with_ends`
    extra, where : float64 and int64 (stops,), written
    """
    for stop in range(len(extra)):
        extra[stop], where[stop] = np.inf, 0
        for place in range(1, size + 2):
            before, after = way[place - 1], way[place]
            added = far[before, stop] + far[stop, after] - far[before, after]
            if added < extra[stop]:
                extra[stop], where[stop] = max(added, 0.0) if size else added, place


@jit
def shorten(way: np.ndarray, size: int, far: np.ndarray) -> None:
    """Turn parts of a way round [2-opt] and move parts of up to 3 stops [or-opt] while it pays.

    Distances are symmetric.  ``way``, as in `cheapest`, is changed in place.
    """
    better = size > 1
    while better:
        better = False
        for low in range(1, size + 1):
            for high in range(low + 1, size + 1):
                now = far[way[low - 1], way[low]] + far[way[high], way[high + 1]]
                then = far[way[low - 1], way[high]] + far[way[low], way[high + 1]]
                if then < now - GAIN:
                    _turn(way, low, high)
                    better = True
        for part in range(1, 4):
            for low in range(1, size - part + 2):
                if _move(way, low, part, size, far):
                    better = True


@jit
def _turn(way: np.ndarray, low: int, high: int) -> None:
    """Reverse the places ``low`` to ``high``."""
    while low < high:
        held = way[low]
        way[low] = way[high]
        way[high] = held
        low += 1
        high -= 1


@jit
def _move(way: np.ndarray, low: int, part: int, size: int, far: np.ndarray) -> bool:
    """Move ``part`` stops from place ``low`` to where the way is shortest, if that pays."""
    high = low + part - 1
    if low == 1 and high == size:
        return False
    first, last = way[low], way[high]
    saved = far[way[low - 1], first] + far[last, way[high + 1]] - far[way[low - 1], way[high + 1]]
    best, place = saved - GAIN, -1
    for at in range(size + 1):
        if low - 1 <= at <= high:
            continue
        added = far[way[at], first] + far[last, way[at + 1]] - far[way[at], way[at + 1]]
        if added < best:
            best, place = added, at
    if place < 0:
        return False
    if place < low:  # three turns move a part without memory of its own
        _turn(way, place + 1, low - 1)
        _turn(way, low, high)
        _turn(way, place + 1, high)
    else:
        _turn(way, low, high)
        _turn(way, high + 1, place)
        _turn(way, low, place)
    return True
