"""The plot of a sweep: win rate along each axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from experiments.palette import SERIES, say
from experiments.plotting import WIDTH, intervals, legend_below, picture, reference_line, shares
from experiments.sweep.axes import Axis
from experiments.sweep.outcomes import Line, Played
from experiments.texts import for_picture

_LOST = "#9a9a9a"
_LOOKS = {"complete": (SERIES[0], "a point, 95 %"), "pruned": (_LOST, "given up")}
_BARS: dict[str, Any] = {"linewidth": 1, "capsize": 2}
_LETTERS = 24
"""Characters of a tick label."""
_SPREAD = 0.5
"""Spread of points with the same choice, as a share of the distance of two choices."""


def draw(axes: Sequence[Axis], played: Played, parity: float, title: str, path: Path) -> Path:
    """Plot the points of a sweep with 95 % intervals to a PNG and return ``path``.

    ``played``: with a best trial; ``parity``: win rate of identical players.
    """
    lines = [line for line in played.lines if line.state in _LOOKS and line.same_as is None]
    with _panels(axes, title, path) as places:
        for axis, place in zip(axes, places, strict=False):
            _by_axis(place, axis, lines, played)
            reference_line(place, parity, f"parity: {parity:.0%}")
        places[0].set_ylabel("win rate")
    return path


@contextmanager
def _panels(axes: Sequence[Axis], title: str, path: Path) -> Iterator[list[Axes]]:
    """Yield a panel for each axis of the picture ``path``, at most three in a row."""
    columns = min(len(axes), 3)
    rows = -(-len(axes) // columns)
    size = (WIDTH, 0.8 + 2.4 * rows)
    with picture(path, say(title), size, rows, columns, sharey=True) as (figure, grid):
        yield list(grid.flat)
        legend_below(figure, grid.flat[0], columns=4)
        for place in list(grid.flat)[len(axes) :]:
            place.set_axis_off()


def _by_axis(place: Axes, axis: Axis, lines: Sequence[Line], played: Played) -> None:
    """Draw each point at its value on ``axis``, with the mean at each choice."""
    values = _places(axis)
    for state, (colour, name) in _LOOKS.items():
        shown = [line for line in lines if line.state == state and line.games]
        if shown:
            at = _spread([_centre(axis, line) for line in shown], values)
            found = [line.estimate for line in shown if line.estimate]
            look: dict[str, Any] = {**_BARS, "markersize": 3, "alpha": 0.7}
            intervals(place, at, found, color=colour, label=name, **look)
    if len(lines) > len(values) > 0:
        rates = {at: [line.rate for line in lines if _centre(axis, line) == at] for at in values}
        means = {at: np.mean(found) for at, found in rates.items() if found}
        look = {"color": SERIES[0], "ms": 12, "label": "mean of points"}
        place.plot([*means], [*means.values()], "_-", **look)
    if played.best is not None and played.fresh is not None and (fresh := played.fresh.estimate):
        at, look = [_centre(axis, played.best)], {**_BARS, "marker": "D", "markersize": 5}
        intervals(place, at, [fresh], 1, label="the best, fresh games, 95 %", **look)
    place.set(xlabel=axis.key.removeprefix("player."))
    if axis.log:
        place.set_xscale("log")
        place.xaxis.set_major_formatter("{x:g}")
    if axis.choices:
        names = [for_picture(choice, _LETTERS) for choice in axis.choices]
        place.set_xticks(values, names, rotation=30 if max(map(len, names)) > 9 else 0)
        place.set_xlim(min(values) - 0.7 * _gap(values), max(values) + 0.7 * _gap(values))
    shares(place.yaxis, 0)
    place.grid(axis="y")


def _places(axis: Axis) -> list[float]:
    """Return where the choices of ``axis`` are drawn: numbers at their values or logarithms."""
    even = [float(at) for at in range(len(axis.choices))]
    try:
        numbers = np.array(axis.choices, float)
    except ValueError:
        return even
    scales = (numbers, np.log(numbers)) if (numbers > 0).all() else (numbers,)
    fits = (scale for scale in scales if 0 < np.ptp(scale) <= 12 * _gap(scale))
    return list(map(float, next(fits, even)))


def _gap(values: ArrayLike) -> float:
    """Return the least distance of two values."""
    return float(min(np.diff(np.sort(values)), default=1.0))


def _centre(axis: Axis, line: Line) -> float:
    value = line.parameters[axis.key]
    return _places(axis)[axis.choices.index(value)] if axis.choices else float(value)


def _spread(centres: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return the positions of points, side by side where they share a choice."""
    if not values:
        return list(centres)
    order = np.array([centres[:i].count(at) for i, at in enumerate(centres)])
    often = np.array([centres.count(at) for at in centres])
    shift = _SPREAD * _gap(values) * (order - (often - 1) / 2) / np.maximum(often, 1)
    return (np.array(centres) + shift).tolist()
