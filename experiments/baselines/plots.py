"""Pictures of the baselines: dots beside their references, and the curve of the threshold."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # a run has no display

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from experiments.baselines.games import WIN_RATE
from experiments.runs import references

_OURS, _THEIRS, _PARITY = "#0072B2", "#D55E00", "#666666"
"""Blue and vermilion are told apart by the colour-blind too [Okabe and Ito 2008]."""

_SHAPES = {references.TRIAL: "D", references.PROGRAM: "s"}
_SOURCES = {
    references.TRIAL: "reference: trial simulator",
    references.PROGRAM: "reference: released program",
}

_SERIES = {
    1.0: ("three that wait for certainty", _OURS, "o"),
    0.35: ("three that accuse from 0.35 on", _THEIRS, "s"),
}
"""Of the threshold curve, by the threshold of the others: name, colour and marker."""

_SHIFT = 0.16
"""Of ours above and the reference below the middle of a row."""


def dots(lines: list[dict[str, Any]], title: str, parity: float, path: Path) -> None:
    """Draw the win rates that are no part of the curve to ``path``, if there are any.

    Parameters
    ----------
    lines : as `baseline_games.lines` returns them
    title : under which rules they were played
    parity : win rate of identical players
    """
    rates = [line for line in lines if line["quantity"] == WIN_RATE and not _on_curve(line)]
    setups = [list(each) for _, each in groupby(rates, lambda line: line["setup"])]
    if not setups:
        return
    figure, axes = plt.subplots(figsize=(9.5, 1.5 + 0.42 * len(setups)), layout="constrained")
    axes.axvline(parity, color=_PARITY, linestyle="--", linewidth=1, label="parity")
    for row, same in enumerate(setups):
        _dot(axes, row - _SHIFT, same[0], "", _OURS, "o", "ours")
        for line in same:
            if line["reference"] is not None:
                shape, label = _SHAPES[line["source"]], _SOURCES[line["source"]]
                _dot(axes, row + _SHIFT, line, "reference", _THEIRS, shape, label)
        _figures(axes, row, same)
    _figures_head(axes)
    axes.set_yticks(range(len(setups)), [same[0]["setup"] for same in setups])
    axes.set_ylim(len(setups) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.set_xlabel("win rate of one against all others of a kind, 95 % interval")
    axes.grid(axis="y", alpha=0.25)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    _legend_once(figure, axes, loc="outside lower center", ncols=4)
    _save(figure, f"One policy against others of a kind, {title}", path)


def threshold_curve(lines: list[dict[str, Any]], title: str, parity: float, path: Path) -> None:
    """Draw swift's win rate among its kind against its threshold to ``path``, if it was played."""
    curve = [line for line in lines if line["quantity"] == WIN_RATE and _on_curve(line)]
    if not curve:
        return
    figure, axes = plt.subplots(figsize=(8.5, 5), layout="constrained")
    for at, (name, colour, marker) in _SERIES.items():
        points = sorted(
            (line for line in curve if line["others_threshold"] == at),
            key=lambda line: line["focal_threshold"],
        )
        if points:
            _series(axes, points, name, colour, marker)
    axes.axhline(parity, color=_PARITY, linestyle="--", linewidth=1, label="parity")
    axes.set(
        xlabel="accuses from this probability of the envelope on",
        ylabel="win rate of one swift player",
    )
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper right", frameon=False, fontsize=9, title="one against")
    _save(figure, f"Accusing early among swift players, {title}", path)


def _on_curve(line: dict[str, Any]) -> bool:
    return line["focal"] == line["others"] == "swift"


def _dot(
    axes: Axes,
    height: float,
    line: dict[str, Any],
    which: str,
    colour: str,
    marker: str,
    label: str,
) -> None:
    """Draw our value or, if ``which`` is ``reference``, that one, with its interval if known."""
    value = line[which or "value"]
    low, high = (line[f"{which}_{end}" if which else end] for end in ("low", "high"))
    spread = None if low is None else [[value - low], [high - value]]
    axes.errorbar(
        value,
        height,
        xerr=spread,
        fmt=marker,
        color=colour,
        markerfacecolor="white" if which else colour,
        markersize=6,
        capsize=2.5,
        linewidth=1.3,
        label=label,
    )


def _figures(axes: Axes, row: int, same: list[dict[str, Any]]) -> None:
    """Write our value and the references to the right of the row."""
    known = [f"{100 * line['reference']:.1f}" for line in same if line["reference"] is not None]
    for x, text, colour in (
        (1.06, f"{100 * same[0]['value']:.1f}", _OURS),
        (1.12, " / ".join(known), _THEIRS),
    ):
        axes.annotate(
            text,
            (x, row),
            xycoords=axes.get_yaxis_transform(),
            ha="right" if colour == _OURS else "left",
            va="center",
            color=colour,
            annotation_clip=False,
        )


def _figures_head(axes: Axes) -> None:
    for x, text, colour, side in (
        (1.06, "ours", _OURS, "right"),
        (1.12, "reference", _THEIRS, "left"),
    ):
        axes.annotate(
            text,
            (x, 1.01),
            xycoords="axes fraction",
            ha=side,
            va="bottom",
            color=colour,
            annotation_clip=False,
        )


def _series(axes: Axes, points: list[dict[str, Any]], name: str, colour: str, marker: str) -> None:
    """Draw one curve: ours as a line in its 95 % band, the references as hollow points."""
    at = [point["focal_threshold"] for point in points]
    low, high = [point["low"] for point in points], [point["high"] for point in points]
    axes.fill_between(at, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.plot(
        at,
        [point["value"] for point in points],
        color=colour,
        marker=marker,
        markersize=4,
        label=f"{name}: ours, 95 % band",
    )
    known = [point for point in points if point["reference"] is not None]
    if not known:
        return
    axes.plot(
        [point["focal_threshold"] for point in known],
        [point["reference"] for point in known],
        linestyle="none",
        color=colour,
        marker=marker,
        markerfacecolor="none",
        markersize=10,
        label=f"{name}: reference",
    )


def _legend_once(figure: Figure, axes: Axes, **options: Any) -> None:
    """Add a legend outside ``axes`` in which every label stands once."""
    handles, labels = axes.get_legend_handles_labels()
    once = dict(zip(labels, handles, strict=True))
    figure.legend(once.values(), once.keys(), frameon=False, fontsize=9, **options)


def _save(figure: Figure, title: str, path: Path) -> None:
    figure.suptitle(title)
    figure.savefig(path, dpi=150)
    plt.close(figure)
