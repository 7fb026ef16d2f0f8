"""A small field in which each outcome decides the next step, and the values that planners reach.

Of the field are left the start and one cell for each object, with the shortest ways between them:
a move is a trip, so that exact recursion and search have the same few decisions.  One of the
objects is a mine, so that each outcome is evidence about the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from omegaconf import DictConfig

from experiments.hunt import fields
from experiments.matches.background import Background
from experiments.plotting import REFERENCE, SERIES, intervals, legend_below, picture
from experiments.settings.commandline import Refusal
from experiments.stats.intervals import Estimate, mean
from experiments.tabular import Column, Table, count, words
from experiments.tabular import mean as figure
from mcts.kernel.rng import derive_key
from sim.hunt.graph import number_of_targets
from sim.hunt.measurements import detector
from sim.hunt.reward import Weights
from sim.hunt.strategies import planners
from sim.hunt.strategies.domain import AdaptiveHunt, adaptive
from sim.hunt.strategies.hunt import Hunt, hunt
from sim.hunt.strategies.playing import expected_value
from sim.hunt.strategies.recursion import closed_loop, full_information, open_loop, replan

SCHEMA = {
    "planner": pl.String,
    "simulations": pl.Int64,  # a decision; null for a planner that makes none
    "repeat": pl.Int64,
    "value": pl.Float64,  # by expectation over all outcomes
    "seconds": pl.Float64,  # CPU
}
"""One row a planner, budget and repetition."""

LINES = {"open": ":", "replanned": "-.", "closed": "-", "full information": "--"}
"""Exact strategies and their style in a picture."""

SEARCHLESS = "greedy"

WORST = 0.8
"""Of indications the share that is right of the worst object to look at."""


def accuracies(objects: int, best: float, seed: int) -> np.ndarray:
    """Return how often an indication of each object is right: from `WORST`, or best, to best."""
    rng = np.random.default_rng([seed, 1])
    return rng.permutation(np.linspace(min(WORST, best), best, objects))


def one_mine(accuracy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return prior and likelihood of the hypothesis which of the objects is the only mine.

    Parameters
    ----------
    accuracy : float (objects,), P(the indication is right)
    """
    objects = len(accuracy)
    return np.full(objects, 1 / objects), detector(objects, accuracy, 1 - accuracy)


def cut_down(graph: nx.Graph, start: int) -> nx.Graph:
    """Return the graph of ``start`` and of the nearest cell to it for each target, by ways.

    The start is node ``start``; the cell of a target is node ("target", number).
    """
    from_start = nx.single_source_dijkstra_path_length(graph, start, weight="length")
    chosen: dict[int, int] = {}
    for cell, seen in graph.nodes("targets"):
        for target in seen:
            known = chosen.get(target)
            if known is None or from_start[cell] < from_start[known]:
                chosen[target] = cell
    made = nx.Graph()
    made.add_node(start, targets=(), cell=start)
    for target in range(number_of_targets(graph)):
        made.add_node(("target", target), targets=(target,), cell=chosen[target])
    ways = dict(nx.all_pairs_dijkstra_path_length(graph, weight="length"))
    for one, other in combinations(made, 2):
        length = ways[made.nodes[one]["cell"]][made.nodes[other]["cell"]]
        made.add_edge(one, other, length=length)
    return made


def draw_small_field(settings: DictConfig, seed: int) -> tuple[Hunt, AdaptiveHunt]:
    """Return the small field of an example, drawn by ``seed``, for recursion and for search.

    Raises
    ------
    Refusal
        If there is no place for so many objects.
    """
    small = settings.small
    field = fields.draw_field(settings, small.objects, seed)
    hypothesis = one_mine(accuracies(small.objects, settings.accuracy, seed))
    weights = Weights(*settings.weights.values())
    made = hunt(
        cut_down(field.graph, field.start), *hypothesis, weights, start=0, moves=small.moves
    )
    return made, adaptive(made)


def check(small: DictConfig) -> None:
    """Refuse what limits cannot say of the settings of planners."""
    for name in ("simulations", "planners"):
        if not small[name] or len(set(small[name])) < len(small[name]):
            raise Refusal(f"hunt.small.{name} must list different ones, one or more")


def exact(made: Hunt) -> dict[str, float]:
    """Return the values of the strategies of `LINES`; ValueError if the hunt is too large."""
    return {
        "open": open_loop(made).value,
        "replanned": replan(made).value,
        "closed": closed_loop(made).value,
        "full information": full_information(made),
    }


