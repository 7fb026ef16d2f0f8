"""The pictures of a report; intervals are of 95 %."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter

from experiments.report.svg import MARKERS, REFERENCE, SERIES, drawing, printable, svg
from experiments.runs.figures import Moment
from experiments.runs.published import Published
from experiments.runs.turns import Ends, bits
from experiments.stats.intervals import Estimate
from experiments.stats.stopping import Stop

_POINTS = 100
"""Points of a curve; more than can be seen."""
_LETTERS = 58
"""Of a name that fit into a picture."""
HEIGHT = 3.1
"""Inches of a picture that does not grow with its lines."""


def rates(
    lines: Sequence[tuple[str, Estimate, float]],
    published: Mapping[str, Published],
    prefix: str,
) -> Markup:
    """Draw win rates beside parity and published results.

    Parameters
    ----------
    lines : names, win rates, and what identical players would win
    published : by name
    """
    with drawing(0.8 + 0.5 * len(lines)) as (figure, axes):
        for place, (name, rate, parity) in enumerate(lines):
            _interval(axes, place, rate, SERIES[0], "o")
            axes.plot(2 * [parity], [place - 0.14, place + 0.3], "--", color=REFERENCE, lw=1.4)
            if name in published:
                _interval(axes, place + 0.2, published[name].rate, SERIES[1], "D")
            _name(axes, place, name)
        shown = "diamonds: published; " if published else ""
        axes.set(xlabel=f"win rate; {shown}dashed: parity", xlim=(0, 1))
        axes.xaxis.set_major_formatter(PercentFormatter(1))
        _rows(axes, len(lines))
        return svg(figure, f"Win rates with intervals of {_listed(lines)}.", prefix)


def elo(ratings: Sequence[Mapping[str, Any]], prefix: str) -> Markup:
    """Draw the ratings of a round robin."""
    with drawing(0.8 + 0.5 * len(ratings)) as (figure, axes):
        for place, each in enumerate(ratings):
            estimate = Estimate(each["elo"], each["low"], each["high"])
            _interval(axes, place, estimate, SERIES[0], "o")
            _name(axes, place, each["player"])
        axes.set_xlabel("Elo, mean of the players 0")
        axes.xaxis.set_major_locator(MaxNLocator(6))
        _rows(axes, len(ratings))
        names = ", ".join(f"{each['player']} {each['elo']:+.0f}" for each in ratings)
        return svg(figure, f"Ratings in Elo with intervals: {names}.", prefix)


def seats(players: Mapping[str, Sequence[Estimate | None]], parity: float, prefix: str) -> Markup:
    """Draw win rates by seat, for each player; None where it did not sit."""
    with drawing(HEIGHT) as (figure, axes):
        width = 0.6 / len(players)
        for number, (name, found) in enumerate(players.items()):
            shift = (number - (len(players) - 1) / 2) * width
            at = [seat for seat, rate in enumerate(found) if rate is not None]
            values = np.array([found[seat].value for seat in at])
            low, high = (np.array([getattr(found[s], end) for s in at]) for end in ("low", "high"))
            axes.errorbar(
                np.array(at) + 1 + shift,
                values,
                [values - low, high - values],
                fmt=MARKERS[number],
                color=SERIES[number],
                capsize=3,
                markersize=5,
                label=_short(name, 24),
            )
        axes.axhline(parity, color=REFERENCE, linestyle="--", linewidth=1.2)
        count = max(map(len, players.values()))
        axes.set(xlabel="seat; dashed: parity", ylabel="win rate", xlim=(0.5, count + 0.5))
        axes.set_xticks(range(1, count + 1))
        _shares(axes)
        return svg(figure, f"Win rate by seat of {', '.join(players)}.", prefix)


def wins_over_turns(players: Mapping[str, Ends], stop: Stop, prefix: str) -> Markup:
    """Draw the share of games that each player had won by each turn."""
    with drawing(HEIGHT) as (figure, axes):
        last = max(int(ends.turns[-1]) for ends in players.values())
        for number, (name, ends) in enumerate(players.items()):
            at = _thinned(len(ends.turns))
            found = [stop.win_rate(int(won), ends.total) for won in np.cumsum(ends.wins)[at]]
            found = [stop.win_rate(0, ends.total), *found, found[-1]]
            _band(axes, [0, *ends.turns[at], last], found, number, name, steps=True)
        if len(players) == 1:
            over = np.cumsum(ends.games) / ends.total
            axes.step(
                ends.turns, over, "--", where="post", color=REFERENCE, lw=1.2, label="games over"
            )
        axes.set(xlabel="turns of all players, until 99 % are over", ylabel="share of games")
        axes.set_xlim(0, max(ends.quantile(0.99) for ends in players.values()))
        _shares(axes)
        return svg(figure, f"Share of games won by turn, of {', '.join(players)}.", prefix)


def convergence(won: np.ndarray, parity: float, stop: Stop, name: str, prefix: str) -> Markup:
    """Draw the win rate over the games, in order of their numbers."""
    with drawing(HEIGHT) as (figure, axes):
        games = _thinned(len(won)) + 1
        wins = np.cumsum(won)[games - 1]
        found = [stop.win_rate(int(w), int(n)) for w, n in zip(wins, games, strict=True)]
        _band(axes, games, found, 0, name)
        axes.axhline(parity, color=REFERENCE, linestyle="--", linewidth=1.2)
        axes.set(xlabel="games, in order; dashed: parity", ylabel="win rate so far")
        axes.set_xlim(1, max(2, len(won)))
        _shares(axes)
        return svg(figure, f"Win rate of {name} over the games: {found[-1]}.", prefix)


def entropy(players: Mapping[str, Sequence[Moment]], when: str, prefix: str) -> Markup:
    """Draw the envelope's mean entropy by turn, at the moments of `turns.telling`."""
    with drawing(HEIGHT) as (figure, axes):
        for number, (name, moments) in enumerate(players.items()):
            turns = [each.turn for each in moments]
            _band(axes, turns, [bits(each) for each in moments], number, name)
        axes.set(xlabel="turn, of all players", ylabel=f"bits, {when}", xlim=(1, None))
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        axes.grid(axis="y")
        _legend(axes)
        return svg(figure, f"Entropy of the envelope by turn, of {', '.join(players)}.", prefix)


