"""How a report writes figures and names lines."""

from __future__ import annotations

from typing import Any

from experiments.report.run import Run
from experiments.stats.intervals import Estimate

NONE = "—"
"""In place of a figure that there is not."""


def name_of(run: Run, line: dict[str, Any]) -> str:
    """Return what a line of the table is called: its match, where there are several."""
    return line["match"] if len(run.matches) > 1 else line["player"]


def rate_of(line: dict[str, Any]) -> Estimate:
    """Return the win rate of a line of the table with its interval."""
    return Estimate(line["win_rate"], *line["ci95"])


def number(value: float | None) -> str:
    """Return a mean as text."""
    return NONE if value is None else f"{value:,.1f}"


def percent(value: float | None) -> str:
    """Return a share as text."""
    return NONE if value is None else f"{100 * value:.1f} %"


def p_value(value: float | None) -> str:
    """Return a p value as text."""
    return NONE if value is None else f"{value:.2g}"


def spread(estimate: Estimate | None, digits: int = 1) -> str:
    """Return a mean with its interval as text; it has none in a single game."""
    if estimate is None:
        return NONE
    value, low, high = (
        f"{each:,.{digits}f}" for each in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value} ({low} to {high})"
