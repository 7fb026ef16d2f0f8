"""Values of planners in a hunt by simulations per decision, compared with exact strategies.

The hunt is the fork or the field of `sim.hunt.strategies.examples`.

Planners approach the closed loop as their budget grows; `flat`, the control without a tree, and
`greedy`, without a search, need not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from omegaconf import DictConfig, OmegaConf

from experiments import study
from experiments.hunt.routes import time_call
from experiments.plotting import REFERENCE, SERIES, intervals, legend_below, picture
from experiments.provenance.files import read_yaml
from experiments.settings.commandline import Refusal
from experiments.stats.intervals import Estimate, mean
from experiments.tabular import Table, count, percent, words
from experiments.tabular import mean as figure
from mcts.kernel.rng import derive_key
from sim.hunt.strategies import examples, planners
from sim.hunt.strategies.domain import AdaptiveHunt, adaptive
from sim.hunt.strategies.hunt import Hunt
from sim.hunt.strategies.planners import expected_value
from sim.hunt.strategies.recursion import closed_loop, full_information, open_loop, replan

PLOT = "search.png"

ROWS = study.Rows(
    file="values.parquet",
    units="searches",
    schema={
        "planner": pl.String,
        "simulations": pl.Int64,  # per decision; null for a planner without any
        "repeat": pl.Int64,
        "value": pl.Float64,  # expectation over all outcomes
        "root": pl.Float64,  # value at the root of its first search; null without a search
        "seconds": pl.Float64,  # CPU
    },
    more=(),
)
"""One row per planner, budget and repetition."""

CASES = {"fork": examples.fork, "field": examples.field}

LINES = {"open": ":", "replanned": "-.", "closed": "-", "full information": "--"}
"""Exact strategies and their line style."""

SEARCHLESS = "greedy"

Line = tuple[str, int | None, Estimate | float]
"""A planner, its simulations per decision, and its value."""


def job(settings: DictConfig, run: study.Run) -> None:
    """Search, write the results and print them."""
    small, seed = settings.hunt.small, settings.seed
    for name in ("simulations", "planners"):
        if not small[name] or len(set(small[name])) < len(small[name]):
            raise Refusal(f"hunt.small.{name} must list different ones, one or more")
    run.claim(ROWS)
    made, position, title = _case(settings.hunt.case)

    def compile_all() -> dict[str, float]:
        for planner in small.planners:
            _chooser(position, planner, 2)(position, 0)
        return _exact(made)

    known = run.compile(compile_all)
    rows = run.measure_each(_units(small), lambda unit: [play_unit(position, unit, seed)])
    described = {"exact": known, "planners": _describe(rows)}
    run.finish(described, [_table(rows, known, title)], [PLOT], partial(_draw, rows, known, title))


def _case(case: str) -> tuple[Hunt, AdaptiveHunt, str]:
    """Return a hunt of `CASES`, for recursion and for search, and its title."""
    made = CASES[case]()
    return made, adaptive(made), f"The {case}, {len(made.length)} cells, {made.moves} moves"


def _exact(made: Hunt) -> dict[str, float]:
    """Return the values of the strategies of `LINES`."""
    return {
        "open": open_loop(made).value,
        "replanned": replan(made).value,
        "closed": closed_loop(made).value,
        "full information": full_information(made),
    }


def _units(small: DictConfig) -> list[str]:
    """Return the units of measurement in order: planner, budget, repetition."""
    found = []
    for planner in small.planners:
        budgets = [0] if planner == SEARCHLESS else sorted(set(small.simulations))
        repeats = 1 if planner == SEARCHLESS else small.repeats
        found += [f"{planner} {budget} {i}" for budget in budgets for i in range(repeats)]
    return found


def play_unit(params: AdaptiveHunt, unit: str, seed: int) -> dict[str, Any]:
    """Return the row of a unit: the exact value of a planner's choices, and its own estimate."""
    planner, budget, repeat = unit.split()
    choose, key = _chooser(params, planner, int(budget)), int(derive_key(seed, int(repeat)))
    value, seconds = time_call(lambda: expected_value(params, choose, key))
    root = (
        planners.value(choose.search(params, key)) if isinstance(choose, planners.Planner) else None
    )
    return {
        "planner": planner,
        "simulations": int(budget) or None,
        "repeat": int(repeat),
        "value": value,
        "root": root,
        "seconds": seconds,
    }


