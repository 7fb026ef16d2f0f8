"""Style of the plots: size, intervals, bands, the parity line, direct labels and the file.

Intervals are `Estimate`s; an unknown bound is NaN and is not drawn.
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # a run has no display

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from experiments.palette import REFERENCE, look
from experiments.provenance.files import atomic_write
from experiments.stats.intervals import Estimate
from experiments.texts import for_picture

WIDTH = 6.9
"""Inches of the widest picture: pages show it 690 pixels wide, 100 an inch, so that letters of 6.5
points are 9 pixels high."""

STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.titlesize": 9.5,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "figure.titlesize": 10.5,
    "font.size": 8.5,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "text.parse_math": False,  # names are not formulas
}

_LETTERS_AN_INCH = 12
"""Characters of a title that fit across one inch of a figure, which has at most two lines of it."""

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

    ``path``: of the PNG, written atomically, and not at all if the block raises; ``size``: width,
    at most `WIDTH`, and height in inches; ``options``: for `matplotlib.pyplot.subplots`.  Raises
    OSError if the file cannot be written.
    """
    size = min(size[0], WIDTH), size[1]
    with plt.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the font may lack a name's characters
        figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, **options)
        try:
            yield figure, axes
            across = round(_LETTERS_AN_INCH * size[0])
            shown = for_picture(title, 2 * across - 9)
            halves = min(across, len(shown) // 2 + 9) if len(shown) > across else across
            figure.suptitle(textwrap.fill(shown, halves))
            with atomic_write(path) as writing:
                figure.savefig(writing, dpi=200, format="png")
            for figures in _kept:
                figures.append(figure)
        finally:
            plt.close(figure)


def intervals(
    axes: Axes,
    at: Sequence[float],
    estimates: Sequence[Estimate],
    series: int | str = 0,
    *,
    across: bool = False,
    **options: Any,
) -> None:
    """Draw values as dots with their intervals as bars.

    ``at``: (n,) positions, from left to right, or from the bottom up if ``across``; ``estimates``:
    (n,) values with intervals; ``series``: index of colour and marker, or a player
    (`experiments.palette.look`); ``options``: for `matplotlib.axes.Axes.errorbar`.
    """
    values, low, high = bounds(estimates)
    # Rounding may put a bound on the wrong side of its value by an ulp.
    spread = np.maximum([values - low, high - values], 0)
    usual = {**look(series), "linestyle": "none", "markersize": 5, "capsize": 3}
    options = _name({**usual, **options})
    if across:
        axes.errorbar(values, at, xerr=spread, **options)
    else:
        axes.errorbar(at, values, yerr=spread, **options)


def band(
    axes: Axes,
    at: Sequence[float],
    estimates: Sequence[Estimate],
    series: int | str = 0,
    **options: Any,
) -> None:
    """Draw values as a line inside the band of their intervals.

    ``at``, ``estimates``, ``series``: as in `intervals`; ``options``: for
    `matplotlib.axes.Axes.plot`.
    """
    values, low, high = bounds(estimates)
    options = _name({**look(series), "markersize": 4, "linewidth": 1.6, **options})
    axes.fill_between(at, low, high, color=options["color"], alpha=0.2, linewidth=0)
    axes.plot(at, values, **options)


def _name(options: dict[str, Any]) -> dict[str, Any]:
    """Return ``options`` with a label that is shown even if it begins with an underscore."""
    label = options.get("label")
    return options if label is None else {**options, "label": for_picture(label)}


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


def label_ends(axes: Axes, letters: int = 30) -> None:
    """Write the label of each line next to its end: at the right, or at the left if the ends lie
    much further apart there.

    Call it last: the limits of ``axes`` must not change.  ``letters``: of a line of text.
    """
    figure, size = axes.get_figure(root=True), plt.rcParams["font.size"]
    assert figure is not None
    figure.draw_without_rendering()
    handles, labels = axes.get_legend_handles_labels()
    lines: list[Any] = [getattr(one, "lines", (one,))[0] for one in handles]
    drawn = [np.array(sorted(line.get_xydata().tolist())) for line in lines]
    texts = [textwrap.fill(label, letters) for label in labels]
    place = axes.transScale + axes.transLimits
    ends = {last: [place.transform(points[-last])[1] for points in drawn] for last in (0, 1)}
    last = int(np.ptp(ends[1]) >= np.ptp(ends[0]) / 2)
    heights, order = np.clip(ends[last], 0, 1), np.argsort(ends[last], kind="stable")
    line = 1.35 * size / 72 * figure.dpi / axes.bbox.height
    need = [line * (1 + text.count("\n")) for text in texts]
    for _ in range(300):
        for low, high in pairwise(order):
            lack = (need[low] + need[high]) / 2 - heights[high] + heights[low]
            heights[[low, high]] += np.array([-lack, lack]) / 2 if lack > 0 else 0
    for text, height, points, shown in zip(texts, heights, drawn, lines, strict=True):
        colour = shown.get_color()
        axes.annotate(
            text, points[-last], (1.03 if last else -0.03, height), va="center", fontsize=size,
            ha="left" if last else "right", textcoords="axes fraction", annotation_clip=False,
            color=0.65 * np.array(to_rgb(colour)), arrowprops={"arrowstyle": "-", "lw": 0.6,
            "color": colour, "shrinkA": 0, "shrinkB": 3},
        )  # fmt: skip
    if not last:
        axes.yaxis.tick_right()
        axes.yaxis.set_label_position("right")


def thin(count: int, limit: int) -> np.ndarray:
    """Return at most ``limit`` of the indices below ``count``, including the first and last."""
    return np.unique(np.linspace(0, count - 1, min(count, limit)).astype(int))
