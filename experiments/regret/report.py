"""Regret in figures, in a table and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from experiments import study
from experiments.provenance.files import SUMMARY, read_json
from experiments.stats.intervals import Estimate, clustered_means
from experiments.tabular import Column, Table, count, mean
from sim.endgame.positions import Endgame
from sim.state import ACCUSE

PLOT = "regret.png"

ROWS = study.Rows(
    file="regret.parquet",
    units="positions",
    schema={
        "player": pl.String,
        "simulations": pl.Int64,  # null for a compiled policy
        "position": pl.Int64,
        "seed": pl.Int64,
        "first": pl.Int64,  # action (`sim.state`): a move or an accusation ...
        "second": pl.Int64,  # ... and the suggestion after a move
        "first_regret": pl.Float64,  # of the first decision, if the best suggestion followed
        "regret": pl.Float64,  # of the turn, as a probability of winning
        "best": pl.Float64,  # value of the position
        "search_seconds": pl.Float64,  # of the turn
    },
    more=("positions",),
    least=2,
)
"""One row a turn."""

_BEST = 1e-9
"""A turn that loses less is a best one."""


def figures(rows: pl.DataFrame, seed: int) -> list[dict[str, Any]]:
    """Return a line for each player and budget: its mean regret and what is behind it.

    The intervals are over positions (`experiments.stats.intervals.clustered_means` with ``seed``).
    """
    key = ["player", "simulations"]
    lines = rows.group_by(key, maintain_order=True).agg(
        turns=pl.len(),
        first_regret=pl.mean("first_regret"),
        best_share=(pl.col("regret") < _BEST).mean(),
        accused_share=(pl.col("first") >= ACCUSE).mean(),
        search_seconds=pl.mean("search_seconds"),
    )
    totals, counts = (
        rows.pivot("position", index=key, values="regret", aggregate_function=how)
        .drop(key)
        .fill_null(0)
        .to_numpy()
        for how in ("sum", "len")
    )
    means = clustered_means(totals, counts, seed)
    return [
        {**line, "regret": mean.value, "low": mean.low, "high": mean.high}
        for line, mean in zip(lines.to_dicts(), means, strict=True)
    ]


def references(positions: Sequence[Endgame]) -> dict[str, float]:
    """Return the mean value of the positions, and what thoughtless turns lose in them."""
    best = np.array([position.best for position in positions])
    accusing = [position.values[position.actions >= ACCUSE].max() for position in positions]
    anything = [position.suggestions.mean() for position in positions]
    return {
        "best": float(best.mean()),
        "any_suggestion": float((best - anything).mean()),
        "accusing_at_once": float((best - accusing).mean()),
    }


def _title(described: dict[str, Any]) -> str:
    return (
        f"{described['positions']} late positions of {described['seats']} players, "
        f"{described['seeds']} seed{'s' if described['seeds'] > 1 else ''}"
    )


def table(described: dict[str, Any]) -> Table:
    """Return the figures as a table."""
    known = {key: f"{100 * value:.1f}" for key, value in described["references"].items()}
    note = (
        f"in points of winning; best play wins {known['best']} %, any suggestion loses "
        f"{known['any_suggestion']}, accusing at once {known['accusing_at_once']}"
    )

    def share(value: float) -> str:
        return f"{100 * value:.0f} %"

    def points(line: dict[str, Any]) -> Estimate:
        return Estimate(*(100 * line[key] for key in ("regret", "low", "high")))

    def milliseconds(line: dict[str, Any]) -> float | None:
        return None if line["simulations"] is None else 1000 * line["search_seconds"]

    columns = (
        (Column("player"), "player"),
        (count("simulations"), "simulations"),
        (mean("regret, 95 %"), points),
        (mean("by the room"), lambda line: 100 * line["first_regret"]),
        (Column("best turn", share), "best_share"),
        (Column("accused", share), "accused_share"),
        (mean("ms"), milliseconds),
    )
    return Table.of(f"Regret, {_title(described)}", described["figures"], columns, [note])


def show(folder: Path) -> tuple[Table, list[dict[str, Any]]]:
    """Return the table of the rows in ``folder``, and its figures for a CSV."""
    described = _read(folder)
    return table(described), described["figures"]


def draw_kept(kept: Path, folder: Path) -> None:
    """Draw the rows in ``kept``, as `draw`."""
    draw(_read(kept), folder)


def _read(folder: Path) -> dict[str, Any]:
    """Return what the run in ``folder`` described, its figures made from the rows again."""
    described = read_json(folder / SUMMARY)
    return {**described, "figures": figures(pl.read_parquet(folder / ROWS.file), described["seed"])}


def draw(described: dict[str, Any], folder: Path) -> None:
    """Draw a curve for each player that searches and a line for each that does not."""
    from experiments.regret import plot

    plot.draw(described, _title(described), folder / PLOT)
