"""What the measurement of regret leaves behind: figures as JSON, turns as CSV, a plot, a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow.csv import write_csv
from rich.console import Console
from rich.table import Table

from experiments.provenance import provenance
from experiments.provenance.files import write_json
from experiments.stats.intervals import clustered_means
from sim.endgame.positions import Endgame
from sim.state import ACCUSE

JSON, CSV, PLOT = "regret.json", "regret.csv", "regret.png"

ROW = pa.schema(
    [
        ("player", pa.string()),
        ("simulations", pa.int64()),  # null for a compiled policy
        ("position", pa.int64()),
        ("seed", pa.int64()),
        ("first", pa.int64()),  # action (`sim.state`): a move or an accusation ...
        ("second", pa.int64()),  # ... and the suggestion after a move
        ("first_regret", pa.float64()),  # of the first decision, if the best suggestion followed
        ("regret", pa.float64()),  # of the turn, as a probability of winning
        ("best", pa.float64()),  # value of the position
        ("search_seconds", pa.float64()),  # of the turn
    ]
)
"""Columns of the CSV; one row a turn."""

_BEST = 1e-9
"""A turn that loses less is a best one."""


def figures(rows: Sequence[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """Return a line for each player and budget: its mean regret and what is behind it.

    The intervals are over positions (`experiments.stats.intervals.clustered_means` with ``seed``).
    """
    grouped: dict[tuple[str, int | None], list[dict[str, Any]]] = {}
    for row in rows:
        grouped.setdefault((row["player"], row["simulations"]), []).append(row)
    positions = sorted({row["position"] for row in rows})
    totals = [
        [sum(row["regret"] for row in each if row["position"] == at) for at in positions]
        for each in grouped.values()
    ]
    counts = [
        [sum(row["position"] == at for row in each) for at in positions]
        for each in grouped.values()
    ]
    means = clustered_means(np.array(totals), np.array(counts), seed)
    return [
        {
            "player": player,
            "simulations": simulations,
            "turns": len(each),
            "regret": mean.value,
            "low": mean.low,
            "high": mean.high,
            "first_regret": float(np.mean([row["first_regret"] for row in each])),
            "best_share": float(np.mean([row["regret"] < _BEST for row in each])),
            "accused_share": float(np.mean([row["first"] >= ACCUSE for row in each])),
            "search_seconds": float(np.mean([row["search_seconds"] for row in each])),
        }
        for (player, simulations), each, mean in zip(grouped, grouped.values(), means, strict=True)
    ]


def references(positions: Sequence[Endgame]) -> dict[str, float]:
    """Return the mean value of the positions, and what thoughtless turns lose in them."""
    best = np.array([each.best for each in positions])
    accusing = [each.values[each.actions >= ACCUSE].max() for each in positions]
    return {
        "best": float(best.mean()),
        "any_suggestion": float((best - [each.suggestions.mean() for each in positions]).mean()),
        "accusing_at_once": float((best - accusing).mean()),
    }


def write(described: dict[str, Any], rows: Sequence[dict[str, Any]], folder: Path) -> None:
    """Write the figures with their provenance, the turns and, unless interrupted, the plot.

    A plot of an earlier run is removed, so that none is left beside figures of another.
    """
    where = {
        "command": provenance.command(),
        "versions": provenance.versions(),
        "commit": provenance.commit(),
        "machine": provenance.machine(),
    }
    write_json(folder, {**described, "run": where}, JSON)
    write_csv(pa.Table.from_pylist(list(rows), ROW), folder / CSV)
    (folder / PLOT).unlink(missing_ok=True)
    if not described["interrupted"]:  # Ctrl-C does not wait for Matplotlib
        from experiments.regret import plot

        plot.draw(described, title(described), folder / PLOT)


def title(described: dict[str, Any]) -> str:
    """Return what was measured, in a few words."""
    return (
        f"{described['positions']} late positions of {described['seats']} players, "
        f"{described['seeds']} seed{'s' if described['seeds'] > 1 else ''}"
    )


def show(described: dict[str, Any], console: Console) -> None:
    """Print the figures as a table."""
    known = described["references"]
    table = Table(
        title=f"Regret, {title(described)}",
        caption=f"in points of winning; best play wins {100 * known['best']:.1f} %, any suggestion "
        f"loses {100 * known['any_suggestion']:.1f}, accusing at once "
        f"{100 * known['accusing_at_once']:.1f}",
    )
    table.add_column("player")
    for column in ("simulations", "regret, 95 %", "by the room", "best turn", "accused", "ms"):
        table.add_column(column, justify="right", no_wrap=True)
    for line in described["figures"]:
        value, low, high = (100 * line[key] for key in ("regret", "low", "high"))
        simulations = line["simulations"]
        table.add_row(
            line["player"],
            "" if simulations is None else str(simulations),
            f"{value:.1f} ({low:.1f} to {high:.1f})",
            f"{100 * line['first_regret']:.1f}",
            f"{100 * line['best_share']:.0f} %",
            f"{100 * line['accused_share']:.0f} %",
            "" if simulations is None else f"{1000 * line['search_seconds']:.1f}",
        )
    console.print(table)
