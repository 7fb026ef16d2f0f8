"""The plot of a sweep: win rate along each axis, and two axes as a map."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from experiments.plotting import SERIES, intervals, picture, reference_line, shares
from experiments.sweep.axes import Axis
from experiments.sweep.spsa import Reached
from experiments.sweep.trials import Line, Played
from experiments.texts import for_picture

_LOST = "#9a9a9a"
_LOOKS = {"complete": (SERIES[0], "a point, 95 %"), "pruned": (_LOST, "given up")}
_MAX_CELLS = 12
"""Maximum number of values per axis of a map."""
_LETTERS = 24
"""Characters of a tick label."""
_SPREAD = 0.5
"""Spread of points with the same choice; choices are 1 apart."""


def draw(axes: Sequence[Axis], played: Played, parity: float, title: str, path: Path) -> Path:
    """Plot the points of a sweep with 95 % intervals to a PNG and return ``path``.

    ``played``: with a best trial; ``parity``: win rate of identical players.
    """
    lines = [line for line in played.lines if line.state in _LOOKS and line.same_as is None]
    mapped = len(axes) == 2 and all(0 < len(axis.choices) <= _MAX_CELLS for axis in axes)
    panels = len(axes) + mapped
    columns = min(panels, 3)
    rows = -(-panels // columns)
    size = (max(6.4, 4.6 * columns), 3.8 * rows)
    with picture(path, title, size, rows, columns) as (figure, grid):
        places = list(grid.flat)
        for axis, place in zip(axes, places, strict=False):
            _by_axis(place, axis, lines, played)
            reference_line(place, parity, f"parity: {parity:.0%}")
        if mapped:
            _map(figure, places[len(axes)], axes, lines)
        for place in places[panels:]:
            place.set_axis_off()
        places[0].legend(loc="best", fontsize=8)
    return path


def draw_climb(axes: Sequence[Axis], reached: Reached, title: str, path: Path) -> Path:
    """Plot the path of a climb, one panel per axis, to a PNG and return ``path``."""
    columns = min(len(axes), 3)
    rows = -(-len(axes) // columns)
    size = (max(6.4, 4.6 * columns), 3.4 * rows)
    with picture(path, title, size, rows, columns) as (_, grid):
        places = list(grid.flat)
        for axis, place in zip(axes, places, strict=False):
            went = [float(centre[axis.key]) for centre in reached.path]
            low, high = map(float, reached.bounds[axis.key])
            end = float(reached.parameters[axis.key])
            place.plot(went, color=SERIES[0], linewidth=1)
            place.axhspan(low, high, color=SERIES[1], alpha=0.15)
            place.axhline(end, color=SERIES[1], linewidth=1)
            place.set(xlabel="iteration", ylabel=axis.key, ylim=(axis.low, axis.high))
            if axis.log:
                place.set_yscale("log")
                place.yaxis.set_major_formatter("{x:g}")
        for place in places[len(axes) :]:
            place.set_axis_off()
    return path


def _by_axis(place: Axes, axis: Axis, lines: Sequence[Line], played: Played) -> None:
    """Draw each point at its value on ``axis``, with the mean at each choice."""
    for state, (colour, name) in _LOOKS.items():
        shown = [line for line in lines if line.state == state]
        if shown:
            values = _values(axis, shown)
            _bars(place, values, shown, color=colour, markersize=4, alpha=0.7, label=name)
    if len(lines) > len(axis.choices) > 0:
        rates = {
            place_of: [line.rate for line in lines if line.parameters[axis.key] == choice]
            for place_of, choice in enumerate(axis.choices)
        }
        means = {at: np.mean(found) for at, found in rates.items() if found}
        place.plot(
            [*means], [*means.values()], "_-", color=SERIES[0], ms=14, label="mean of points"
        )
    if played.best is not None and played.fresh is not None and played.fresh.games:
        where = _centre(axis, played.best)
        name = "the best, fresh games"
        _bars(
            place, np.array([where]), [played.fresh], series=1, marker="D", markersize=6, label=name
        )
    place.set(xlabel=axis.key, ylabel="win rate")
    if axis.log:
        place.set_xscale("log")
        place.xaxis.set_major_formatter("{x:g}")
    if axis.choices:
        place.set_xticks(range(len(axis.choices)), [*map(_choice, axis.choices)])
        place.set_xlim(-0.6, len(axis.choices) - 0.4)
    shares(place.yaxis, 0)
    place.grid(axis="y")


def _bars(place: Axes, values: np.ndarray, counts: Sequence, **look: Any) -> None:
    """Draw win rates with intervals; each of ``counts`` has ``wins`` and ``games``."""
    rates = [each.estimate for each in counts]
    intervals(place, values.tolist(), rates, **{"linewidth": 1, "capsize": 2, **look})


def _choice(text: str) -> str:
    return for_picture(text, _LETTERS)


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


def _map(figure: Figure, place: Axes, axes: Sequence[Axis], lines: Sequence[Line]) -> None:
    """Draw the win rate over two axes; cells without a point stay empty."""
    across, up = axes
    rates = np.full((len(up.choices), len(across.choices)), np.nan)
    for line in lines:
        at = (up.choices.index(line.parameters[up.key]), int(_centre(across, line)))
        rates[at] = line.rate
    image = place.imshow(rates, origin="lower", aspect="auto", cmap="cividis")
    low, high = np.nanmin(rates), np.nanmax(rates)
    for (row, column), rate in np.ndenumerate(rates):
        if not np.isnan(rate):
            ink = "black" if rate > (low + high) / 2 else "white"
            place.text(column, row, f"{rate:.1%}", ha="center", va="center", color=ink, fontsize=8)
    place.set_xticks(range(len(across.choices)), [*map(_choice, across.choices)])
    place.set_yticks(range(len(up.choices)), [*map(_choice, up.choices)])
    place.set(xlabel=across.key, ylabel=up.key)
    figure.colorbar(image, ax=place, format=PercentFormatter(1, decimals=0))
