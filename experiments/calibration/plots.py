"""The picture of predictions beside what came of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
from matplotlib.axes import Axes

from experiments import plotting
from experiments.calibration import figures
from experiments.calibration.figures import FEWEST, Group

_TITLE = "Predictions of searches and what came of them, 95 % by game"


def draw(players: Mapping[str, Sequence[Sequence[Group]]], path: Path) -> None:
    """Draw what ``players`` predicted to a PNG: bins of it, accusations, and rounds.

    ``players``: by name the groups by prediction, of accusations by prediction, and by round.
    """
    titles = ("all decisions", "accusations", "by round, accusations left out")
    with plotting.picture(path, _TITLE, (13, 4.6), columns=3) as (figure, (panels,)):
        for axes, title in zip(panels, titles, strict=True):
            axes.set_title(title)
            axes.grid()
        for axes in panels[:2]:
            axes.plot([0, 1], [0, 1], color=plotting.REFERENCE, linestyle="--", linewidth=1)
            axes.set(xlabel="predicted chance to win", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
            plotting.shares(axes.xaxis)
            plotting.shares(axes.yaxis)
        panels[0].set_ylabel("games won")
        panels[1].set_ylabel("accusations that were right")
        panels[2].set(xlabel="round", ylabel="predicted minus won")
        plotting.reference_line(panels[2], 0)
        plotting.shares(panels[2].yaxis)
        for number, (name, (all_, accusing, rounds)) in enumerate(players.items()):
            _bins(panels[0], all_, number, name)
            _bins(panels[1], accusing, number, name)
            there = [group for group in rounds if group.bias is not None and group.games >= FEWEST]
            biases = [group.bias for group in there if group.bias is not None]
            plotting.band(panels[2], [int(group.name) for group in there], biases, number)
        plotting.legend_below(figure, panels[0], 3)


def _bins(axes: Axes, groups: Sequence[Group], number: int, name: str) -> None:
    there = [group for group in groups if group.won is not None and group.games >= FEWEST]
    won = [group.won for group in there if group.won is not None]
    at = [group.predicted for group in there]
    plotting.intervals(axes, at, won, number, linestyle="-", label=name)


def groups(made: pl.DataFrame) -> tuple[list[Group], list[Group], list[Group]]:
    """Return what `draw` draws of one player's decisions."""
    accusing = figures.by_prediction(figures.accusations(made))
    return figures.by_prediction(made), accusing, figures.by_round(made, FEWEST)