def _chooser(params: AdaptiveHunt, planner: str, budget: int) -> Callable[[AdaptiveHunt, int], int]:
    return planners.greedy if planner == SEARCHLESS else planners.Planner(params, planner, budget)


def _summarize(rows: pl.DataFrame, column: str = "value") -> list[Line]:
    """Return planner, budget and mean of ``column``, with an interval if there are several."""
    groups = rows.group_by("planner", "simulations", maintain_order=True).agg(column).rows()
    return [
        (planner, budget, mean(np.array(values)) if len(values) > 1 else values[0])
        for planner, budget, values in groups
    ]


def _middle(found: Estimate | float) -> float:
    return found.value if isinstance(found, Estimate) else found


def _describe(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the planners' part of the summary."""
    return [
        {"planner": planner, "simulations": budget, "value": _middle(found)}
        | ({"low": found.low, "high": found.high} if isinstance(found, Estimate) else {})
        for planner, budget, found in _summarize(rows)
    ]


def _table(rows: pl.DataFrame, known: dict[str, float], title: str) -> Table:
    """Return values of strategies and planners, with their shares of ``closed``."""
    closed = known["closed"]
    at_root = [found for _, _, found in _summarize(rows, "root")]
    lines: list[tuple[str, int | None, Estimate | float, Estimate | float | None]]
    lines = [(name, None, value, None) for name, value in known.items()]
    lines += [(*line, root) for line, root in zip(_summarize(rows), at_root, strict=True)]
    return Table(
        title,
        (
            words("strategy or planner"),
            count("simulations"),
            figure("value", 3),
            percent("of closed"),
            figure("found at the root", 3),
        ),
        [(*line[:3], _middle(line[2]) / closed if closed > 0 else None, line[3]) for line in lines],
        NOTES,
    )


NOTES = (
    "values are exact expectations over all outcomes; planners: mean over searches, 95 %; found at "
    "the root: what the search itself expects",
    "open: one plan whatever is seen; replanned: an open plan made again after each outcome; "
    "closed: the optimum; full information: a bound that knows all outcomes in advance",
)


def show(folder: Path) -> tuple[Table, list[dict[str, Any]]]:
    """Return the table of the rows in ``folder``, and its figures for a CSV."""
    rows, known, title = _read(folder)
    return _table(rows, known, title), _describe(rows)


def draw_kept(kept: Path, folder: Path) -> None:
    """Draw the rows in ``kept`` to a picture in ``folder``."""
    _draw(*_read(kept), folder)


def _read(folder: Path) -> tuple[pl.DataFrame, dict[str, float], str]:
    settings = OmegaConf.create(read_yaml(folder / study.CONFIG))
    made, _, title = _case(settings.hunt.case)
    return pl.read_parquet(folder / ROWS.file), _exact(made), title


def _draw(rows: pl.DataFrame, known: dict[str, float], title: str, folder: Path) -> None:
    """Draw value by simulations."""
    with picture(folder / PLOT, f"{title}: planners, 95 %", (8, 5)) as (figure, ((axes,),)):
        _curves(axes, _summarize(rows), known)
        legend_below(figure, axes, columns=4)


def _curves(axes: Axes, found: list[Line], known: dict[str, float]) -> None:
    """Draw value by simulations, a curve for each planner, with lines for exact strategies."""
    for series, planner in enumerate(dict.fromkeys(name for name, _, _ in found)):
        at = {budget: value for name, budget, value in found if name == planner}
        if None in at:
            axes.axhline(_middle(at[None]), color=SERIES[series], linewidth=1.2, label=planner)
            continue
        places = [1.04 ** (series - 1) * budget for budget in at if budget is not None]
        points = [
            value if isinstance(value, Estimate) else Estimate(value, value, value)
            for value in at.values()
        ]
        intervals(axes, places, points, series, linestyle="-", label=planner)
    for name, value in known.items():
        axes.axhline(value, color=REFERENCE, linestyle=LINES[name], linewidth=1.2, label=name)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.grid(axis="x")
    axes.set(xlabel="simulations per decision", ylabel="value of the hunt")
