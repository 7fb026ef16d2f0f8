"""The pictures of a report; intervals are of 95 %."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from experiments.plotting import REFERENCE, band, intervals, legend_below, reference_line, thin
from experiments.report.svg import drawing, svg
from experiments.runs.figures import Moment
from experiments.runs.plots import draw_games, draw_rates, draw_seats, share_axis
from experiments.runs.published import Published
from experiments.runs.turns import Ends, bits
from experiments.stats.intervals import Estimate
from experiments.stats.stopping import Stop
from experiments.texts import for_picture

_POINTS = 100
"""Points of a curve; more than can be seen."""
_LETTERS, _LEGEND_LETTERS = 58, 24
"""Of a name that fit into a picture, and into its legend."""
HEIGHT = 3.1
"""Inches of a picture that does not grow with its lines."""


def rates(
    lines: Sequence[tuple[str, Estimate, float]], published: Mapping[str, Published], prefix: str
) -> Markup:
    """Draw win rates beside parity and published results.

    ``lines``: names, win rates, and what identical players would win; ``published``: by name.
    """
    names, found, parities = zip(*lines, strict=True)
    beside = {
        number: published[name].rate for number, name in enumerate(names) if name in published
    }
    with drawing(0.8 + 0.5 * len(lines)) as (figure, axes):
        draw_rates(axes, found, parities, beside)
        _names_above(axes, names)
        legend = "diamonds: published; " if published else ""
        axes.set_xlabel(f"win rate; {legend}dashed: parity")
        listed = "; ".join(f"{name}: {rate}" for name, rate, _ in lines)
        return svg(figure, f"Win rates with intervals of {listed}.", prefix)


def ranked(
    found: Mapping[str, Estimate], axis: str, label: str, prefix: str, left: float | None = None
) -> Markup:
    """Draw estimates by name, one below the other, such as ratings.

    ``axis``: what they are; ``label``: what is to be seen; ``left``: the end of the axis.
    """
    with drawing(0.8 + 0.5 * len(found)) as (figure, axes):
        intervals(axes, range(len(found)), list(found.values()), across=True)
        _names_above(axes, list(found))
        axes.set(xlabel=axis, ylim=(len(found) - 0.55, -0.65))
        axes.set_xlim(left=left)
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.grid(axis="x")
        return svg(figure, label, prefix)


def seats(players: Mapping[str, Sequence[Estimate | None]], parity: float, prefix: str) -> Markup:
    """Draw win rates by seat, for each player; None where it did not sit."""
    with drawing(HEIGHT) as (figure, axes):
        draw_seats(
            axes, [(for_picture(name, _LEGEND_LETTERS), found) for name, found in players.items()]
        )
        reference_line(axes, parity)
        axes.set_xlabel("seat, counted from 0; dashed: parity")
        legend_below(figure, axes)
        return svg(figure, f"Win rate by seat of {', '.join(players)}.", prefix)


def wins_over_turns(players: Mapping[str, Ends], stop: Stop, prefix: str) -> Markup:
    """Draw the share of games that each player had won by each turn."""
    with drawing(HEIGHT) as (figure, axes):
        last = max(int(ends.turns[-1]) for ends in players.values())
        for number, (name, ends) in enumerate(players.items()):
            at = thin(len(ends.turns), _POINTS)
            found = [stop.win_rate(int(won), ends.total) for won in np.cumsum(ends.wins)[at]]
            found = [stop.win_rate(0, ends.total), *found, found[-1]]
            turns = [0, *ends.turns[at], last]
            band(axes, turns, found, number, steps=True, **_look(name, len(turns)))
        if len(players) == 1:
            over = np.cumsum(ends.games) / ends.total
            axes.step(
                ends.turns, over, "--", where="post", color=REFERENCE, lw=1.2, label="games over"
            )
        axes.set(xlabel="turns of all players, until 99 % are over", ylabel="share of games")
        axes.set_xlim(0, max(ends.quantile(0.99) for ends in players.values()))
        share_axis(axes)
        legend_below(figure, axes)
        return svg(figure, f"Share of games won by turn, of {', '.join(players)}.", prefix)


def convergence(won: np.ndarray, parity: float, stop: Stop, name: str, prefix: str) -> Markup:
    """Draw the win rate over the games, in order of their numbers."""
    with drawing(HEIGHT) as (figure, axes):
        last = draw_games(axes, won, stop.win_rate, _POINTS, name)
        reference_line(axes, parity)
        axes.set_xlabel("games, in order; dashed: parity")
        return svg(figure, f"Win rate of {name} over the games: {last}.", prefix)


def entropy(players: Mapping[str, Sequence[Moment]], when: str, prefix: str) -> Markup:
    """Draw the envelope's mean entropy by turn, at the moments of `turns.well_sampled`."""
    with drawing(HEIGHT) as (figure, axes):
        for number, (name, moments) in enumerate(players.items()):
            turns = [moment.turn for moment in moments]
            found = [bits(moment) for moment in moments]
            band(axes, turns, found, number, **_look(name, len(turns)))
        axes.set(xlabel="turn, of all players", ylabel=f"bits, {when}", xlim=(1, None))
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        axes.grid(axis="y")
        legend_below(figure, axes)
        return svg(figure, f"Entropy of the envelope by turn, of {', '.join(players)}.", prefix)


def _names_above(axes: Axes, names: Sequence[str]) -> None:
    """Write names above their lines, where they leave the width to the figures."""
    for height, name in enumerate(names):
        axes.annotate(
            for_picture(name, _LETTERS),
            (0, height - 0.3),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=9,
        )
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)


def _look(name: str, points: int) -> dict[str, Any]:
    """Return how the curve of a player is drawn: with few markers, and its name short enough."""
    return {"label": for_picture(name, _LEGEND_LETTERS), "markevery": max(1, points // 6)}
