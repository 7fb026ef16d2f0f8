"""Values of planners in a hunt by simulations per decision, compared with exact strategies.

The hunt is the fork or the field of `sim.hunt.strategies.examples`, or a small field of objects.
That field is reduced to the start and one cell per object, with the shortest paths between them: a
move is a trip, so that exact recursion and search have the same few decisions.  One object is a
mine, so each outcome is evidence about the others.

Planners approach the closed loop as their budget grows; `flat`, the control without a tree, and
`greedy`, without a search, need not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from omegaconf import DictConfig, OmegaConf

from experiments import study
from experiments.hunt import fields
from experiments.hunt.routes import time_call
from experiments.plotting import REFERENCE, SERIES, intervals, legend_below, picture
from experiments.provenance.files import read_yaml
from experiments.settings.commandline import Refusal
from experiments.stats.intervals import Estimate, mean
from experiments.tabular import Table, count, percent, words
from experiments.tabular import mean as figure
from mcts.kernel.rng import derive_key
from sim.hunt.graph import number_of_targets
from sim.hunt.measurements import detector
from sim.hunt.reward import Weights
from sim.hunt.strategies import examples, planners
from sim.hunt.strategies.domain import AdaptiveHunt, adaptive
from sim.hunt.strategies.hunt import Hunt, hunt
from sim.hunt.strategies.planners import expected_value
from sim.hunt.strategies.recursion import closed_loop, full_information, open_loop, replan

PLOT = "search.png"

SCHEMA = {
    "planner": pl.String,
    "simulations": pl.Int64,  # per decision; null for a planner without any
    "repeat": pl.Int64,
    "value": pl.Float64,  # expectation over all outcomes
    "root": pl.Float64,  # value at the root of its first search; null without a search
    "seconds": pl.Float64,  # CPU
}
"""One row per planner, budget and repetition."""

ROWS = study.Rows(file="values.parquet", units="searches", schema=SCHEMA, more=())

LINES = {"open": ":", "replanned": "-.", "closed": "-", "full information": "--"}
"""Exact strategies and their line style."""

SEARCHLESS = "greedy"

Line = tuple[str, int | None, Estimate | float]
"""A planner, its simulations per decision, and its value."""

WORST = 0.8
"""Accuracy of the indication of the least reliable object."""


def accuracies(objects: int, best: float, seed: int) -> np.ndarray:
    """Return the accuracy of each object's indication: from `WORST`, or ``best``, to ``best``."""
    rng = np.random.default_rng([seed, 1])
    return rng.permutation(np.linspace(min(WORST, best), best, objects))


def one_mine(accuracy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return prior and likelihood of the hypotheses that one object is the only mine.

    ``accuracy``: float (objects,), P(the indication is right).
    """
    objects = len(accuracy)
    return np.full(objects, 1 / objects), detector(objects, accuracy, 1 - accuracy)


def cut_down(graph: nx.Graph, start: int) -> nx.Graph:
    """Return the graph of ``start`` and the nearest cell to it for each target, by paths.

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

    Raises Refusal if the objects do not fit.
    """
    small = settings.small
    field = fields.draw_field(settings, small.objects, seed)
    hypothesis = one_mine(accuracies(small.objects, settings.accuracy, seed))
    weights = Weights(*settings.weights.values())
    made = hunt(
        cut_down(field.graph, field.start), *hypothesis, weights, start=0, moves=small.moves
    )
    return made, adaptive(made)


def title_of(small: DictConfig) -> str:
    """Return the title of a small field."""
    return f"A small field, {small.objects} objects, {small.moves} moves"


def job(settings: DictConfig, run: study.Run) -> None:
    """Search, write the results and print them."""
    asked, seed = settings.hunt, settings.seed
    check(asked.small)
    run.claim(ROWS)
    made, position, title = _case(asked, seed)
    known = solve(run, made, position, asked.small)
    rows = run.measure_each(units(asked.small), lambda unit: [play_unit(position, unit, seed)])
    described = {"exact": known, "planners": describe(rows)}
    drawn = partial(draw, rows, known, title, PLOT)
    run.finish(described, [table(rows, known, title)], [PLOT], drawn)


def _case(asked: DictConfig, seed: int) -> tuple[Hunt, AdaptiveHunt, str]:
    """Return the chosen hunt, for recursion and for search, and its title."""
    if asked.case == "objects":
        return *draw_small_field(asked, seed), title_of(asked.small)
    made = examples.fork() if asked.case == "fork" else examples.field()
    return made, adaptive(made), f"The {asked.case}, {len(made.length)} cells, {made.moves} moves"


def check(small: DictConfig) -> None:
    """Refuse settings of planners that limits cannot express."""
    for name in ("simulations", "planners"):
        if not small[name] or len(set(small[name])) < len(small[name]):
            raise Refusal(f"hunt.small.{name} must list different ones, one or more")


def solve(run: study.Run, made: Hunt, params: AdaptiveHunt, small: DictConfig) -> dict[str, float]:
    """Return the values of the strategies of `LINES`, once all needed code is compiled.

    Raises ValueError if the hunt is too large.
    """

    def compile_all() -> dict[str, float]:
        for planner in small.planners:
            _chooser(params, planner, 2)(params, 0)
        return _exact(made)

    return run.compile(compile_all)


def _exact(made: Hunt) -> dict[str, float]:
    return {
        "open": open_loop(made).value,
        "replanned": replan(made).value,
        "closed": closed_loop(made).value,
        "full information": full_information(made),
    }


def units(small: DictConfig) -> list[str]:
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


def summarize(rows: pl.DataFrame, column: str = "value") -> list[Line]:
    """Return planner, budget and mean of ``column``, with an interval if there are several."""
    groups = rows.group_by("planner", "simulations", maintain_order=True).agg(column).rows()
    return [
        (planner, budget, mean(np.array(values)) if len(values) > 1 else values[0])
        for planner, budget, values in groups
    ]


def _middle(found: Estimate | float) -> float:
    return found.value if isinstance(found, Estimate) else found


def describe(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the planners' part of the summary."""
    return [
        {"planner": planner, "simulations": budget, "value": _middle(found)}
        | ({"low": found.low, "high": found.high} if isinstance(found, Estimate) else {})
        for planner, budget, found in summarize(rows)
    ]


def table(rows: pl.DataFrame, known: dict[str, float], title: str) -> Table:
    """Return values of strategies and planners, with their shares of ``closed``."""
    closed = known["closed"]
    at_root = [found for _, _, found in summarize(rows, "root")]
    lines: list[tuple[str, int | None, Estimate | float, Estimate | float | None]]
    lines = [(name, None, value, None) for name, value in known.items()]
    lines += [(*line, root) for line, root in zip(summarize(rows), at_root, strict=True)]
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
    return table(rows, known, title), describe(rows)


def draw_kept(kept: Path, folder: Path) -> None:
    """Draw the rows in ``kept``, as `draw`."""
    draw(*_read(kept), PLOT, folder)


def _read(folder: Path) -> tuple[pl.DataFrame, dict[str, float], str]:
    settings = OmegaConf.create(read_yaml(folder / study.CONFIG))
    made, _, title = _case(settings.hunt, settings.seed)
    return pl.read_parquet(folder / ROWS.file), _exact(made), title


def draw(rows: pl.DataFrame, known: dict[str, float], title: str, name: str, folder: Path) -> None:
    """Draw value by simulations to the file ``name`` in ``folder``."""
    with picture(folder / name, f"{title}: planners, 95 %", (8, 5)) as (figure, ((axes,),)):
        _curves(axes, summarize(rows), known)
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
