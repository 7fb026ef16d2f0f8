"""What the yardsticks leave behind: figures as JSON and Parquet, two plots, and the table."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from experiments import provenance, references, summary
from experiments.statistics import Estimate
from experiments.yardstick_games import LINE, RATES
from sim.rules import PRESETS, Rules

JSON, PARQUET = "yardsticks.json", "yardsticks.parquet"
DOTS, CURVE = "yardsticks.png", "threshold.png"


def write(
    found: list[dict[str, Any]],
    rules: Rules,
    seed: int,
    folder: Path,
    interrupted: bool,
    seconds: float,
) -> None:
    """Write the lines ``found`` to ``folder`` and, unless ``interrupted``, draw them."""
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
    summary.write(folder, described, JSON)
    pq.write_table(pa.Table.from_pylist(found, LINE), folder / PARQUET)
    if interrupted:  # Ctrl-C does not wait for Matplotlib
        return
    from experiments import yardstick_plots

    title = rules_label(rules)
    yardstick_plots.dots(found, title, 1 / rules.players, folder / DOTS)
    yardstick_plots.threshold_curve(found, title, 1 / rules.players, folder / CURVE)


def rules_label(rules: Rules) -> str:
    """Return the preset of ``rules`` and the switches that differ from it."""
    usual = asdict(PRESETS[rules.name])
    changed = [f"{key}={value}" for key, value in asdict(rules).items() if value != usual[key]]
    return ", ".join([f"rules {rules.name}", *changed])


def show(found: list[dict[str, Any]], rules: Rules, console: Console) -> None:
    """Print the lines ``found`` beside their references."""
    table = Table(title=f"{rules_label(rules)}; 95 % intervals in brackets")
    for column in ("set-up", "quantity"):
        table.add_column(column, no_wrap=True)
    for column in ("games", "ours", "reference"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("source")
    table.add_column("difference", justify="right")
    table.add_column(f"within {100 * references.WITHIN:.0f} points")
    for line in found:
        table.add_row(*as_text(line))
    console.print(table)


def as_text(line: dict[str, Any]) -> list[str]:
    """Return the cells of one line, all text."""
    rate = line["quantity"] in RATES
    ours = _span(line["value"], line["low"], line["high"], rate)
    theirs = difference = ""
    if line["reference"] is not None:
        theirs = _span(line["reference"], line["reference_low"], line["reference_high"], rate)
        difference = f"{(100 if rate else 1) * line['difference']:+.1f}"
    within = {True: "yes", False: "[bold]no[/bold]", None: ""}[line["within"]]
    return [
        line["setup"],
        line["quantity"],
        str(line["games"]),
        ours,
        theirs,
        line["source"] or "",
        difference,
        within,
    ]


def _span(value: float, low: float | None, high: float | None, rate: bool) -> str:
    """Return a value and, where it is known, its interval."""
    if low is None or high is None:
        return f"{100 * value:.1f} %" if rate else f"{value:.1f}"
    if rate:
        return str(Estimate(value, low, high))
    return f"{value:.1f} ({low:.1f} to {high:.1f})"
