"""A picture of what the tree adds: per cent of a solver's bound by problem and planner."""

from __future__ import annotations

from pathlib import Path

import matplotlib.figure
import numpy as np
import polars as pl

from benchmarks.solvers.report import LEAF, find_bounds, per_cent
from experiments.stats.intervals import mean

SHOWN = {
    "root_only": ("root only", "#9a9a9a"),
    "one_step": ("one step", "#7d9cc0"),
    "pomcp": ("POMCP", "#e0a458"),
    "bmcts": ("BMCTS", "#b3541e"),
}
"""Planners in the order of their marks, with their words and colours."""
SIMULATIONS = 1_000
_WORST = -20.0
"""Marks further left are drawn here."""


def draw(rows: pl.DataFrame, references: pl.DataFrame, file: Path) -> None:
    """Draw means and 95 % intervals at `SIMULATIONS` a decision; policies without any count too."""
    problems = sorted(set(rows["problem"]), key=lambda name: -_mean(rows, name, "root_only"))
    planners = [name for name in SHOWN if name in set(rows["planner"])]
    figure = matplotlib.figure.Figure((6.9, 0.42 * len(problems) + 1.0), layout="constrained")
    axes = figure.subplots()
    for place, problem in enumerate(problems):
        lower, _ = find_bounds(references.filter(problem=problem))
        for number, planner in enumerate(planners):
            found = _values(rows, problem, planner)
            if len(found) < 2:
                continue
            interval = mean(found)
            at, low, high = (
                max(_WORST, per_cent(value, lower))
                for value in (interval.value, interval.low, interval.high)
            )
            words, color = SHOWN[planner]
            y = place + 0.13 * (number - (len(planners) - 1) / 2)
            axes.plot([low, high], [y, y], color=color, linewidth=1.5)
            axes.plot(at, y, "o", color=color, markersize=5, label=words if not place else None)
    axes.axvline(100, color="#333333", linewidth=0.8)
    axes.set_yticks(np.arange(len(problems)), [name.rpartition(".")[0] for name in problems])
    axes.set_ylim(len(problems) - 0.4, -0.6)
    axes.set_xlim(_WORST - 5, None)
    axes.set_xlabel(f"per cent of SARSOP's lower bound, {SIMULATIONS:,} simulations a decision")
    axes.legend(loc="upper left", frameon=False, fontsize=9)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(file, dpi=150)


def _values(rows: pl.DataFrame, problem: str, planner: str) -> np.ndarray:
    counts = pl.col("simulations").is_in([0, SIMULATIONS])
    return rows.filter(counts, pl.col("leaf").is_in(["", LEAF]), problem=problem, planner=planner)[
        "corrected"
    ].to_numpy()


def _mean(rows: pl.DataFrame, problem: str, planner: str) -> float:
    found = _values(rows, problem, planner)
    return float(found.mean() / abs(found).max()) if len(found) else 0.0
