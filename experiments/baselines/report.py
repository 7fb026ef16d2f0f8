"""The baselines as tables, beside their references."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from experiments.baselines.games import RATES, WIN_RATE
from experiments.runs import references
from experiments.stats.intervals import Estimate
from experiments.tabular import Column, Strong, Table, words
from sim.rules import PRESETS, Rules


def rules_label(rules: Rules) -> str:
    """Return the preset of ``rules`` and the switches that differ from it."""
    usual = asdict(PRESETS[rules.name]) if rules.name in PRESETS else {}
    changed = [f"{key}={value}" for key, value in asdict(rules).items() if value != usual.get(key)]
    return ", ".join([f"rules {rules.name}", *changed])


def tables(lines: list[dict[str, Any]], title: str) -> Iterator[Table]:
    """Yield ``lines`` beside their references: win rates, then lengths of games.

    Parameters
    ----------
    lines : rows of `experiments.baselines.games.ROWS`
    title : under which rules they were played
    """
    rates = [line for line in lines if line["quantity"] == WIN_RATE]
    yield _table(rates, "setup", "set-up", f"Win rates, {title}")
    lengths = [line for line in lines if line["quantity"] != WIN_RATE]
    if lengths:
        yield _table(lengths, "quantity", "", f"Games of {references.LENGTHS_OF}")


def _table(lines: list[dict[str, Any]], key: str, heading: str, title: str) -> Table:
    """Return a table with the column ``key`` of the lines in front."""
    columns = [heading, "games", "ours, 95 %", "reference", words("of"), "off by"]
    if any(line["within"] is not None for line in lines):
        columns.append(Column(f"within {100 * references.WITHIN:.0f} points", words=True))
    rows = []
    for before, line in zip([None, *lines], lines, strict=False):
        rate = line["quantity"] in RATES
        ours = [line[key], line["games"], _span(rate, line["value"], line["low"], line["high"])]
        if before is not None and before[key] == line[key]:
            ours = [None] * 3  # another reference for the same games
        rows.append([*ours, *_theirs(line, rate)])
    return Table(title, columns, rows)


def _theirs(line: dict[str, Any], rate: bool) -> list[str | None]:
    if line["reference"] is None:
        return []
    within = line["within"]
    return [
        _span(rate, line["reference"], line["reference_low"], line["reference_high"]),
        line["source"],
        f"{(100 if rate else 1) * line['difference']:+.1f}",
        None if within is None else "yes" if within else Strong("no"),
    ]


def _span(rate: bool, value: float, low: float | None, high: float | None) -> str:
    """Return a value and, where it is known, its interval."""
    if low is None or high is None:
        return f"{100 * value:.1f} %" if rate else f"{value:.1f}"
    if rate:
        return str(Estimate(value, low, high))
    return f"{value:.1f} ({low:.1f} to {high:.1f})"
