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

from experiments.palette import REFERENCE, SERIES
from experiments.plotting import STYLE, intervals, legend_below, reference_line
from experiments.runs.plots import draw_games, draw_rates, draw_seats
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


def draw_ranking(found: Mapping[str, Estimate], axis: str, label: str, prefix: str) -> Markup:
    """Draw estimates by name, one below the other, such as ratings.

    ``axis``: their quantity; ``label``: a description.
    """
    with drawing(0.8 + 0.5 * len(found)) as (figure, axes):
        intervals(axes, range(len(found)), list(found.values()), across=True)
        _names_above(axes, list(found))
        axes.set(xlabel=axis, ylim=(len(found) - 0.55, -0.65))
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


def convergence(won: np.ndarray, parity: float, stop: Stop, name: str, prefix: str) -> Markup:
    """Draw the win rate by the number of games."""
    with drawing(HEIGHT) as (figure, axes):
        last = draw_games(axes, won, stop.win_rate, _POINTS, name)
        reference_line(axes, parity)
        axes.set_xlabel("games, in order; dashed: parity")
        return svg(figure, f"Win rate of {name} over the games: {last}.", prefix)


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
