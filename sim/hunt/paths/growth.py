"""What exact pruning costs on random graphs, as they, their targets and d_M grow.

Whole calls of `sim.hunt.paths.labels.routes` are timed, the graph's translation for kernels
included, in seconds of CPU of this process; one call before compiles and is not timed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import networkx as nx

from sim.hunt.paths.generated import random_graph
from sim.hunt.paths.labels import routes

MOST = 300_000
"""Labels after which a case is given up."""


class Case(NamedTuple):
    """A random hunt; the goal is the cell whose distance from cell 0 is nearest to ``far``."""

    cells: int = 531
    arcs: int = 686
    observation_cells: int = 270
    within: float | None = 10.0
    far: float = 12.0
    seed: int = 0


class Cost(NamedTuple):
    """What a case took."""

    case: Case
    ways: int
    """Ways that no other dominates; -1 if the case was given up."""
    labels: int
    """Labels made, at most `MOST`; -1 if given up."""
    seconds: float


PUBLISHED = Case()
"""Table I of [Ferrari & Cai 2009] in its counts; d_M and ends are not given there."""


def hunt(case: Case) -> tuple[nx.Graph, int, int]:
    """Return the graph of a case, its start and its goal."""
    graph = random_graph(case.cells, case.arcs, case.observation_cells, case.seed)
    distance = nx.single_source_dijkstra_path_length(graph, 0, weight="length")
    return graph, 0, min(distance, key=lambda cell: abs(distance[cell] - case.far))


def cost(case: Case) -> Cost:
    """Return what one case costs."""
    graph, start, goal = hunt(case)
    began = time.process_time()
    try:
        ways = routes(graph, start, goal, case.within, most=MOST)
    except ValueError:
        return Cost(case, -1, -1, time.process_time() - began)
    return Cost(case, len(ways), ways.made, time.process_time() - began)


def growth(kind: str, seeds: int = 5) -> Iterator[Cost]:
    """Yield costs of cases of which one number grows.

    Parameters
    ----------
    kind : "nodes", 100 to 5,000 in the proportions of Table I; "targets", observation cells, 10 to
        531; or "within", d_M from 0 to 16
    seeds : graphs of each size

    Raises
    ------
    ValueError
        If there is no such kind.
    """
    cases = {
        "nodes": [
            PUBLISHED._replace(cells=n, arcs=n * 686 // 531, observation_cells=n * 270 // 531)
            for n in (100, 250, 531, 1000, 2500, 5000)
        ],
        "targets": [
            PUBLISHED._replace(observation_cells=n) for n in (10, 30, 90, 180, 270, 400, 531)
        ],
        "within": [PUBLISHED._replace(within=float(d)) for d in (0, 2, 4, 6, 8, 10, 12, 14, 16)],
    }
    if kind not in cases:
        raise ValueError(f"growth is by {', '.join(cases)}, not by {kind!r}")
    cost(PUBLISHED._replace(within=1.0))
    for case in cases[kind]:
        for seed in range(seeds):
            yield cost(case._replace(seed=seed))
