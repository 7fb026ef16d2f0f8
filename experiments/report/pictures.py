"""The pictures of a page in its colours, light and dark, and fonts; intervals are of 95 %.

Matplotlib draws in the palette of `experiments.plotting`; `svg` replaces it by the custom
properties of the page's style sheet, so that one picture serves both schemes.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from xml.etree import ElementTree

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from experiments.plotting import (
    REFERENCE,
    SERIES,
    STYLE,
    band,
    intervals,
    legend_below,
    reference_line,
    thin,
)
from experiments.runs.figures import Ends, Moment, bits
from experiments.runs.plots import draw_games, draw_rates, draw_seats, share_axis
from experiments.stats.intervals import Estimate
from experiments.stats.stopping import Stop
from experiments.texts import for_picture, printable

INK, FAINT = "#1b1f24", "#868e98"
"""Colours of text and axes, which `svg` replaces like the palette."""

_PROPERTIES = {
    INK: "var(--ink)",
    FAINT: "var(--faint)",
    REFERENCE: "var(--reference)",
    **{colour: f"var(--series-{number})" for number, colour in enumerate(SERIES)},
}

WIDTH = 4.1
"""Width in inches of 96 pixels, which a telephone can show."""

_STYLE: dict[Any, Any] = {
    **STYLE,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "font.family": "sans-serif",
    "font.size": 10,
    "grid.alpha": 0.35,
    "grid.color": FAINT,
    "lines.linewidth": 1.6,
    "svg.fonttype": "none",
    "svg.hashsalt": "report",
    "text.color": INK,
    "xtick.color": INK,
    "xtick.labelcolor": INK,
    "ytick.color": INK,
    "ytick.labelcolor": INK,
}

_SVG, _LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
ElementTree.register_namespace("", _SVG)
ElementTree.register_namespace("xlink", _LINK)


@contextmanager
def drawing(height: float) -> Iterator[tuple[Figure, Axes]]:
    """Yield a figure of this height in inches and its axes, for `svg` inside the block."""
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # for names; the page has its own fonts
        figure, axes = plt.subplots(figsize=(WIDTH, height))
        try:
            yield figure, axes
        finally:
            plt.close(figure)


def svg(figure: Figure, label: str, prefix: str) -> Markup:
    """Return ``figure`` as an element of a page.

    ``label``: a description for readers who cannot see it; ``prefix``: of its ids, unique in the
    page.
    """
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    root = ElementTree.fromstring(file.getvalue())
    for metadata in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(metadata)
    text = ElementTree.tostring(root, "unicode")
    used = set(re.findall(r'(?:href="|url\()#([\w-]+)', text))
    for element in root.iter():
        if element.get("id") not in used:
            element.attrib.pop("id", None)
    for key in ("width", "height"):
        del root.attrib[key]
    root.attrib |= {"role": "img", "aria-label": printable(label)}
    text = ElementTree.tostring(root, "unicode")
    for name in used:
        text = re.sub(rf'(id="|#){re.escape(name)}(?=["\)])', rf"\g<1>{prefix}-{name}", text)
    # Names that look like colours remain.
    pattern = rf"(?<=: )({'|'.join(_PROPERTIES)})(?=[;\"])"
    return Markup(re.sub(pattern, lambda found: _PROPERTIES[found[1]], text))


_POINTS = 100
"""Maximum number of points of a curve; more are not visible."""
_LETTERS, _LEGEND_LETTERS = 58, 24
"""Characters of a name that fit into a picture, and into its legend."""
HEIGHT = 3.1
"""Height in inches of a picture that does not grow with its lines."""


def rates(lines: Sequence[tuple[str, Estimate, float]], prefix: str) -> Markup:
    """Draw win rates with parity; ``lines``: names, win rates, and parity."""
    names, found, parities = zip(*lines, strict=True)
    with drawing(0.8 + 0.5 * len(lines)) as (figure, axes):
        draw_rates(axes, found, parities)
        _names_above(axes, names)
        axes.set_xlabel("win rate; dashed: parity")
        listed = "; ".join(f"{name}: {rate}" for name, rate, _ in lines)
        return svg(figure, f"Win rates with intervals of {listed}.", prefix)


def draw_ranking(
    found: Mapping[str, Estimate], axis: str, label: str, prefix: str, left: float | None = None
) -> Markup:
    """Draw estimates by name, one below the other, such as ratings.

    ``axis``: their quantity; ``label``: a description; ``left``: the end of the axis.
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
    """Draw win rates by seat for each player; None for seats it did not have."""
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
    """Draw the win rate by the number of games."""
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
    """Write names above their lines, which leaves the width to the figures."""
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
    """Return the style of a player's curve: few markers, and a short name."""
    return {"label": for_picture(name, _LEGEND_LETTERS), "markevery": max(1, points // 6)}
