"""Pictures of how good beliefs are, from the figures of `experiments.beliefs.calibration`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from experiments import plotting
from experiments.beliefs import calibration
from experiments.stats.intervals import Estimate


def accuracy_plot(figures: dict[str, Any], title: str, path: Path) -> None:
    """Draw figures by number of suggestions, with their intervals as bands, to a PNG.

    They are log loss, its excess over that of the exact belief where that was measured, and bias.
    ``figures``: by belief, of `calibration.summarise`; ``title``: who played; ``path``: of the PNG.
    """
    labels = {
        "log_loss": "log loss of the true envelope, bits",
        "excess": "log loss above the exact belief's, bits",
        "bias": "bias: entropy less log loss, bits",
    }
    if len(figures) == 1 or calibration.REFERENCE not in figures:
        del labels["excess"]
    size = (4.6 * len(labels), 4.6)
    with plotting.picture(path, title, size, columns=len(labels)) as (figure, (panels,)):
        for axes, (key, label) in zip(panels, labels.items(), strict=True):
            for number, (name, found) in enumerate(figures.items()):
                if key != "excess" or name != calibration.REFERENCE:
                    _band(axes, found["by_suggestions"], key, name, number)
            axes.set(xlabel="suggestions made, by all players together", ylabel=label)
            axes.grid(axis="y")
            if key != "log_loss":
                plotting.reference_line(axes, 0)
        loss, bias = panels[0], panels[-1]
        loss.set_ylim(0, None)
        for side, what, height in (("top", "too unsure", 0.98), ("bottom", "too sure", 0.02)):
            place = {"transform": bias.transAxes, "ha": "right", "va": side}
            bias.text(0.99, height, what, color=plotting.REFERENCE, **place)
        plotting.legend_below(figure, loss, len(figures))


def _band(axes: Axes, rows: list[dict[str, Any]], key: str, name: str, number: int) -> None:
    """Draw one figure of one belief over the suggestions made."""
    rows = [row for row in rows if row.get(key) is not None]
    found = [_estimate(row[key]) for row in rows]
    plotting.band(axes, [row["suggestions"] for row in rows], found, number, label=name)


def _estimate(mean: dict[str, float]) -> Estimate:
    return Estimate(mean["value"], mean["low"], mean["high"])


def calibration_plot(figures: dict[str, Any], title: str, path: Path) -> None:
    """Draw a reliability diagram of the marginals, one panel a belief, to a PNG.

    ``figures``: by belief, of `calibration.summarise`; ``title``: who played; ``path``: of the PNG.
    """
    across = min(len(figures), 3)
    down = -(-len(figures) // across)
    size = (max(3.5 * across, 5.5), 3.7 * down + 0.5)
    shared = {"sharex": True, "sharey": True}
    with plotting.picture(path, title, size, down, across, **shared) as (figure, panels):
        for number, axes in enumerate(panels.flat):
            if number >= len(figures):
                axes.set_visible(False)
                # The panel above has the labels that this one would have had.
                panels[down - 2, number % across].tick_params(labelbottom=True)
                continue
            name = list(figures)[number]
            _reliability(axes, figures[name], name, number)
        figure.supxlabel("P(card in the envelope), as the belief has it: mean of the bin")
        figure.supylabel("how often it was there, 95 %")


def _reliability(axes: Axes, found: dict[str, Any], name: str, number: int) -> None:
    """Draw the bins of one belief beside the diagonal."""
    axes.plot([0, 1], [0, 1], color=plotting.REFERENCE, linestyle="--", linewidth=1)
    rows = [row for row in found["bins"] if row["observed"] is not None]
    observed = [_estimate(row["observed"]) for row in rows]
    plotting.intervals(axes, [row["predicted"] for row in rows], observed, number, linestyle="-")
    wrong = [f"{claim['wrong']} of {claim['cards']:,}" for claim in found["certain"]]
    axes.set_title(name)
    text = f"certain and wrong:\nnot there {wrong[0]}\nthere {wrong[1]}"
    at_the_corner: dict[str, Any] = {"transform": axes.transAxes, "ha": "right", "va": "bottom"}
    axes.text(0.97, 0.03, text, fontsize=8, color=plotting.REFERENCE, **at_the_corner)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    for axis in (axes.xaxis, axes.yaxis):
        plotting.shares(axis)
    axes.grid()
