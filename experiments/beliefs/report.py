"""Figures of beliefs (`experiments.beliefs.calibration`) as tables and pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from matplotlib.axes import Axes

from experiments import plotting
from experiments.beliefs import calibration
from experiments.beliefs.accuracy import MOMENTS, ROWS
from experiments.palette import REFERENCE
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
    """Return a column of means with half the width of their intervals."""

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
        *((mean(head, 3), partial(_estimate, key)) for head, key in _MEANS.items()),
        (percent("zeros"), "zeros"),
        (count("claims"), partial(_count, "cards")),
        (count("wrong"), partial(_count, "wrong")),
        (count("contradictory"), "contradictory"),
        (Column("failed"), lambda line: sum(line["raised"].values())),
        (mean("us", 1), "microseconds"),
        *((mean(f"after {moment}", 2), partial(_after, moment)) for moment in MOMENTS),
    )
    notes = [
        "In bits, by game. Bias: entropy minus log loss, below 0 for an overconfident belief.",
        "Zeros: moments at which the true envelope had probability 0. Claims: cards of which the "
        "belief was certain that they were, or were not, in the envelope, and the errors.",
        "Contradictory, failed: games. us: microseconds per update, median. After: log loss after "
        "so many suggestions of all players, if at least 20 games have them.",
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
            "claims": _count("cards", line),
            "wrong": _count("wrong", line),
            **{f"log_loss after {moment}": _after(moment, line) for moment in MOMENTS},
        }
        for name, line in figures.items()
    ]
    return Table.of(title, _lines(figures), columns, notes), records


_MEANS = {"log loss": "log_loss", "above exact": "excess", "bias": "bias"}
"""Means over all moments, by heading."""


def _estimate(key: str, line: Mapping[str, Any]) -> Any:
    found = line[key]
    return found and Estimate(found["value"], found["low"], found["high"])


def _count(key: str, line: Mapping[str, Any]) -> int:
    return sum(claim[key] for claim in line["certain"])


def _after(moment: int, line: Mapping[str, Any]) -> float | None:
    there = (found for found in line["by_suggestions"] if found["suggestions"] == moment)
    return next((found["log_loss"]["value"] for found in there if found["log_loss"]), None)


def draw(figures: Mapping[str, Any], title: str, folder: Path) -> None:
    """Draw accuracy and calibration to PNGs in ``folder``; ``title``: who played."""
    _draw_accuracy(figures, title, folder / ACCURACY)
    _draw_calibration(figures, title, folder / CALIBRATION)


def draw_kept(kept: Path, folder: Path) -> None:
    """Draw the rows in ``kept``, as `draw`."""
    draw(*_read(kept), folder)


def _read(folder: Path) -> tuple[dict[str, Any], str]:
    settings = read_yaml(folder / CONFIG)
    rows = pl.read_parquet((folder / ROWS.file).read_bytes())
    figures = calibration.summarise(rows, settings["bins"], settings["seed"])
    return figures, read_json(folder / SUMMARY)["title"]


def _draw_accuracy(figures: Mapping[str, Any], title: str, path: Path) -> None:
    """Draw log loss, its excess over the exact belief's, and bias by number of suggestions."""
    labels = {
        "log_loss": "log loss, bits",
        "excess": "log loss above exact, bits",
        "bias": "entropy less log loss, bits",
    }
    if len(figures) == 1 or calibration.REFERENCE not in figures:
        del labels["excess"]
    size = (plotting.WIDTH, 0.6 + 2.4 * len(labels))
    title = f"{title}; mean and 95 %"
    with plotting.picture(path, title, size, len(labels), sharex=True) as (_, grid):
        panels = grid[:, 0]
        for axes, (key, label) in zip(panels, labels.items(), strict=True):
            for number, (name, found) in enumerate(figures.items()):
                if key != "excess" or name != calibration.REFERENCE:
                    rows = [row for row in found["by_suggestions"] if row.get(key) is not None]
                    at = [row["suggestions"] for row in rows]
                    means = [_estimate(key, row) for row in rows]
                    plotting.band(axes, at, means, number, label=name)
            axes.set(ylabel=label)
            axes.grid(axis="y")
            if key != "log_loss":
                plotting.reference_line(axes, 0)
        loss, bias = panels[0], panels[-1]
        loss.set_ylim(0, None)
        for side, what, height in (("top", "too unsure", 0.98), ("bottom", "too sure", 0.02)):
            place = {"transform": bias.transAxes, "ha": "right", "va": side}
            bias.text(0.99, height, what, color=REFERENCE, **place)
        bias.set_xlabel("suggestions made, by all players together")
        for axes in panels if len(figures) > 1 else ():
            plotting.label_ends(axes)


def _draw_calibration(figures: Mapping[str, Any], title: str, path: Path) -> None:
    """Draw a reliability diagram of the marginals, one panel per belief."""
    across = min(len(figures), 3)
    down = -(-len(figures) // across)
    size = (plotting.WIDTH, 0.9 + 2.2 * down)
    shared = {"sharex": True, "sharey": True}
    with plotting.picture(path, title, size, down, across, **shared) as (figure, panels):
        for number, axes in enumerate(panels.flat):
            if number >= len(figures):
                axes.set_visible(False)
                # The panel above gets the labels of the missing one.
                panels[down - 2, number % across].tick_params(labelbottom=True)
                continue
            name = list(figures)[number]
            _reliability(axes, figures[name], name, number)
        figure.supxlabel("P(card in the envelope), as the belief has it: mean of the bin")
        figure.supylabel("how often it was there, 95 %")


def _reliability(axes: Axes, found: dict[str, Any], name: str, number: int) -> None:
    """Draw the bins of one belief and the diagonal."""
    axes.plot([0, 1], [0, 1], color=REFERENCE, linestyle="--", linewidth=1)
    rows = [row for row in found["bins"] if row["observed"] is not None]
    observed = [_estimate("observed", row) for row in rows]
    plotting.intervals(axes, [row["predicted"] for row in rows], observed, number, linestyle="-")
    wrong = [f"{claim['wrong']} of {claim['cards']:,}" for claim in found["certain"]]
    axes.set_title(name)
    text = f"certain and wrong:\nnot there {wrong[0]}\nthere {wrong[1]}"
    at_the_corner: dict[str, Any] = {"transform": axes.transAxes, "ha": "right", "va": "bottom"}
    axes.text(0.97, 0.03, text, fontsize=7, color=REFERENCE, **at_the_corner)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    for axis in (axes.xaxis, axes.yaxis):
        plotting.shares(axis)
    axes.grid()
