"""Routes as rows of a run, and as a table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import networkx as nx
import polars as pl

from experiments.tabular import Table, count, mean, words
from sim.hunt.reward import Route

T = TypeVar("T")

SCHEMA = {
    "route": pl.String,
    "value": pl.Float64,
    "benefit": pl.Float64,  # nats
    "measured": pl.String,  # target numbers
    "length": pl.Float64,
    "way": pl.String,  # numbers of cells in the graph's order
    "seconds": pl.Float64,  # CPU
}
"""One row per route."""


def time_call(find: Callable[[], T]) -> tuple[T, float]:
    """Return the result of ``find`` and its CPU seconds."""
    began = time.process_time()
    found = find()
    return found, time.process_time() - began


def measure(name: str, graph: nx.Graph, find: Callable[[], Route]) -> dict[str, Any]:
    """Return the row of the route that ``find`` returns, with cells by number."""
    route, seconds = time_call(find)
    number = {cell: i for i, cell in enumerate(graph)}
    return {
        "route": name,
        "value": route.value,
        "benefit": route.benefit,
        "measured": " ".join(map(str, route.measured)),
        "length": route.length,
        "way": " ".join(str(number[cell]) for cell in route.cells),
        "seconds": seconds,
    }


def numbers(text: str) -> list[int]:
    """Return the numbers of a row's ``measured`` or ``way``."""
    return [int(part) for part in text.split()]


def table(rows: pl.DataFrame, title: str, unit: str, notes: Iterable[str] = ()) -> Table:
    """Return ``rows`` as a table; lengths are in ``unit``."""
    columns = (
        words("route"),
        mean("value", 3),
        mean("nats", 3),
        count("measured"),
        mean(f"length, {unit}", 2),
        mean("CPU s", 3),
    )
    measured = pl.col("measured").str.count_matches(r"\d+")
    lines = rows.select("route", "value", "benefit", measured, "length", "seconds").rows()
    return Table(title, columns, lines, tuple(notes))
