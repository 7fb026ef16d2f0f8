"""Pictures of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # a run has no display

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from experiments.runs.published import Published
from experiments.stats.intervals import win_rate

_OURS, _THEIRS, _PARITY = "#1f5fa8", "#b3541e", "#666666"
_POINTS = 400
"""Points of a curve; more than can be seen."""


def win_rate_plot(
    won: np.ndarray,
    by_seat: Mapping[str, Mapping[str, int]],
    title: str,
    parity: float,
    published: Published | None,
    path: Path,
) -> Path:
    """Draw the win rate over the games and by seat, each with its 95 % interval, to a PNG.

    Parameters
    ----------
    won : (games,) bool, at least one, in order of their index
    by_seat : games and wins in each seat
    title : who plays against whom
    parity : win rate that identical players would have
    published : result to compare with, if there is one
    path : of the PNG
    """
    figure, (over_games, seats) = plt.subplots(
        1, 2, figsize=(10, 4.2), width_ratios=(3, 1.5), sharey=True, layout="constrained"
    )
    _over_games(over_games, won)
    _by_seat(seats, by_seat)
    for axes in (over_games, seats):
        _reference_lines(axes, parity, published)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", alpha=0.25)
    over_games.legend(loc="best", frameon=False, fontsize=9)
    figure.suptitle(title)
    figure.savefig(path, dpi=150)
    plt.close(figure)
    return path


def rates_plot(lines: Sequence[Mapping[str, Any]], title: str, path: Path) -> Path:
    """Draw the win rates of several players with their 95 % intervals and parities to a PNG.

    Parameters
    ----------
    lines : of the summary's table, each with at least one game
    title, path : as `win_rate_plot`
    """
    figure, axes = plt.subplots(figsize=(8, 1.3 + 0.42 * len(lines)), layout="constrained")
    places = np.arange(len(lines))[::-1]
    for place, line in zip(places, lines, strict=True):
        value, (low, high) = line["win_rate"], line["ci95"]
        axes.errorbar(
            value, place, xerr=[[value - low], [high - value]], fmt="o", color=_OURS, capsize=4
        )
        axes.plot(2 * [line["parity"]], [place - 0.4, place + 0.4], "--", color=_PARITY, lw=1)
    alone = len({line["match"] for line in lines}) == 1
    axes.set_yticks(places, [line["player" if alone else "match"] for line in lines])
    axes.set(xlabel="win rate, 95 %; dashed: parity", xlim=(0, 1))
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", alpha=0.25)
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


def _by_seat(axes: Axes, seats: Mapping[str, Mapping[str, int]]) -> None:
    rates = [win_rate(each["wins"], each["games"]) for each in seats.values()]
    values = np.array([rate.value for rate in rates])
    spread = [
        values - np.array([rate.low for rate in rates]),
        np.array([rate.high for rate in rates]) - values,
    ]
    axes.errorbar(np.arange(len(rates)), values, spread, fmt="o", color=_OURS, capsize=4)
    axes.set_xticks(np.arange(len(rates)), [str(int(seat) + 1) for seat in seats])
    axes.set(xlabel="seat", xlim=(-0.6, len(rates) - 0.4))


def _reference_lines(axes: Axes, parity: float, published: Published | None) -> None:
    axes.axhline(parity, color=_PARITY, linestyle="--", linewidth=1, label=f"parity: {parity:.0%}")
    if published is not None:
        rate = published.rate
        axes.axhline(
            rate.value, color=_THEIRS, linewidth=1, label=f"published: {rate} ({published.source})"
        )
        axes.axhspan(rate.low, rate.high, color=_THEIRS, alpha=0.15, linewidth=0)
