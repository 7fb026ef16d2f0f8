"""Tables in Markdown from rows alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from benchmarks.solvers.planners import PAIRS, PLANNERS
from experiments.stats.intervals import mean

CELL = ("problem", "simulations", "leaf")
Line = dict[str, str]


def tables(rows: pl.DataFrame, references: pl.DataFrame) -> tuple[str, str, pl.DataFrame]:
    """Return the tables of returns and of differences of pairs, and the standard errors."""
    names = sorted(set(rows["planner"]), key=[*PLANNERS].index)
    returns, differences, errors = [], [], []
    for cell, found in _cells(rows):
        lower, upper = find_bounds(references.filter(problem=cell["problem"]))
        by_name = {name: found.filter(planner=name).sort("episode") for name in names}
        shown = {name: _show(by_name[name], lower) for name in names}
        returns.append({**cell, "bounds": f"{lower:.5g} to {upper:.5g}", **shown})
        shown = {
            f"{first} less {second}": _difference(by_name[first], by_name[second])
            for first, second in PAIRS
            if first in names and second in names
        }
        differences.append({**cell, **shown})
        errors += [
            {**cell, "planner": name, **_errors(mine)}
            for name, mine in by_name.items()
            if len(mine) > 1
        ]
    title = "Corrected return, per cent of the lower bound, ms of CPU a decision"
    paired = _draw("Differences on the same episodes", differences)
    return _draw(title, returns), paired, pl.DataFrame(errors)


def summarise(rows: pl.DataFrame, references: pl.DataFrame) -> str:
    """Return one table: per cent of the lower bound at 1,000 simulations with `LEAF` values."""
    lines = []
    for cell, found in _cells(rows.filter(pl.col("leaf").is_in(["", LEAF]))):
        if cell["simulations"] != "1,000":
            continue
        lower, _ = find_bounds(references.filter(problem=cell["problem"]))
        line, spent = {"problem": cell["problem"]}, ""
        for name in SUMMARISED:
            mine = found.filter(pl.col("episode") < EPISODES, planner=name)
            line[f"`{name}`"] = _percentage(mine["corrected"].to_numpy(), lower)
            spent = f"{_milliseconds(mine):.1f}"
        lines.append({**line, f"ms a decision, `{SUMMARISED[-1]}`": spent})
    return _table(lines)


LEAF, EPISODES = "fib", 60
SUMMARISED = ("root_only", "one_step", "pomcp", "bmcts")


def _percentage(values: np.ndarray, bound: float) -> str:
    found = mean(values)
    half = 100 * (found.high - found.value) / abs(bound)
    return f"{per_cent(found.value, bound):.1f} +- {half:.1f}"


def _milliseconds(found: pl.DataFrame) -> float:
    """Return the CPU time of a decision."""
    return 1000 * float(found["seconds"].sum()) / max(1, int(found["decisions"].sum()))


def _draw(title: str, lines: list[Line]) -> str:
    note = "Means over episodes with 95 % intervals; the number of episodes is in brackets."
    return f"## {title}\n\n{_table(lines)}\n\n{note}"


def _table(lines: list[Line]) -> str:
    shown = lines[0].keys(), ["---"] * len(lines[0]), *(line.values() for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in shown)


def _cells(rows: pl.DataFrame) -> Iterator[tuple[Line, pl.DataFrame]]:
    """Yield the words of each cell, and its rows; those of policies are in all cells."""
    policy = pl.col("simulations") == 0
    searches = rows.filter(~policy)
    for cell in (rows if searches.is_empty() else searches).select(CELL).unique().sort(CELL).rows():
        here = (pl.col("simulations") == cell[1]) & (pl.col("leaf") == cell[2])
        words = dict(zip(CELL, (cell[0], f"{cell[1]:,}", cell[2]), strict=True))
        yield words, rows.filter(here | policy, problem=cell[0])


def find_bounds(known: pl.DataFrame) -> tuple[float, float]:
    """Return the greatest lower and the least upper bound, nan without any."""
    lower, upper = (known[name].cast(pl.Float64).to_numpy() for name in ("lower", "upper"))
    return float(np.fmax.reduce(lower, initial=np.nan)), float(
        np.fmin.reduce(upper, initial=np.nan)
    )


def per_cent(value: float, bound: float) -> float:
    """Return ``value`` in per cent of ``bound``: 90 is worse by a tenth, also below 0."""
    return 100 + 100 * (value - bound) / abs(bound)


def _show(found: pl.DataFrame, lower: float) -> str:
    value = found["corrected"].to_numpy()
    if len(value) < 2:
        return ""
    spent = _milliseconds(found)
    return f"{_mean(value)}, {per_cent(value.mean(), lower):.1f} %, {spent:.3g} ms"


def _mean(values: np.ndarray) -> str:
    if len(values) < 2:
        return ""
    found = mean(values)
    return f"{found.value:.4f} +- {found.high - found.value:.4f} ({len(values)})"


def _difference(first: pl.DataFrame, second: pl.DataFrame) -> str:
    both = first.join(second, on="episode")
    return _mean((both["corrected"] - both["corrected_right"]).to_numpy())


def _errors(found: pl.DataFrame) -> Line:
    line = {"episodes": str(len(found))}
    for name in ("return", "corrected"):
        values = found[name].to_numpy()
        error = np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
        line |= {name: f"{np.mean(values):.4g}", f"error of {name}": f"{error:.2g}"}
    return line
