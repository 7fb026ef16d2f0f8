"""The picture of regret against simulations."""

from __future__ import annotations

from itertools import cycle, groupby
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # a run has no display

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Told apart by the colour-blind too [Okabe and Ito 2008]."""

_MARKERS = "osD^v<>PX"


def draw(described: dict[str, Any], title: str, path: Path) -> None:
    """Draw a curve for each player that searches and a line for each that does not to ``path``.

    Parameters
    ----------
    described : with ``figures``, as `regret_report.figures` returns them
    title : what was measured
    """
    figure, axes = plt.subplots(figsize=(8.5, 5), layout="constrained")
    styles = zip(cycle(_COLOURS), cycle(_MARKERS), strict=False)
    for player, lines in groupby(described["figures"], lambda line: line["player"]):
        _curve(axes, player, list(lines), *next(styles))
    axes.set_xscale("log")
    axes.set(xlabel="simulations a decision", ylabel="mean regret, probability of winning")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=9)
    figure.suptitle(f"Regret with 95 % intervals, {title}")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _curve(axes: Axes, player: str, lines: list[dict[str, Any]], colour: str, marker: str) -> None:
    if lines[0]["simulations"] is None:
        (line,) = lines
        axes.axhline(line["regret"], color=colour, linestyle="--", linewidth=1, label=player)
        axes.axhspan(line["low"], line["high"], color=colour, alpha=0.08, linewidth=0)
        return
    value, low, high = ([line[key] for line in lines] for key in ("regret", "low", "high"))
    spread = [
        [here - end for here, end in zip(value, low, strict=True)],
        [end - here for here, end in zip(value, high, strict=True)],
    ]
    at = [line["simulations"] for line in lines]
    axes.errorbar(at, value, spread, color=colour, marker=marker, capsize=3, label=player)
