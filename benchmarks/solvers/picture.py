"""A picture of what the tree adds: per cent of a solver's bound by problem and planner."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.solvers.report import LEAF, find_bounds, per_cent
from experiments import palette, plotting
from experiments.stats.intervals import Estimate, mean

SHOWN = ("one_step", "root_only", "pomcp", "bmcts")
"""Planners in the order of their marks."""
SIMULATIONS = 1_000
_WORST = -20.0
"""Marks further left are drawn here."""


def draw(rows: pl.DataFrame, references: pl.DataFrame, file: Path) -> None:
    """Draw means and 95 % intervals at `SIMULATIONS` a decision; policies without any count too."""
    problems = sorted(set(rows["problem"]), key=lambda name: -_mean(rows, name, "root_only"))
    planners = [name for name in SHOWN if name in set(rows["planner"])]
    episodes = rows.group_by("problem", "planner", "simulations", "leaf").len()["len"].max()
    title = (
        f"Return by problem, in per cent of SARSOP's lower bound: {SIMULATIONS:,} simulations a "
        f"decision, up to {episodes} episodes, 95 %"
    )
    size = (plotting.WIDTH, 0.29 * len(problems) + 1.2)
    with plotting.picture(file, title, size) as (_, ((axes,),)):
        for place, problem in enumerate(problems):
            axes.axhspan(place - 0.5, place + 0.5, color="#f2f2f2" if place % 2 else "white", lw=0)
            lower, _ = find_bounds(references.filter(problem=problem))
            for number, planner in enumerate(planners):
                found = _values(rows, problem, planner)
                if len(found) < 2:
                    continue
                three = (
                    max(_WORST, per_cent(value, lower)) for value in vars(mean(found)).values()
                )
                y, label = place + 0.2 * (number - (len(planners) - 1) / 2), palette.say(planner)
                bars = {"across": True, "capsize": 0, "elinewidth": 1.6, "markersize": 4.5}
                plotting.intervals(axes, [y], [Estimate(*three)], planner, label=label, **bars)
        plotting.reference_line(axes, 100, upright=True)
        axes.set_yticks(range(len(problems)), [name.rpartition(".")[0] for name in problems])
        axes.set_ylim(len(problems) - 0.5, -0.5)
        axes.set_xlim(_WORST - 5, None)
        axes.set_xlabel(f"per cent; marks at {_WORST:.0f} are there or further left")
        handles, labels = axes.get_legend_handles_labels()
        once = dict(zip(labels, handles, strict=True))
        axes.legend(once.values(), once.keys(), loc="upper left", bbox_to_anchor=(0.02, 0.98))


def _values(rows: pl.DataFrame, problem: str, planner: str) -> np.ndarray:
    counts = pl.col("simulations").is_in([0, SIMULATIONS])
    return rows.filter(counts, pl.col("leaf").is_in(["", LEAF]), problem=problem, planner=planner)[
        "corrected"
    ].to_numpy()


def _mean(rows: pl.DataFrame, problem: str, planner: str) -> float:
    found = _values(rows, problem, planner)
    return float(found.mean() / abs(found).max()) if len(found) else 0.0