def ready(made: Hunt, p: AdaptiveHunt, small: DictConfig) -> dict[str, float]:
    """Return `exact`, when all that is needed is compiled; Ctrl-C does not wait for it."""

    def compile_all() -> dict[str, float]:
        for planner in small.planners:
            _chooser(p, planner, 2)(p, 0)
        return exact(made)

    return Background(compile_all).result()


def units(small: DictConfig) -> list[str]:
    """Return what is measured one after another: planner, budget, repetition."""
    found = []
    for planner in dict.fromkeys(small.planners):
        budgets = [0] if planner == SEARCHLESS else sorted(set(small.simulations))
        repeats = 1 if planner == SEARCHLESS else small.repeats
        found += [f"{planner} {budget} {i}" for budget in budgets for i in range(repeats)]
    return found


def play_unit(p: AdaptiveHunt, unit: str, seed: int) -> dict[str, Any]:
    """Return the row of a unit: what a planner's choices are worth, exactly."""
    planner, budget, repeat = unit.split()
    choose = _chooser(p, planner, int(budget))
    began = time.process_time()
    value = expected_value(p, choose, int(derive_key(seed, int(repeat))))
    return {
        "planner": planner,
        "simulations": int(budget) or None,
        "repeat": int(repeat),
        "value": value,
        "seconds": time.process_time() - began,
    }


def _chooser(p: AdaptiveHunt, planner: str, budget: int) -> Callable[[AdaptiveHunt, int], int]:
    return planners.greedy if planner == SEARCHLESS else planners.Planner(p, planner, budget)


def table(rows: pl.DataFrame, known: dict[str, float], title: str) -> Table:
    """Return values of strategies and planners, with the share of ``closed`` that they reach."""
    lines: list[list[Any]] = [
        [name, None, known[name], _share(known[name], known)] for name in known
    ]
    for planner, budget, found in summary(rows):
        lines.append([planner, budget, found, _share(_middle(found), known)])
    columns = (
        words("strategy or planner"),
        count("simulations"),
        figure("value", 3),
        Column("of closed", lambda share: f"{100 * share:.1f} %"),
    )
    return Table(title, columns, lines, NOTES)


NOTES = (
    "values are exact expectations over all outcomes; planners: mean over searches, 95 %",
    "open: one plan whatever is seen; replanned: an open plan made again after each outcome; "
    "closed: the optimum; full information: a bound that knows all outcomes in advance",
)


def _share(value: float, known: dict[str, float]) -> float | None:
    return value / known["closed"] if known["closed"] > 0 else None


def _middle(found: Estimate | float) -> float:
    return found.value if isinstance(found, Estimate) else found


def _point(found: Estimate | float) -> Estimate:
    return found if isinstance(found, Estimate) else Estimate(found, found, found)


def describe(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Return what the summary has of planners."""
    return [
        {"planner": planner, "simulations": budget, "value": _middle(found)}
        | ({"low": found.low, "high": found.high} if isinstance(found, Estimate) else {})
        for planner, budget, found in summary(rows)
    ]


def summary(rows: pl.DataFrame) -> Iterator[tuple[str, int | None, Estimate | float]]:
    """Yield planner, budget and mean value of each, with its interval if there are several."""
    for (planner, budget), found in rows.group_by("planner", "simulations", maintain_order=True):
        values = found["value"].to_numpy()
        yield planner, budget, mean(values) if len(values) > 1 else float(values[0])


def draw(rows: pl.DataFrame, known: dict[str, float], title: str, path: Path) -> None:
    """Draw value by simulations to ``path``."""
    with picture(path, f"{title}: planners, 95 %", (8, 5)) as (figure, ((axes,),)):
        _curves(axes, rows, known)
        legend_below(figure, axes, columns=4)


def _curves(axes: Axes, rows: pl.DataFrame, known: dict[str, float]) -> None:
    """Draw value by simulations, a curve for each planner, with lines for exact strategies."""
    found = list(summary(rows))
    for series, planner in enumerate(dict.fromkeys(name for name, _, _ in found)):
        at = {budget: value for name, budget, value in found if name == planner}
        if None in at:
            axes.axhline(_middle(at[None]), color=SERIES[series], linewidth=1.2, label=planner)
            continue
        places = [1.04 ** (series - 1) * budget for budget in at if budget is not None]
        points = [_point(value) for value in at.values()]
        intervals(axes, places, points, series, linestyle="-", label=planner)
    for name, value in known.items():
        axes.axhline(value, color=REFERENCE, linestyle=LINES[name], linewidth=1.2, label=name)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.grid(axis="x")
    axes.set(xlabel="simulations a decision", ylabel="value of the hunt")
