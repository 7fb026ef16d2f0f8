"""Pictures of the baselines: dots beside their references, and the curve of the threshold."""

from __future__ import annotations

from itertools import groupby
from math import nan
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from experiments import plotting
from experiments.baselines.games import WIN_RATE
from experiments.runs import references
from experiments.stats.intervals import Estimate

_OURS, _THEIRS = range(2)
"""Numbers of the series."""

_SOURCES = {
    references.TRIAL: ("D", "reference: trial simulator"),
    references.PROGRAM: ("s", "reference: released program"),
}

_CURVES = {1.0: "three that wait for certainty", 0.35: "three that accuse from 0.35 on"}
"""By the threshold of the others."""

_SHIFT = 0.16
"""Of ours above and the reference below the middle of a row."""


def dots(lines: list[dict[str, Any]], title: str, parity: float, path: Path) -> None:
    """Draw the win rates that are no part of the curve to ``path``, if there are any.

    Parameters
    ----------
    lines : rows of `experiments.baselines.games.ROWS`
    title : under which rules they were played
    parity : win rate of identical players
    """
    rates = [line for line in lines if line["quantity"] == WIN_RATE and not _on_curve(line)]
    setups = [list(same) for _, same in groupby(rates, lambda line: line["setup"])]
    if not setups:
        return
    title, size = f"One policy against others of a kind, {title}", (9.5, 1.5 + 0.42 * len(setups))
    with plotting.picture(path, title, size) as (figure, ((axes,),)):
        plotting.reference_line(axes, parity, "parity", upright=True)
        for row, same in enumerate(setups):
            _dot(axes, row - _SHIFT, _ours(same[0]), _OURS, label="ours", marker="o")
            for line in same:
                if line["reference"] is not None:
                    marker, label = _SOURCES[line["source"]]
                    look = {"marker": marker, "label": label, "markerfacecolor": "white"}
                    _dot(axes, row + _SHIFT, _reference(line), _THEIRS, **look)
            known = [line["reference"] for line in same if line["reference"] is not None]
            told = " / ".join(f"{100 * value:.1f}" for value in known)
            _beside(axes, row, f"{100 * same[0]['value']:.1f}", told)
        _beside(axes, -0.7, "ours", "reference")
        axes.set_yticks(range(len(setups)), [same[0]["setup"] for same in setups])
        axes.set_ylim(len(setups) - 0.5, -0.5)
        axes.set_xlim(0, 1)
        plotting.shares(axes.xaxis)
        axes.set_xlabel("win rate of one against all others of a kind, 95 % interval")
        axes.grid(axis="y")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        plotting.legend_below(figure, axes, 4)


def _dot(axes: Axes, height: float, value: Estimate, series: int, **look: Any) -> None:
    plotting.intervals(axes, [height], [value], series, across=True, markersize=6, **look)


def _ours(line: dict[str, Any]) -> Estimate:
    return Estimate(line["value"], line["low"], line["high"])


def _reference(line: dict[str, Any]) -> Estimate:
    """Return the reference; bounds that nobody wrote down are NaN."""
    ends = (line["reference_low"], line["reference_high"])
    return Estimate(line["reference"], *(nan if end is None else end for end in ends))


def _beside(axes: Axes, row: float, ours: str, theirs: str) -> None:
    """Write our value and the references to the right of a row."""
    across = axes.get_yaxis_transform()
    for x, text, series, side in ((1.06, ours, _OURS, "right"), (1.12, theirs, _THEIRS, "left")):
        axes.annotate(
            text,
            (x, row),
            xycoords=across,
            ha=side,
            va="center",
            color=plotting.SERIES[series],
            annotation_clip=False,
        )


def threshold_curve(lines: list[dict[str, Any]], title: str, parity: float, path: Path) -> None:
    """Draw swift's win rate among its kind against its threshold to ``path``, if it was played.

    Ours is a line in its 95 % band, the references are hollow points.
    """
    curve = [line for line in lines if line["quantity"] == WIN_RATE and _on_curve(line)]
    if not curve:
        return
    title = f"Accusing early among swift players, {title}"
    with plotting.picture(path, title, (8.5, 5)) as (_, ((axes,),)):
        for series, (others, name) in enumerate(_CURVES.items()):
            points = [line for line in curve if line["others_threshold"] == others]
            points.sort(key=lambda line: line["focal_threshold"])
            at = [line["focal_threshold"] for line in points]
            if points:
                ours = [_ours(line) for line in points]
                plotting.band(axes, at, ours, series, label=f"{name}: ours, 95 % band")
            known = [line for line in points if line["reference"] is not None]
            if known:
                at = [line["focal_threshold"] for line in known]
                theirs = [line["reference"] for line in known]
                colour, marker = plotting.SERIES[series], plotting.MARKERS[series]
                look = {"markersize": 10, "markerfacecolor": "none", "label": f"{name}: reference"}
                axes.plot(at, theirs, color=colour, marker=marker, linestyle="none", **look)
        plotting.reference_line(axes, parity, "parity")
        axes.set(
            xlabel="accuses from this probability of the envelope on",
            ylabel="win rate of one swift player",
        )
        plotting.shares(axes.yaxis, 0)
        axes.grid()
        axes.legend(loc="upper right", title="one against")


def _on_curve(line: dict[str, Any]) -> bool:
    return line["focal"] == line["others"] == "swift"
