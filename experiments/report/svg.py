"""Pictures that live inside a page: its colours, light and dark, and its fonts.

Matplotlib draws in the palette of `experiments.plotting`; `svg` puts the custom properties of the
page's style sheet in its place, so that one picture serves both schemes.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from xml.etree import ElementTree

import matplotlib
import matplotlib.pyplot as plt
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.plotting import REFERENCE, SERIES, STYLE
from experiments.texts import printable

INK, FAINT = "#1b1f24", "#868e98"
"""Of text and of axes; like those of the palette they stand for the page's own."""

_PROPERTIES = {
    INK: "var(--ink)",
    FAINT: "var(--faint)",
    REFERENCE: "var(--reference)",
    **{colour: f"var(--series-{number})" for number, colour in enumerate(SERIES)},
}

WIDTH = 4.1
"""Inches, at 96 pixels each; narrow enough to be read on a telephone."""

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
    """Yield a figure of so many inches and its axes, to be handed to `svg` inside the block."""
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # of names; the page has its own fonts
        figure, axes = plt.subplots(figsize=(WIDTH, height))
        try:
            yield figure, axes
        finally:
            plt.close(figure)


def svg(figure: Figure, label: str, prefix: str) -> Markup:
    """Return ``figure`` as an element to be put into a page.

    ``label``: what is to be seen, for those who do not; ``prefix``: of its ids, unlike that of any
    other picture of the page.
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
    return Markup(_recolour(text, _PROPERTIES))


def _recolour(text: str, properties: Mapping[str, str]) -> str:
    """Return ``text`` with its colours replaced; a name that looks like one is none of them."""
    pattern = rf"(?<=: )({'|'.join(properties)})(?=[;\"])"
    return re.sub(pattern, lambda found: properties[found[1]], text)
