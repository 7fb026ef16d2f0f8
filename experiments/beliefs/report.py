"""Accuracy of beliefs in figures, in tables and as pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from experiments.beliefs import calibration
from experiments.beliefs.accuracy import MOMENTS, ROWS
from experiments.provenance.files import CONFIG, SUMMARY, read_json, read_yaml
from experiments.stats.intervals import Estimate
from experiments.tabular import Column, Table, count, mean, percent

ACCURACY, CALIBRATION = "accuracy.png", "calibration.png"


def table(figures: Mapping[str, Any], title: str) -> Table:
    """Return ``figures`` (`calibration.summarise`) as a table for a terminal of 80 columns."""
    columns = (
        (Column("belief"), "name"),
        (_bits("log loss"), "log_loss"),
        (_bits("above exact", "+"), "excess"),
        (_bits("bias", "+"), "bias"),
        (percent("zeros"), "zeros"),
        (Column("failed"), lambda line: sum(line["raised"].values())),
        (Column("us", lambda took: f"{took:.{0 if took > 10 else 2}f}"), "microseconds"),
    )
    note = "bits, with half of the 95 % interval, by game; us: microseconds an update"
    return Table.of(title, _lines(figures), columns, [note])


def _bits(title: str, sign: str = "") -> Column:
    """Return a column of means with half of their intervals."""

    def describe(found: Mapping[str, float]) -> str:
        return f"{found['value']:{sign}.3f} ±{(found['high'] - found['low']) / 2:.3f}"

    return Column(title, describe)


def _lines(figures: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, "excess": None, **line} for name, line in figures.items()]


def show(folder: Path) -> tuple[Table, list[dict[str, Any]]]:
    """Return the wide table of the rows in ``folder``, and its figures for a CSV."""
    figures, title = _read(folder)
    columns: tuple[tuple[Column, str | Callable[[Any], Any]], ...] = (
        (Column("belief"), "name"),
        *((mean(head, 3), _estimate(key)) for head, key in _MEANS.items()),
        (percent("zeros"), "zeros"),
        (count("claims"), _count("cards")),
        (count("wrong"), _count("wrong")),
        (count("contradictory"), "contradictory"),
        (Column("failed"), lambda line: sum(line["raised"].values())),
        (mean("us", 1), "microseconds"),
        *((mean(f"after {moment}", 2), _after(moment)) for moment in MOMENTS),
    )
    notes = [
        "In bits, by game. Bias: entropy less log loss, below 0 for a belief that is too sure.",
        "Zeros: moments that gave the true envelope nothing. Claims: cards of which the belief was "
        "certain that they were, or were not, in the envelope, and how many of them were wrong.",
        "Contradictory, failed: games. us: microseconds an update, median. After: log loss after "
        "so many suggestions of all players, of 20 games and more.",
    ]
    records = [
        {
            "belief": name,
            **{
                f"{key} {part}": line[key] and line[key][part]
                for key in _MEANS.values()
                for part in ("value", "low", "high")
                if key in line
            },
            "zeros": line["zeros"],
            "claims": _count("cards")(line),
            "wrong": _count("wrong")(line),
            **{f"log_loss after {moment}": _after(moment)(line) for moment in MOMENTS},
        }
        for name, line in figures.items()
    ]
    return Table.of(title, _lines(figures), columns, notes), records


_MEANS = {"log loss": "log_loss", "above exact": "excess", "bias": "bias"}
"""Means over all moments, by their heads."""


def _estimate(key: str) -> Callable[[Mapping[str, Any]], Estimate | None]:
    def read(line: Mapping[str, Any]) -> Estimate | None:
        found = line[key]
        return found and Estimate(found["value"], found["low"], found["high"])

    return read


def _count(key: str) -> Callable[[Mapping[str, Any]], int]:
    return lambda line: sum(claim[key] for claim in line["certain"])


def _after(moment: int) -> Callable[[Mapping[str, Any]], float | None]:
    def read(line: Mapping[str, Any]) -> float | None:
        for found in line["by_suggestions"]:
            if found["suggestions"] == moment and found["log_loss"]:
                return found["log_loss"]["value"]
        return None

    return read


def draw(figures: Mapping[str, Any], title: str, folder: Path) -> None:
    """Draw accuracy and calibration to PNGs in ``folder``."""
    from experiments.beliefs import plots  # Matplotlib takes a second to import

    plots.accuracy_plot(dict(figures), title, folder / ACCURACY)
    plots.calibration_plot(dict(figures), title, folder / CALIBRATION)


def draw_kept(kept: Path, folder: Path) -> None:
    """Draw the rows in ``kept``, as `draw`."""
    draw(*_read(kept), folder)


def _read(folder: Path) -> tuple[dict[str, Any], str]:
    """Return the figures of the rows in ``folder``, and what was played."""
    settings = read_yaml(folder / CONFIG)
    rows = pl.read_parquet(folder / ROWS.file)
    figures = calibration.summarise(rows, settings["bins"], settings["seed"])
    return figures, read_json(folder / SUMMARY)["title"]
