"""Pictures of how good beliefs are, from the figures of `experiments.beliefs.calibration`.

Colours are those of Okabe and Ito, which stay apart for the colour-blind; markers differ as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # a run has no display

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from experiments.beliefs import calibration

_LOOKS = (
    ("#0072B2", "o"),
    ("#D55E00", "s"),
    ("#009E73", "^"),
    ("#CC79A7", "D"),
    ("#56B4E9", "v"),
    ("#E69F00", "P"),
    ("#000000", "X"),
)
_GREY = "#666666"


def accuracy_plot(figures: dict[str, Any], title: str, path: Path) -> Path:
    """Draw figures by number of suggestions, with their intervals as bands, to a PNG.

    They are log loss, its excess over that of the exact belief where that was measured, and bias.

    Parameters
    ----------
    figures : by belief, of `calibration.summarise`
    title : who played
    path : of the PNG
    """
    labels = {
        "log_loss": "log loss of the true envelope, bits",
        "excess": "log loss above the exact belief's, bits",
        "bias": "bias: entropy less log loss, bits",
    }
    if len(figures) == 1 or calibration.REFERENCE not in figures:
        del labels["excess"]
    figure, panels = plt.subplots(
        1, len(labels), figsize=(4.6 * len(labels), 4.6), layout="constrained"
    )
    for axes, (key, label) in zip(panels, labels.items(), strict=True):
        for i, (name, each) in enumerate(figures.items()):
            if key != "excess" or name != calibration.REFERENCE:
                _band(axes, each["by_suggestions"], key, name, i)
        axes.set(xlabel="suggestions made, by all players together", ylabel=label)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", alpha=0.25)
        if key != "log_loss":
            axes.axhline(0, color=_GREY, linestyle="--", linewidth=1)
    loss, bias = panels[0], panels[-1]
    loss.set_ylim(0, None)
    for side, what in (("top", "too unsure"), ("bottom", "too sure")):
        height = 0.98 if side == "top" else 0.02
        bias.text(0.99, height, what, transform=bias.transAxes, ha="right", va=side, color=_GREY)
    handles, names = loss.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
    return _save(figure, title, path)


def _band(axes: Axes, rows: list[dict[str, Any]], key: str, name: str, place: int) -> None:
    """Draw one figure of one belief over the suggestions made."""
    rows = [row for row in rows if row.get(key) is not None]
    colour, marker = _LOOKS[place % len(_LOOKS)]
    asked = [row["suggestions"] for row in rows]
    low, value, high = (
        np.array([row[key][part] for row in rows]) for part in ("low", "value", "high")
    )
    axes.plot(asked, value, color=colour, marker=marker, markersize=5, linewidth=1.5, label=name)
    axes.fill_between(asked, low, high, color=colour, alpha=0.2, linewidth=0)


def calibration_plot(figures: dict[str, Any], title: str, path: Path) -> Path:
    """Draw a reliability diagram of the marginals, one panel a belief, to a PNG.

    Parameters
    ----------
    figures : by belief, of `calibration.summarise`
    title : who played
    path : of the PNG
    """
    across = min(len(figures), 3)
    down = -(-len(figures) // across)
    figure, panels = plt.subplots(
        down,
        across,
        figsize=(max(3.5 * across, 5.5), 3.7 * down + 0.5),
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for i, axes in enumerate(panels.flat):
        if i >= len(figures):
            axes.set_visible(False)
            # The panel above has the labels that this one would have had.
            panels[down - 2, i % across].tick_params(labelbottom=True)
            continue
        name = list(figures)[i]
        _reliability(axes, figures[name], name, i)
    figure.supxlabel("P(card in the envelope), as the belief has it: mean of the bin")
    figure.supylabel("how often it was there, 95 %")
    return _save(figure, title, path)


def _reliability(axes: Axes, each: dict[str, Any], name: str, place: int) -> None:
    """Draw the bins of one belief beside the diagonal."""
    colour, marker = _LOOKS[place % len(_LOOKS)]
    axes.plot([0, 1], [0, 1], color=_GREY, linestyle="--", linewidth=1)
    rows = [row for row in each["bins"] if row["observed"] is not None]
    said = np.array([row["predicted"] for row in rows])
    value, low, high = (
        np.array([row["observed"][part] for row in rows]) for part in ("value", "low", "high")
    )
    spread = [value - low, high - value]
    axes.errorbar(said, value, spread, color=colour, marker=marker, markersize=5, capsize=3)
    wrong = [f"{claim['wrong']} of {claim['cards']:,}" for claim in each["certain"]]
    axes.set_title(name)
    text = f"certain and wrong:\nnot there {wrong[0]}\nthere {wrong[1]}"
    at_the_corner = {"transform": axes.transAxes, "ha": "right", "va": "bottom"}
    axes.text(0.97, 0.03, text, fontsize=8, color=_GREY, **at_the_corner)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(PercentFormatter(1))
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def _save(figure: plt.Figure, title: str, path: Path) -> Path:
    figure.suptitle(title)
    figure.savefig(path, dpi=150)
    plt.close(figure)
    return path
