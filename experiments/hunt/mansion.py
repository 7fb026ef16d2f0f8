"""The mansion of Clue as a workspace: paths from room to room for several weights.

The room card is any that the player does not hold; a suggestion in a room shows whether it is that
one (`sim.hunt.measurements.Partition`).  As in Table III of the paper a path has two ends and
weights w_B and w_D, with w_J = 1; the figure with the paper's cell numbers is not available, so
start and goal are squares of the board here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from omegaconf import DictConfig

from experiments import study
from experiments.hunt import drawing, routes
from experiments.plotting import SERIES, legend_below, picture
from experiments.settings.commandline import Refusal
from experiments.tabular import Table, mean, words
from sim.cards import ROOMS
from sim.hunt.geometry import mansion
from sim.hunt.geometry.connectivity import cell_at
from sim.hunt.measurements import Partition
from sim.hunt.reward import Weights

PLOT = "mansion.png"

ROWS = study.Rows(
    file="routes.parquet",
    units="routes",
    schema={**routes.SCHEMA, "rooms": pl.String, "w_B": pl.Float64, "w_D": pl.Float64},
    more=(),
)
"""One row per pair of weights; ``rooms`` in order of measurement."""

_LABELS = {
    "Study": (3.2, 1.6),
    "Hall": (11.9, 2.6),
    "Lounge": (20.6, 2.6),
    "Library": (2.9, 7.6),
    "Billiard Room": (2.6, 14.0),
    "Dining Room": (20.4, 12.2),
    "Conservatory": (3.0, 21.6),
    "Ballroom": (11.9, 20.4),
    "Kitchen": (20.6, 21.4),
}
"""Position of a room's name on the plan, away from doors."""


def job(settings: DictConfig, run: study.Run) -> None:
    """Find the routes, write the results and print them."""
    asked = settings.hunt
    pairs = list(zip(asked.benefit, asked.distance, strict=False))
    if len(asked.benefit) != len(asked.distance) or len(set(pairs)) < len(pairs) or not pairs:
        raise Refusal("hunt.benefit and hunt.distance need equally many weights, no pair twice")
    graph = mansion.mansion(asked.by, asked.doors, asked.passage)
    ends = _square(graph, asked.start, "start"), _square(graph, asked.goal, "goal")
    run.claim(ROWS)
    free = [room not in asked.held for room in ROOMS]
    benefit = Partition(np.array(free) / max(1, sum(free)))

    def measure(unit: int) -> list[dict[str, Any]]:
        weights = Weights(pairs[unit][0], asked.test, pairs[unit][1])
        return [_row(graph, benefit, weights, ends)]

    rows = run.measure_each(range(len(pairs)), measure)
    described = {
        "cells": len(graph),
        "arcs": graph.number_of_edges(),
        "observation_cells": sum(bool(seen) for _, seen in graph.nodes("targets")),
        "routes": rows.to_dicts(),
    }
    run.finish(described, [_table(rows, graph)], [PLOT], partial(draw, rows, graph))


def _square(graph: nx.Graph, place: Sequence[int], name: str) -> int:
    """Return the cell that contains the middle of a square of the board."""
    if len(place) == 2:
        cell = cell_at(graph, place[0] + 0.5, place[1] + 0.5)
        if cell is not None:
            return cell
    raise Refusal(f"hunt.{name}={list(place)}: give column and row of a corridor square or a door")


def _row(
    graph: nx.Graph, benefit: Partition, weights: Weights, ends: tuple[int, int]
) -> dict[str, Any]:
    name = f"w_B {weights.benefit:g}, w_D {weights.distance:g}"
    row = routes.measure(name, graph, benefit, weights, *ends)
    measured = routes.numbers(row["measured"])
    met = [room for cell in routes.numbers(row["way"]) for room in graph.nodes[cell]["targets"]]
    order = [room for room in dict.fromkeys(met) if room in measured]
    return {
        **row,
        "rooms": ", ".join(ROOMS[room] for room in order) or "none",
        "w_B": weights.benefit,
        "w_D": weights.distance,
    }


def _table(rows: pl.DataFrame, graph: nx.Graph) -> Table:
    columns = (
        words("weights"),
        mean("B_tot", 2),
        mean("D_tot, squares", 1),
        mean("value", 2),
        mean("CPU s", 3),
        words("rooms measured, in order"),
    )
    b_tot = pl.col("w_B") * pl.col("benefit")
    lines = rows.select("route", b_tot, "length", "value", "seconds", "rooms").rows()
    notes = (
        f"{routes.sizes(graph)}; routes are exact optima",
        "B_tot: w_B times nats, as in Table III of [Ferrari & Cai 2009]",
    )
    return Table("Ways through the mansion", columns, lines, notes)


def draw(rows: pl.DataFrame, graph: nx.Graph, folder: Path) -> None:
    """Draw a plan of the mansion for each pair of weights."""
    columns = min(2, rows.height)
    down = -(-rows.height // columns)
    size = (4.9 * columns, 5.1 * down + 0.5)
    with picture(folder / PLOT, "Ways through the mansion", size, down, columns) as (figure, all_):
        for axes in all_.flat[rows.height :]:
            axes.set_axis_off()
        for axes, line in zip(all_.flat, rows.to_dicts(), strict=False):
            _plan(axes, line, graph)
        legend_below(figure, max(all_.flat, key=lambda axes: len(axes.lines)), columns=4)


def _plan(axes: Axes, line: dict[str, Any], graph: nx.Graph) -> None:
    drawing.map_of(axes, mansion.BOUNDS, margin=0.01)
    axes.invert_yaxis()
    drawing.shapes(axes, [mansion.BOUNDS], facecolor=drawing.BLOCKED, edgecolor="none")
    drawing.cells(axes, graph)
    for room, place in _LABELS.items():
        axes.text(*place, room.replace(" ", "\n"), ha="center", va="center", fontsize=9,
                  color="#444444")  # fmt: skip
    passages = [edge for edge in graph.edges if graph.edges[edge].get("passage")]
    drawing.arcs(axes, graph.edge_subgraph(passages), colors=SERIES[3], linestyles=":",
                 linewidths=1.3)  # fmt: skip
    way = routes.numbers(line["way"])
    drawing.route(axes, graph, way, label="way")
    drawing.ends(axes, graph, way)
    for number, room in enumerate(filter(lambda room: room != "none", line["rooms"].split(", "))):
        _mark_measured(axes, graph, way, ROOMS.index(room), number)
    axes.set(xticks=[], yticks=[])
    axes.set_title(
        f"{line['route']}: B_tot {line['w_B'] * line['benefit']:.2f}, "
        f"D_tot {line['length']:.1f} squares",
        fontsize=10,
    )


def _mark_measured(axes: Axes, graph: nx.Graph, way: Sequence[int], room: int, number: int) -> None:
    """Mark the place of a measurement by its number in the order."""
    at = next(graph.nodes[cell]["at"] for cell in way if room in graph.nodes[cell]["targets"])
    label = "suggestion, in order" if number == 0 else None
    axes.plot(*at, marker="o", markersize=12, color=SERIES[0], linestyle="none", zorder=7,
              label=label)  # fmt: skip
    axes.annotate(
        str(number + 1), at, ha="center", va="center", fontsize=8, color="white", zorder=8
    )
