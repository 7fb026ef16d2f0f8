"""Pictures of a run."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # a run has no display

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from experiments.published import Published
from experiments.results import focal_rows
from experiments.statistics import win_rate

_OURS, _THEIRS, _PARITY = "#1f5fa8", "#b3541e", "#666666"
_POINTS = 400
"""Points of a curve; more than can be seen."""


def win_rate_plot(
    table: pa.Table, title: str, parity: float, published: Published | None, path: Path
) -> Path:
    """Draw the win rate over the games and by seat, each with its 95 % interval, to a PNG.

    Parameters
    ----------
    table : rows of at least one game (`results.ROW`)
    title : who plays against whom
    parity : win rate that identical players would have
    published : result to compare with, if there is one
    path : of the PNG
    """
    focal = focal_rows(table)
    won, seats = focal["won"].to_numpy(), focal["seat"].to_numpy()
    figure, (over_games, by_seat) = plt.subplots(
        1, 2, figsize=(10, 4.2), width_ratios=(3, 1.5), sharey=True, layout="constrained"
    )
    _over_games(over_games, won)
    _by_seat(by_seat, won, seats)
    for axes in (over_games, by_seat):
        _reference_lines(axes, parity, published)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", alpha=0.25)
    over_games.legend(loc="best", frameon=False, fontsize=9)
    figure.suptitle(title)
    figure.savefig(path, dpi=150)
    plt.close(figure)
    return path


def _over_games(axes: Axes, won: np.ndarray) -> None:
    games = np.unique(np.linspace(1, len(won), min(len(won), _POINTS)).astype(int))
    rates = [
        win_rate(int(wins), int(n)) for wins, n in zip(won.cumsum()[games - 1], games, strict=True)
    ]
    axes.plot(games, [rate.value for rate in rates], color=_OURS, label=f"this run: {rates[-1]}")
    axes.fill_between(
        games,
        [rate.low for rate in rates],
        [rate.high for rate in rates],
        color=_OURS,
        alpha=0.18,
        linewidth=0,
    )
    axes.set(xlabel="games, in order of their index", ylabel="win rate", xlim=(1, max(2, len(won))))
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(PercentFormatter(1))


def _by_seat(axes: Axes, won: np.ndarray, seats: np.ndarray) -> None:
    taken = np.unique(seats)
    rates = [win_rate(int(won[seats == seat].sum()), int((seats == seat).sum())) for seat in taken]
    values = np.array([rate.value for rate in rates])
    spread = [
        values - np.array([rate.low for rate in rates]),
        np.array([rate.high for rate in rates]) - values,
    ]
    axes.errorbar(np.arange(len(taken)), values, spread, fmt="o", color=_OURS, capsize=4)
    axes.set_xticks(np.arange(len(taken)), [str(seat + 1) for seat in taken])
    axes.set(xlabel="seat", xlim=(-0.6, len(taken) - 0.4))


def _reference_lines(axes: Axes, parity: float, published: Published | None) -> None:
    axes.axhline(parity, color=_PARITY, linestyle="--", linewidth=1, label=f"parity: {parity:.0%}")
    if published is not None:
        rate = published.rate
        axes.axhline(
            rate.value, color=_THEIRS, linewidth=1, label=f"published: {rate} ({published.source})"
        )
        axes.axhspan(rate.low, rate.high, color=_THEIRS, alpha=0.15, linewidth=0)
