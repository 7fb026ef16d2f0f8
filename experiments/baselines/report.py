"""What the baselines leave behind: figures as JSON and Parquet, two plots, and the table."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from experiments.baselines.games import LINE, RATES, WIN_RATE
from experiments.provenance import provenance
from experiments.provenance.files import write_json
from experiments.runs import references
from experiments.stats.intervals import Estimate
from sim.rules import PRESETS, Rules

JSON, PARQUET = "baselines.json", "baselines.parquet"
DOTS, CURVE = "baselines.png", "threshold.png"


def write(
    found: list[dict[str, Any]],
    rules: Rules,
    seed: int,
    folder: Path,
    interrupted: bool,
    seconds: float,
) -> None:
    """Write the lines ``found`` to ``folder`` and, unless ``interrupted``, draw them.

    Plots of an earlier run are removed, so that none is left beside figures of another.
    """
    described = {
        "rules": asdict(rules),
        "seed": seed,
        "lines": found,
        "interrupted": interrupted,
        "seconds": seconds,
        "run": {
            "command": provenance.command(),
            "versions": provenance.versions(),
            "commit": provenance.commit(),
            "machine": provenance.machine(),
        },
    }
    write_json(folder, described, JSON)
    pq.write_table(pa.Table.from_pylist(found, LINE), folder / PARQUET)
    for plot in (DOTS, CURVE):
        (folder / plot).unlink(missing_ok=True)
    if interrupted:  # Ctrl-C does not wait for Matplotlib
        return
    from experiments.baselines import plots

    title = rules_label(rules)
    plots.dots(found, title, 1 / rules.players, folder / DOTS)
    plots.threshold_curve(found, title, 1 / rules.players, folder / CURVE)


def rules_label(rules: Rules) -> str:
    """Return the preset of ``rules`` and the switches that differ from it."""
    usual = asdict(PRESETS[rules.name])
    changed = [f"{key}={value}" for key, value in asdict(rules).items() if value != usual[key]]
    return ", ".join([f"rules {rules.name}", *changed])


def show(found: list[dict[str, Any]], rules: Rules, console: Console) -> None:
    """Print the lines ``found`` beside their references: win rates, then lengths of games."""
    rates = [line for line in found if line["quantity"] == WIN_RATE]
    console.print(_table(rates, "setup", "set-up", f"Win rates, {rules_label(rules)}"))
    lengths = [line for line in found if line["quantity"] != WIN_RATE]
    if lengths:
        console.print(_table(lengths, "quantity", "", f"Games of {references.LENGTHS_OF}"))


def _table(lines: list[dict[str, Any]], key: str, heading: str, title: str) -> Table:
    """Return a table with the column ``key`` of the lines in front."""
    table = Table(title=title)
    table.add_column(heading)
    for column in ("games", "ours, 95 %", "reference"):
        table.add_column(column, justify="right")
    table.add_column("of")
    table.add_column("off by", justify="right")
    if any(line["within"] is not None for line in lines):
        table.add_column(f"within {100 * references.WITHIN:.0f} points")
    before = None
    for line in lines:
        again = line[key] == before  # another reference for the same games
        before = line[key]
        table.add_row(*(["", "", ""] if again else [line[key], *_ours(line)]), *_theirs(line))
    return table


def _ours(line: dict[str, Any]) -> list[str]:
    rate = line["quantity"] in RATES
    return [str(line["games"]), _span(line["value"], line["low"], line["high"], rate)]


def _theirs(line: dict[str, Any]) -> list[str]:
    if line["reference"] is None:
        return []
    rate = line["quantity"] in RATES
    cells = [
        _span(line["reference"], line["reference_low"], line["reference_high"], rate),
        line["source"],
        f"{(100 if rate else 1) * line['difference']:+.1f}",
    ]
    if line["within"] is not None:
        cells.append("yes" if line["within"] else "[bold]no[/bold]")
    return cells


def _span(value: float, low: float | None, high: float | None, rate: bool) -> str:
    """Return a value and, where it is known, its interval."""
    if low is None or high is None:
        return f"{100 * value:.1f} %" if rate else f"{value:.1f}"
    if rate:
        return str(Estimate(value, low, high))
    return f"{value:.1f} ({low:.1f} to {high:.1f})"
