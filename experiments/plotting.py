"""Style of the plots: palette, intervals, bands, the parity line and the file.

Colours are those of Okabe and Ito [2008, Color Universal Design], which colour-blind readers can
distinguish, and a rose; markers differ as well.  Intervals are `Estimate`s; an unknown bound is NaN
and is not drawn.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # a run has no display

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from experiments.provenance.files import atomic_write
from experiments.stats.intervals import Estimate
from experiments.texts import for_picture

SERIES = (
    "#0072b2",  # blue
    "#d55e00",  # vermilion
    "#009e73",  # bluish green
    "#cc79a7",  # reddish purple
    "#56b4e9",  # sky blue
    "#e69f00",  # orange
    "#1a1a1a",  # black
    "#b83a6b",  # rose
)
MARKERS = "osD^vPX*"
"""One per series, so that series differ without colour too."""

REFERENCE = "#666666"
"""Colour of parity, certainty and diagonals, which are not measurements."""

STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "text.parse_math": False,  # names are not formulas
}

_LETTERS_AN_INCH = 11
"""Characters of a title that fit across one inch of a figure."""


_kept: list[list[Figure]] = []


@contextmanager
def keep_figures() -> Iterator[list[Figure]]:
    """Yield a list that collects the figures drawn in the block."""
    _kept.append([])
    try:
        yield _kept[-1]
    finally:
        _kept.pop()


@contextmanager
def picture(
    path: Path,
    title: str,
    size: tuple[float, float],
    rows: int = 1,
    columns: int = 1,
    **options: Any,
) -> Iterator[tuple[Figure, np.ndarray]]:
    """Yield a figure and its (rows, columns) axes; at the end of the block, save it to ``path``.

    ``path``: of the PNG, written atomically, and not at all if the block raises; ``size``: width
    and height in inches; ``options``: for `matplotlib.pyplot.subplots`.  Raises OSError if the file
    cannot be written.
    """
    with plt.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the font may lack a name's characters
        figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, **options)
        try:
            yield figure, axes
            figure.suptitle(for_picture(title, round(_LETTERS_AN_INCH * size[0])))
            with atomic_write(path) as writing:
                figure.savefig(writing, dpi=150, format="png")
            for figures in _kept:
                figures.append(figure)
        finally:
            plt.close(figure)


def intervals(
    axes: Axes,
    at: Sequence[float],
    estimates: Sequence[Estimate],
    series: int = 0,
    *,
    across: bool = False,
    **look: Any,
) -> None:
    """Draw values as dots with their intervals as bars.

    ``at``: (n,) positions, from left to right, or from the bottom up if ``across``; ``estimates``:
    (n,) values with intervals; ``series``: index of colour and marker, unless ``look`` gives
    others; ``look``: for `matplotlib.axes.Axes.errorbar`.
    """
    values, low, high = bounds(estimates)
    # Rounding may put a bound on the wrong side of its value by an ulp.
    spread = np.maximum([values - low, high - values], 0)
    number = series % len(SERIES)
    usual = {"color": SERIES[number], "marker": MARKERS[number], "linestyle": "none"}
    look = _name({**usual, "markersize": 5, "capsize": 3, **look})
    if across:
        axes.errorbar(values, at, xerr=spread, **look)
    else:
        axes.errorbar(at, values, yerr=spread, **look)


def band(
    axes: Axes,
    at: Sequence[float],
    estimates: Sequence[Estimate],
    series: int = 0,
    **look: Any,
) -> None:
    """Draw values as a line inside the band of their intervals.

    ``at``, ``estimates``, ``series``: as in `intervals`; ``look``: for `matplotlib.axes.Axes.plot`.
    """
    values, low, high = bounds(estimates)
    number = series % len(SERIES)
    usual = {"color": SERIES[number], "marker": MARKERS[number]}
    look = _name({**usual, "markersize": 4, "linewidth": 1.6, **look})
    axes.fill_between(at, low, high, color=look["color"], alpha=0.2, linewidth=0)
    axes.plot(at, values, **look)


def _name(look: dict[str, Any]) -> dict[str, Any]:
    """Return ``look`` with a label that the legend shows even if it begins with an underscore."""
    return look if look.get("label") is None else {**look, "label": for_picture(look["label"])}


def bounds(estimates: Sequence[Estimate]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return values, lower bounds and upper bounds, each (n,)."""
    found = np.array([(one.value, one.low, one.high) for one in estimates], float).reshape(-1, 3)
    return found[:, 0], found[:, 1], found[:, 2]


def reference_line(
    axes: Axes, value: float, label: str | None = None, *, upright: bool = False
) -> None:
    """Draw a reference value, such as parity, as a dashed line."""
    draw = axes.axvline if upright else axes.axhline
    draw(value, color=REFERENCE, linestyle="--", linewidth=1.2, label=label)


def shares(axis: Axis, decimals: int | None = None) -> None:
    """Format the tick labels of ``axis``, which are fractions of 1, as percentages."""
    axis.set_major_formatter(PercentFormatter(1, decimals))


def legend_below(figure: Figure, axes: Axes, columns: int = 3, more: Sequence[Patch] = ()) -> None:
    """Draw a legend below the axes, each label once, if there are several series.

    ``more``: further patches with their labels.
    """
    handles, labels = axes.get_legend_handles_labels()
    once: dict[str, Any] = dict(zip(labels, handles, strict=True))
    once |= {str(patch.get_label()): patch for patch in more}
    if len(once) > 1:
        figure.legend(once.values(), once.keys(), loc="outside lower center", ncols=columns)


def thin(count: int, limit: int) -> np.ndarray:
    """Return at most ``limit`` of the indices below ``count``, including the first and last."""
    return np.unique(np.linspace(0, count - 1, min(count, limit)).astype(int))
