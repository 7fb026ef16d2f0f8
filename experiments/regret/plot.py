"""The picture of regret against simulations."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from experiments.plotting import SERIES, intervals, picture
from experiments.stats.intervals import Estimate

_APART = 1.04
"""So far to the right of each other stand the intervals of two players, as a factor."""


def draw(described: dict[str, Any], title: str, path: Path) -> None:
    """Draw a curve for each player that searches and a line for each that does not to ``path``.

    ``described``: with ``figures``, as `experiments.regret.report.figures` returns them; ``title``:
    what was measured.
    """
    curves = [
        list(lines) for _, lines in groupby(described["figures"], lambda line: line["player"])
    ]
    with picture(path, f"Regret with 95 % intervals, {title}", (10, 5)) as (_, ((axes,),)):
        for number, lines in enumerate(curves):
            _curve(axes, lines, number, _APART ** (number - len(curves) / 2))
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set(
            xlabel="simulations a decision",
            ylabel="mean regret, probability of winning (linear to 0.01)",
        )
        axes.set_yscale("symlog", linthresh=0.01)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.grid()
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _curve(axes: Axes, lines: list[dict[str, Any]], number: int, beside: float) -> None:
    player = lines[0]["player"]
    found = [Estimate(line["regret"], line["low"], line["high"]) for line in lines]
    if lines[0]["simulations"] is None:
        (one,), colour = found, SERIES[number % len(SERIES)]
        axes.axhline(one.value, color=colour, linestyle="--", linewidth=1, label=player)
        axes.axhspan(one.low, one.high, color=colour, alpha=0.08, linewidth=0)
        return
    at = [beside * line["simulations"] for line in lines]
    stroke = "-" if number < len(SERIES) else ":"
    intervals(axes, at, found, number, linestyle=stroke, label=player)
