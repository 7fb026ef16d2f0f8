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

    Parameters
    ----------
    within : d_M: how much longer than the shortest way it may be; without a goal, how long
    cost : J of each target's test, float64 (targets,); 1 each if None

    Raises
    ------
    ValueError
        If start or goal are no cells, there is no way between them, or d_M is negative.
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
    order, measured = np.empty(len(stops.home) + 1, np.int64), []
    size, length, known = 0, stops.straight, 0.0
    extra, where = np.empty(len(stops.home)), np.empty(len(stops.home), np.int64)
    gain = np.array([worth.information([target]) for target in range(stops.targets)])
    stale = np.zeros(stops.targets, bool)
    legs = stops.between, stops.from_start, stops.home
    while True:
        cheapest(order, size, *legs, stops.straight, extra, where)
        while True:
            target, stop = _choice(stops, worth, gain, extra, length, by_ratio)
            if target is None or not stale[target]:
                break
            with_it = worth.weights.benefit * worth.benefit.value(sorted([*measured, target]))
            gain[target], stale[target] = with_it - known, False
        value = known - worth.test[measured].sum() - worth.weights.distance * length
        if value > best_value + GAIN:
            best_value, best = value, _Tour(order[:size].tolist(), tuple(measured))
        if target is None:
            return best
        measured.append(target)
        known += gain[target]
        gain[target] = -np.inf
        stale[:] = not worth.benefit.modular
        stale[measured] = False
        if extra[stop] > 0 or stop not in order[:size]:
            order[where[stop] + 1 : size + 1] = order[where[stop] : size].copy()
            order[where[stop]] = stop
            size += 1
            shorten(order, size, *legs)
            length = stops.length(order[:size].tolist())


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
    order: np.ndarray,
    size: int,
    between: np.ndarray,
    from_start: np.ndarray,
    home: np.ndarray,
    straight: float,
    extra: np.ndarray,
    where: np.ndarray,
) -> None:
    """Set for each stop the least length that it adds to an order, and before which place."""
    for stop in range(len(home)):
        if size == 0:
            extra[stop], where[stop] = from_start[stop] + home[stop] - straight, 0
            continue
        extra[stop], where[stop] = np.inf, 0
        for place in range(size + 1):
            after = home[stop] if place == size else between[stop, order[place]]
            if place == 0:
                added = from_start[stop] + after - from_start[order[0]]
            elif place == size:
                added = between[order[place - 1], stop] + after - home[order[place - 1]]
            else:
                added = between[order[place - 1], stop] + after
                added -= between[order[place - 1], order[place]]
            if added < extra[stop]:
                extra[stop], where[stop] = max(added, 0.0), place


@jit
def _leg(
    one: int,
    other: int,
    order: np.ndarray,
    size: int,
    between: np.ndarray,
    from_start: np.ndarray,
    home: np.ndarray,
) -> float:
    """Return the length between two places of an order; -1 is the start, ``size`` the goal."""
    if one < 0:
        return from_start[order[other]]
    if other == size:
        return home[order[one]]
    return between[order[one], order[other]]


@jit
def shorten(
    order: np.ndarray, size: int, between: np.ndarray, from_start: np.ndarray, home: np.ndarray
) -> None:
    """Turn parts of an order round [2-opt] and move parts of up to 3 stops [or-opt] while it pays.

    Distances are symmetric.  ``order`` is changed in place.
    """
    better = size > 1
    while better:
        better = False
        for low in range(size):
            for high in range(low + 1, size):
                now = _leg(low - 1, low, order, size, between, from_start, home)
                now += _leg(high, high + 1, order, size, between, from_start, home)
                then = from_start[order[high]] if low == 0 else between[order[low - 1], order[high]]
                if high + 1 == size:
                    then += home[order[low]]
                else:
                    then += between[order[low], order[high + 1]]
                if then < now - GAIN:
                    _turn(order, low, high)
                    better = True
        for part in range(1, 4):
            for low in range(size - part + 1):
                if _move(order, low, part, size, between, from_start, home):
                    better = True


@jit
def _turn(order: np.ndarray, low: int, high: int) -> None:
    """Reverse the places ``low`` to ``high``."""
    while low < high:
        held = order[low]
        order[low] = order[high]
        order[high] = held
        low += 1
        high -= 1


@jit
def _move(
    order: np.ndarray,
    low: int,
    part: int,
    size: int,
    between: np.ndarray,
    from_start: np.ndarray,
    home: np.ndarray,
) -> bool:
    """Move ``part`` stops from place ``low`` to where the order is shortest, if that pays."""
    high = low + part - 1
    first, last = order[low], order[high]
    saved = _leg(low - 1, low, order, size, between, from_start, home)
    saved += _leg(high, high + 1, order, size, between, from_start, home)
    if low == 0 and high + 1 == size:
        return False
    if low == 0:
        saved -= from_start[order[high + 1]]
    elif high + 1 == size:
        saved -= home[order[low - 1]]
    else:
        saved -= between[order[low - 1], order[high + 1]]
    best, place = saved - GAIN, -2
    for after in range(-1, size):
        if low - 1 <= after <= high:
            continue
        added = from_start[first] if after < 0 else between[order[after], first]
        added += home[last] if after + 1 == size else between[last, order[after + 1]]
        added -= _leg(after, after + 1, order, size, between, from_start, home)
        if added < best:
            best, place = added, after
    if place == -2:
        return False
    if place < low:  # three turns move a part without memory of its own
        _turn(order, place + 1, low - 1)
        _turn(order, low, high)
        _turn(order, place + 1, high)
    else:
        _turn(order, low, high)
        _turn(order, high + 1, place)
        _turn(order, low, place)
    return True
