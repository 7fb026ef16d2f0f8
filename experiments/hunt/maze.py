"""A maze of corridors in which the printed pruning fails.

The treasure is in one of several squares, or in none.  By the text, the tree of Appendix III
keeps the shortest branch of each set of observation cells; as printed, it drops a void cell that is
reached again by a longer way, whatever was seen meanwhile, and never turns back, so that a dead end
is lost (`sim.hunt.paths.controls.printed`).  Labels keep what the text promises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
import shapely
from matplotlib.axes import Axes
from omegaconf import DictConfig

from experiments import study
from experiments.hunt import drawing, routes
from experiments.plotting import picture
from experiments.settings.commandline import Refusal
from sim.hunt.benefit import Partition
from sim.hunt.geometry.connectivity import cell_at, graph
from sim.hunt.geometry.workspace import Workspace
from sim.hunt.paths import controls, labels
from sim.hunt.reward import Route, Weights

PLOT = "maze.png"

EXACT, PRINTED, SIMPLE = "labels, exact", "pruning as printed", "all simple paths"

Square = tuple[int, int]


def job(settings: DictConfig, run: study.Run) -> None:
    """Find the ways, write the results and print them."""
    asked = settings.hunt
    made = maze(asked.width, asked.height, asked.loops, settings.seed)
    places = _places(made, asked.targets, settings.seed)
    workspace = walled(made, places)
    net = graph(workspace, "rectangles", "taxicab", by="grid", step=1.0)
    ends = cell_at(net, 0.5, 0.5), cell_at(net, asked.width - 0.5, asked.height - 0.5)
    within = None if asked.within is None else float(asked.within)
    benefit = Partition(np.full(len(places), 1 / (len(places) + 1)))
    weights = Weights(*asked.weights.values())
    solvers: dict[str, Callable[[], Any]] = {
        EXACT: lambda: labels.routes(net, *ends, within),
        PRINTED: lambda: controls.printed(net, *ends, within),
        SIMPLE: lambda: controls.exhaustive(net, *ends, within),
    }
    run.claim(routes.ROWS)

    def measured(left: list[str], _: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        labels.best(solvers[EXACT](), benefit, weights)  # compiles
        for name in left:
            try:
                found, seconds = routes.timed(
                    lambda name=name: labels.best(solvers[name](), benefit, weights)
                )
            except ValueError as fault:
                if name == EXACT:
                    raise Refusal(f"hunt.within: {fault}") from None
                yield name, []
                continue
            yield name, [_row(name, found, net, seconds)]

    rows = run.measure(list(solvers), measured)
    value = dict(zip(rows["route"], rows["value"], strict=True))
    lost = value[EXACT] - value[PRINTED] if PRINTED in value else None
    most = weights.benefit * benefit.value(range(len(places)))
    notes = [
        f"{len(net)} cells, {net.number_of_edges()} arcs, {len(places)} observation cells; "
        f"the treasure is in one of them or in none, each as likely",
        "the printed algorithm does not end here"
        if lost is None
        else f"pruning as printed loses {lost:.3f}, {100 * lost / most if most else 0:.0f} % of "
        "what measuring everything is worth",
    ]
    described = {"routes": rows.to_dicts(), "lost": lost, "worth_of_all": most}
    table = routes.table(rows, "Ways through the maze", "squares", notes)
    run.finish(described, [table], [PLOT], partial(draw, rows, workspace, net, places))


def _row(name: str, route: Route, net: nx.Graph, seconds: float) -> dict[str, Any]:
    """Return the row of a way; of one that need not be the best no bound is known."""
    number = {cell: i for i, cell in enumerate(net)}
    row = routes.row(name, route, number, seconds)
    return row if name == EXACT else {**row, "bound": None}


def maze(width: int, height: int, loops: int, seed: int) -> nx.Graph:
    """Return a random maze: a spanning tree of squares with so many passages more."""
    rng = np.random.default_rng(seed)
    full = nx.grid_2d_graph(width, height)
    chance = dict(zip(full.edges, rng.random(full.number_of_edges()).tolist(), strict=True))
    nx.set_edge_attributes(full, chance, "chance")
    tree = nx.minimum_spanning_tree(full, weight="chance")
    closed = [edge for edge in full.edges if not tree.has_edge(*edge)]
    opened = rng.permutation(len(closed))[:loops]
    tree.add_edges_from(closed[number] for number in opened)
    return tree


def _places(made: nx.Graph, wanted: int, seed: int) -> list[Square]:
    """Return the squares of targets, drawn from all but start and goal."""
    free = sorted(set(made) - {(0, 0), max(made)})
    if len(free) < wanted:
        raise Refusal(f"hunt.targets={wanted}: this maze has {len(free)} squares for them")
    drawn = np.random.default_rng([seed, 1]).permutation(len(free))[:wanted]
    return [free[number] for number in drawn]


def walled(made: nx.Graph, places: list[Square]) -> Workspace:
    """Return the maze as a workspace: walls without thickness, a target in the middle of a square.

    It is seen from its own square alone.
    """
    width, height = (side + 1 for side in max(made))
    walls = []
    for x, y in made:
        if x + 1 < width and not made.has_edge((x, y), (x + 1, y)):
            walls.append(shapely.LineString([(x + 1, y), (x + 1, y + 1)]))
        if y + 1 < height and not made.has_edge((x, y), (x, y + 1)):
            walls.append(shapely.LineString([(x, y + 1), (x + 1, y + 1)]))
    return Workspace(
        shapely.box(0, 0, width, height),
        obstacles=walls,
        targets=[shapely.Point(x + 0.5, y + 0.5) for x, y in places],
        sensor=shapely.box(-0.5, -0.5, 0.5, 0.5),
    )


def draw(
    rows: pl.DataFrame, workspace: Workspace, net: nx.Graph, places: list[Square], folder: Path
) -> None:
    """Draw the maze with the best way, and with the way that is left by the printed pruning."""
    lines = [line for line in rows.to_dicts() if line["route"] != SIMPLE]
    size = (5.2 * len(lines), 6.2)
    title = "Ways through a maze: a filled star is measured"
    with picture(folder / PLOT, title, size, columns=len(lines)) as (figure, (all_,)):
        for axes, line in zip(all_, lines, strict=True):
            _map(axes, line, workspace, net, places)
        drawing.legend(figure, all_[0])


def _map(
    axes: Axes, line: dict[str, Any], workspace: Workspace, net: nx.Graph, places: list[Square]
) -> None:
    drawing.map_of(axes, workspace.bounds)
    drawing.cells(axes, net)
    drawing.shapes(axes, [*workspace.obstacles, workspace.bounds.boundary])
    way = routes.numbers(line["way"])
    drawing.route(axes, net, way, label="way")
    _back(axes, net, way)
    drawing.ends(axes, net, way)
    middles = {number: (x + 0.5, y + 0.5) for number, (x, y) in enumerate(places)}
    measured = routes.numbers(line["measured"])
    drawing.targets(axes, middles, measured)
    axes.set(xticks=[], yticks=[])
    axes.set_title(
        f"{line['route']}: value {line['value']:.2f},\n{line['benefit']:.2f} nats, "
        f"{line['length']:.0f} squares, {len(measured)} of {len(places)} measured",
        fontsize=10,
    )


def _back(axes: Axes, net: nx.Graph, way: list[int]) -> None:
    """Draw what the way goes twice as a second line beside the first."""
    seen: set[frozenset[int]] = set()
    for one, other in pairwise(way):
        if (step := frozenset((one, other))) in seen:
            start, end = (np.array(net.nodes[cell]["at"]) for cell in (one, other))
            aside = 0.12 * np.array([start[1] - end[1], end[0] - start[0]])
            axes.plot(*np.array([start + aside, end + aside]).T, color=drawing.ROUTE,
                      linewidth=1.2, zorder=4)  # fmt: skip
        seen.add(step)
