"""The picture of regret against simulations."""

from __future__ import annotations

from itertools import cycle, groupby
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # a run has no display

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Told apart by the colour-blind too [Okabe and Ito 2008]."""

_MARKERS = "osD^v<>PX"

_APART = 1.04
"""So far to the right of each other stand the intervals of two players, as a factor."""


def draw(described: dict[str, Any], title: str, path: Path) -> None:
    """Draw a curve for each player that searches and a line for each that does not to ``path``.

    Parameters
    ----------
    described : with ``figures``, as `regret_report.figures` returns them
    title : what was measured
    """
    figure, axes = plt.subplots(figsize=(10, 5), layout="constrained")
    styles = zip(cycle(_COLOURS), cycle(_MARKERS), strict=False)
    curves = [
        list(lines) for _, lines in groupby(described["figures"], lambda line: line["player"])
    ]
    for number, lines in enumerate(curves):
        beside = _APART ** (number - len(curves) / 2)
        colour, marker = next(styles)
        stroke = "-" if number < len(_COLOURS) else ":"
        _curve(axes, lines, beside, {"color": colour, "marker": marker, "linestyle": stroke})
    axes.set_xscale("log")
    axes.set(
        xlabel="simulations a decision",
        ylabel="mean regret, probability of winning (linear to 0.01)",
    )
    axes.set_yscale("symlog", linthresh=0.01)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.suptitle(f"Regret with 95 % intervals, {title}")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _curve(axes: Axes, lines: list[dict[str, Any]], beside: float, style: dict[str, str]) -> None:
    player = lines[0]["player"]
    if lines[0]["simulations"] is None:
        (line,) = lines
        axes.axhline(
            line["regret"], color=style["color"], linestyle="--", linewidth=1, label=player
        )
        axes.axhspan(line["low"], line["high"], color=style["color"], alpha=0.08, linewidth=0)
        return
    value, low, high = ([line[key] for line in lines] for key in ("regret", "low", "high"))
    spread = [
        [here - end for here, end in zip(value, low, strict=True)],
        [end - here for here, end in zip(value, high, strict=True)],
    ]
    at = [beside * line["simulations"] for line in lines]
    axes.errorbar(at, value, spread, capsize=3, label=player, **style)
