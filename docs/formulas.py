"""Hook of MkDocs: `$...$` and `$$...$$` become MathML while the site is built.

`pymdownx.arithmatex` finds the formulas, and leaves dollars in code alone.  A formula that
latex2mathml cannot read stops the build.
"""

from __future__ import annotations

import re
from html import unescape
from xml.etree import ElementTree

from latex2mathml.converter import convert
from mkdocs.exceptions import PluginError

_FORMULA = re.compile(r'<(span|div) class="arithmatex">(.*?)</\1>', re.S)
_PARTS = dict(mfrac=2, mroot=2, msub=2, msup=2, munder=2, mover=2, msubsup=3, munderover=3)


def typeset(latex: str, display: str) -> str:
    """Return a formula as MathML, ``display`` block or inline; PluginError if it has a fault."""
    try:
        made = convert(latex, display=display)
        for one in ElementTree.fromstring(made).iter():  # a missing argument is passed over
            if len(one) < _PARTS.get(one.tag.partition("}")[2], 0):
                raise ValueError(f"{one.tag.partition('}')[2]} lacks a part")
    except Exception as fault:
        raise PluginError(f"no formula: {latex} ({type(fault).__name__} {fault})") from fault
    if ">\\" in made:  # so is an unknown command
        raise PluginError(f"no formula: {latex} (unknown command)")
    return made


def on_page_content(html: str, **_: object) -> str:
    """Typeset the formulas of a page."""

    def replace(found: re.Match) -> str:
        return typeset(unescape(found[2]).strip()[2:-2], "block" if found[1] == "div" else "inline")

    return _FORMULA.sub(replace, html)