def _interval(axes: Axes, place: float, rate: Estimate, colour: str, marker: str) -> None:
    spread = [[rate.value - rate.low], [rate.high - rate.value]]
    axes.errorbar(rate.value, place, xerr=spread, fmt=marker, color=colour, capsize=3, markersize=5)


def _name(axes: Axes, place: float, name: str) -> None:
    """Write a name above its line, where it leaves the width to the figures."""
    axes.annotate(
        _short(name, _LETTERS),
        (0, place - 0.3),
        xycoords=("axes fraction", "data"),
        va="center",
        fontsize=9,
    )


def _rows(axes: Axes, count: int) -> None:
    axes.set_ylim(count - 0.55, -0.65)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")


def _band(
    axes: Axes,
    at: Sequence[int],
    estimates: Sequence[Estimate],
    number: int,
    name: str,
    steps: bool = False,
) -> None:
    values, low, high = (
        [getattr(each, end) for each in estimates] for end in ("value", "low", "high")
    )
    colour, every = SERIES[number], max(1, len(values) // 6)
    kind = "post" if steps else None
    axes.fill_between(at, low, high, color=colour, alpha=0.2, linewidth=0, step=kind)
    axes.plot(
        at,
        values,
        color=colour,
        drawstyle="steps-post" if steps else "default",
        marker=MARKERS[number],
        markevery=every,
        markersize=4,
        label=_short(name, 24),
    )


def _shares(axes: Axes) -> None:
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.grid(axis="y")
    _legend(axes)


def _legend(axes: Axes) -> None:
    """Say below the axes which series is which, if there are several."""
    handles, names = axes.get_legend_handles_labels()
    if len(names) > 1:
        axes.figure.legend(handles, names, fontsize=9, loc="outside lower center", ncols=3)


def _thinned(count: int) -> np.ndarray:
    """Return at most `_POINTS` of the indices below ``count``, the first and last among them."""
    return np.unique(np.linspace(0, count - 1, min(count, _POINTS)).astype(int))


def _short(name: str, letters: int) -> str:
    name = printable(name)
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


def _listed(lines: Sequence[tuple[str, Estimate, float]]) -> str:
    return "; ".join(f"{name}: {rate}" for name, rate, _ in lines)
