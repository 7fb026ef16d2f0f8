"""The plot of a sweep: win rate along each axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from experiments.plotting import SERIES, intervals, picture, reference_line, shares
from experiments.sweep.axes import Axis
from experiments.sweep.outcomes import Line, Played
from experiments.texts import for_picture

_LOST = "#9a9a9a"
_LOOKS = {"complete": (SERIES[0], "a point, 95 %"), "pruned": (_LOST, "given up")}
_BARS: dict[str, Any] = {"linewidth": 1, "capsize": 2}
_LETTERS = 24
"""Characters of a tick label."""
_SPREAD = 0.5
"""Spread of points with the same choice; choices are 1 apart."""


def draw(axes: Sequence[Axis], played: Played, parity: float, title: str, path: Path) -> Path:
    """Plot the points of a sweep with 95 % intervals to a PNG and return ``path``.

    ``played``: with a best trial; ``parity``: win rate of identical players.
    """
    lines = [line for line in played.lines if line.state in _LOOKS and line.same_as is None]
    with _panels(axes, title, path) as places:
        for axis, place in zip(axes, places, strict=False):
            _by_axis(place, axis, lines, played)
            reference_line(place, parity, f"parity: {parity:.0%}")
        places[0].legend(loc="best", fontsize=8)
    return path


@contextmanager
def _panels(axes: Sequence[Axis], title: str, path: Path) -> Iterator[list[Axes]]:
    """Yield a panel for each axis of the picture ``path``, at most three in a row."""
    columns = min(len(axes), 3)
    rows = -(-len(axes) // columns)
    with picture(path, title, (max(6.4, 4.6 * columns), 3.6 * rows), rows, columns) as (_, grid):
        yield list(grid.flat)
        for place in list(grid.flat)[len(axes) :]:
            place.set_axis_off()


def _by_axis(place: Axes, axis: Axis, lines: Sequence[Line], played: Played) -> None:
    """Draw each point at its value on ``axis``, with the mean at each choice."""
    for state, (colour, name) in _LOOKS.items():
        shown = [line for line in lines if line.state == state and line.games]
        if shown:
            at, look = _values(axis, shown).tolist(), {**_BARS, "markersize": 4, "alpha": 0.7}
            found = [line.estimate for line in shown if line.estimate]
            intervals(place, at, found, color=colour, label=name, **look)
    if len(lines) > len(axis.choices) > 0:
        rates = {
            place_of: [line.rate for line in lines if line.parameters[axis.key] == choice]
            for place_of, choice in enumerate(axis.choices)
        }
        means = {at: np.mean(found) for at, found in rates.items() if found}
        place.plot(
            [*means], [*means.values()], "_-", color=SERIES[0], ms=14, label="mean of points"
        )
    if played.best is not None and played.fresh is not None and (fresh := played.fresh.estimate):
        at, look = [_centre(axis, played.best)], {**_BARS, "marker": "D", "markersize": 6}
        name = "the best, fresh games"
        intervals(place, at, [fresh], 1, label=name, **look)
    place.set(xlabel=axis.key, ylabel="win rate")
    if axis.log:
        place.set_xscale("log")
        place.xaxis.set_major_formatter("{x:g}")
    if axis.choices:
        names = [for_picture(choice, _LETTERS) for choice in axis.choices]
        place.set_xticks(range(len(names)), names)
        place.set_xlim(-0.6, len(axis.choices) - 0.4)
    shares(place.yaxis, 0)
    place.grid(axis="y")


def _centre(axis: Axis, line: Line) -> float:
    value = line.parameters[axis.key]
    return float(axis.choices.index(value)) if axis.choices else float(value)


def _values(axis: Axis, lines: Sequence[Line]) -> np.ndarray:
    """Return the positions of ``lines``, side by side where they share a choice."""
    centres = np.array([_centre(axis, line) for line in lines])
    if not axis.choices:
        return centres
    order = np.array([np.count_nonzero(centres[:i] == at) for i, at in enumerate(centres)])
    often = np.array([np.count_nonzero(centres == at) for at in centres])
    return centres + _SPREAD * (order - (often - 1) / 2) / np.maximum(often, 1)
