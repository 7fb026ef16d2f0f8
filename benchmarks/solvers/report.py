"""Tables in Markdown from rows alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from benchmarks.solvers.planners import PAIRS
from experiments.stats.intervals import mean

CELL = ("problem", "simulations", "leaf")
Lines = Iterable[Sequence[str]]


def tables(rows: pl.DataFrame, references: pl.DataFrame) -> str:
    """Return three tables: returns, differences of pairs, and standard errors."""
    planners = rows["planner"].unique(maintain_order=True).to_list()
    pairs = [pair for pair in PAIRS if {*pair} <= {*planners}]
    parts = (
        _draw(
            "Corrected return, in per cent of the best lower bound; milliseconds of CPU a decision",
            (*CELL, "bounds", *planners),
            _returns(rows, references, planners),
        ),
        _draw(
            "Differences on the same episodes",
            (*CELL, "episodes", *(f"{first} less {second}" for first, second in pairs)),
            _differences(rows, pairs),
        ),
        _draw(
            "Standard errors of one planner's return",
            (*CELL, "planner", "episodes", "return", "corrected", "errors", "ratio"),
            _errors(rows),
        ),
        "Means over episodes with 95 % intervals.\n",
    )
    return "\n".join(parts)


def _draw(title: str, head: Sequence[str], body: Lines) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "\n".join((f"## {title}\n", *(f"| {' | '.join(line)} |" for line in lines), ""))


def _cells(rows: pl.DataFrame) -> Iterator[tuple[list[str], pl.DataFrame]]:
    """Yield each cell as words and its rows; policies are in all cells of their problem."""
    searches = rows.filter(pl.col("simulations") > 0)
    for cell in (rows if searches.is_empty() else searches).select(CELL).unique().sort(CELL).rows():
        of_cell = pl.lit(True)
        for name, value, every in zip(CELL, cell, (None, 0, ""), strict=True):
            of_cell &= pl.col(name).is_in([value, every] if every is not None else [value])
        yield [cell[0], f"{cell[1]:,}", cell[2]], rows.filter(of_cell)


def _returns(rows: pl.DataFrame, references: pl.DataFrame, planners: list[str]) -> Lines:
    for words, found in _cells(rows):
        known = references.filter(problem=words[0])
        lower, upper = known["lower"].max(), known["upper"].min()
        bounds = "" if lower is None else f"{lower:.4g} to {upper:.4g}"
        shown = []
        for planner in planners:
            mine = found.filter(planner=planner)
            if len(mine) < 2:
                shown.append("")
                continue
            value = _mean(mine["corrected"])
            part = "" if lower is None else f", {per_cent(mine['corrected'].mean(), lower):.1f} %"
            spent = 1000 * mine["seconds"].sum() / max(1, mine["decisions"].sum())
            shown.append(f"{value}{part}, {spent:.3g} ms")
        yield [*words, bounds, *shown]


def per_cent(value: float, bound: float) -> float:
    """Return ``value`` in per cent of ``bound``: 90 is a tenth of its size below, of any sign."""
    return 100 + 100 * (value - bound) / abs(bound)


def _differences(rows: pl.DataFrame, pairs: Iterable[tuple[str, str]]) -> Lines:
    for words, found in _cells(rows):
        shown, count = [], 0
        for pair in pairs:
            first, second = (found.filter(planner=name) for name in pair)
            both = first.join(second, on="episode")
            apart = both["corrected"] - both["corrected_right"]
            shown.append(_mean(apart) if len(apart) > 1 else "")
            count = max(count, len(apart))
        yield [*words, str(count), *shown]


def _errors(rows: pl.DataFrame) -> Lines:
    for words, found in _cells(rows):
        for (planner,), mine in found.group_by(["planner"], maintain_order=True):
            if len(mine) > 1:
                raw, corrected = (
                    mine[name].std() / len(mine) ** 0.5 for name in ("return", "corrected")
                )
                ratio = f"{raw / corrected:.1f}" if 1000 * corrected > raw else "> 1,000"
                yield [
                    *words,
                    planner,
                    str(len(mine)),
                    f"{mine['return'].mean():.4g}",
                    f"{mine['corrected'].mean():.5g}",
                    f"{raw:.3g}, {corrected:.3g}",
                    ratio,
                ]


def _mean(values: pl.Series) -> str:
    found = mean(values.to_numpy())
    return f"{found.value:.4f} +- {found.high - found.value:.4f}"
