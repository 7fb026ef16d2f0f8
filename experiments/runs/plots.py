"""Plots of win rates: over the games, by seat, and of several players side by side.

The functions draw into axes, for a page or a file; `win_rate_plot` and `rates_plot` write files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from experiments.palette import REFERENCE, tell_apart
from experiments.plotting import (
    WIDTH,
    band,
    bounds,
    intervals,
    picture,
    reference_line,
    shares,
    thin,
)
from experiments.runs.summary import Line
from experiments.stats.intervals import Estimate, win_rate
from experiments.texts import for_picture

_POINTS = 400
"""Points of a curve; more would not be visible."""
_LETTERS = 40
"""Characters of a name next to a plot."""


def win_rate_plot(
    won: np.ndarray, by_seat: Mapping[str, Mapping[str, int]], title: str, parity: float, path: Path
) -> Path:
    """Plot the win rate over the games and by seat, with 95 % intervals, to a PNG.

    Parameters
    ----------
    won : (games,) bool, at least one, in order of game index
    by_seat : games and wins in each seat
    title : names the players
    parity : win rate of identical players
    path : of the PNG
    """
    counts = [by_seat.get(str(seat)) for seat in range(1 + max(map(int, by_seat)))]
    seats = [win_rate(here["wins"], here["games"]) if here else None for here in counts]
    title = f"{title}: {len(won):,} game{'s' if len(won) > 1 else ''}, 95 %"
    made = picture(path, title, (WIDTH, 3.4), columns=2, width_ratios=(3, 1.5), sharey=True)
    with made as (_, ((left, right),)):
        draw_games(left, won, win_rate, _POINTS, "this run")
        draw_seats(right, [("this run", seats)])
        for axes in (left, right):
            reference_line(axes, parity, f"parity: {parity:.0%}")
        right.set_ylabel("")
        left.legend(loc="best")
    return path


def rates_plot(lines: Sequence[Line], names: Sequence[str], title: str, path: Path) -> Path:
    """Plot the win rates of several players, with 95 % intervals and parities, to a PNG.

    Parameters
    ----------
    lines : of the summary's table, each with at least one game
    names : of the lines
    title, path : as in `win_rate_plot`
    """
    with picture(path, title, (WIDTH, 1.1 + 0.36 * len(lines))) as (_, ((axes,),)):
        parities = [line.parity for line in lines]
        draw_rates(axes, [line.rate for line in lines], parities)
        axes.set_yticks(range(len(lines)), [for_picture(name, _LETTERS) for name in names])
        axes.set(xlabel="win rate, 95 %; dashed: parity", ylim=(len(lines) - 0.5, -0.5))
    return path


def draw_rates(axes: Axes, rates: Sequence[Estimate], parities: Sequence[float]) -> None:
    """Draw win rates below one another at heights 0 to n - 1, each with its parity."""
    heights = range(len(rates))
    intervals(axes, heights, rates, across=True)
    for height, parity in zip(heights, parities, strict=True):
        axes.plot(2 * [parity], [height - 0.2, height + 0.3], "--", color=REFERENCE, lw=1.4)
    drawn = [*np.ravel(bounds(rates)), *parities]
    low, high = np.floor(20 * np.nanmin(drawn) - 0.4), np.ceil(20 * np.nanmax(drawn) + 0.4)
    axes.set(xlim=(max(0.0, low / 20), min(1.0, high / 20)), ylim=(len(rates) - 0.55, -0.65))
    shares(axes.xaxis)
    axes.grid(axis="x")


def draw_games(
    axes: Axes, won: np.ndarray, rate: Callable[[int, int], Estimate], limit: int, name: str
) -> Estimate:
    """Draw the win rate over the games, in order of their numbers; return the last.

    Parameters
    ----------
    won : (games,) bool, at least one
    rate : makes an estimate from wins and games
    limit : maximum number of points
    name : of the player
    """
    games = thin(len(won), limit) + 1
    wins = np.cumsum(won)[games - 1]
    found = [rate(int(some), int(count)) for some, count in zip(wins, games, strict=True)]
    if len(won) > 4:
        band(axes, games.tolist(), found, marker="", label=f"{name}: {found[-1]}")
    else:  # too few for a line
        intervals(axes, games.tolist(), found, label=f"{name}: {found[-1]}")
        axes.set_xticks(games.tolist())
    axes.set(xlabel="games, in order of their numbers", ylabel="win rate so far")
    axes.set_xlim(1 if len(won) > 4 else 0.5, max(1.5, len(won)))
    share_axis(axes)
    return found[-1]


def draw_seats(axes: Axes, players: Sequence[tuple[str, Sequence[Estimate | None]]]) -> None:
    """Draw win rates by seat, players side by side; None where a player did not sit."""
    count = max(len(rates) for _, rates in players)
    kinds = tell_apart([name for name, _ in players])
    for number, ((name, rates), series) in enumerate(zip(players, kinds, strict=True)):
        offset = (number - (len(players) - 1) / 2) * 0.6 / len(players)
        sat = [(seat, rate) for seat, rate in enumerate(rates) if rate is not None]
        at = [seat + offset for seat, _ in sat]
        intervals(axes, at, [rate for _, rate in sat], series, label=name)
    axes.set(xlabel="seat, counted from 0", ylabel="win rate", xlim=(-0.5, count - 0.5))
    axes.set_xticks(range(count))
    share_axis(axes)


def share_axis(axes: Axes) -> None:
    """Scale the y axis from 0 to 100 %, with grid lines."""
    axes.set_ylim(-0.02, 1.02)
    shares(axes.yaxis)
    axes.grid(axis="y")
