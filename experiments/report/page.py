"""A report as a document: sections of tables, pictures and text, written as HTML and as Markdown.

Names of players come from users: everything but our own pictures is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from experiments.report.svg import printable


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str
    kind = "text"


@dataclass(frozen=True)
class Command:
    """A command line, to be copied."""

    text: str
    kind = "command"


@dataclass(frozen=True)
class Table:
    """Rows of text, the first cell of each its heading.

    Attributes
    ----------
    caption : what it shows
    columns : headings
    rows : (rows, columns)
    words : columns that hold words, beside the first; others hold figures
    note : what to know when reading it
    folded : whether it is shown on demand alone
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: Sequence[str] = ()
    note: str = ""
    folded: bool = False
    kind = "table"


@dataclass(frozen=True)
class Picture:
    """A drawing that has its own description, under a caption."""

    caption: str
    drawing: Markup
    kind = "picture"


Block = Text | Command | Table | Picture


@dataclass(frozen=True)
class Section:
    """A part of a page; ``depth`` is 0 for those that stand by themselves."""

    title: str
    blocks: Sequence[Block]
    depth: int = 0


@dataclass(frozen=True)
class Page:
    """A whole report: ``faults`` and ``lead`` come before its sections."""

    title: str
    faults: Sequence[str]
    lead: Sequence[str]
    sections: Sequence[Section]


def html(page: Page) -> str:
    """Return ``page`` as one HTML file that needs no other."""
    return _environment(escape=True).get_template("page.html.jinja").render(page=page)


def markdown(page: Page) -> str:
    """Return ``page`` as Markdown, without its pictures."""
    text = _environment(escape=False).get_template("page.md.jinja").render(page=page)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _environment(escape: bool) -> Environment:
    made = Environment(
        autoescape=escape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(
            lambda name: files("experiments.report").joinpath(name).read_text("utf-8")
        ),
        finalize=_clean,
    )
    made.filters |= {"plain": plain, "fence": fence, "runs": _runs}
    return made


def _runs(blocks: Sequence[Block]) -> list[tuple[str, list[Block]]]:
    """Return neighbours of one kind together, so that pictures can stand side by side."""
    return [(kind, list(each)) for kind, each in groupby(blocks, lambda block: block.kind)]


def _clean(value: Any) -> Any:
    """Return a text without control characters but ends of lines; pictures have none."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return "\n".join(map(printable, value.split("\n")))


def plain(text: str) -> str:
    """Return ``text`` so that Markdown shows it as it is, in one line."""
    return re.sub(r"([\\`*{}\[\]<>|#~$&]|(?<!\w)_|_(?!\w))", r"\\\1", printable(text))


def fence(text: str) -> str:
    """Return the line that begins and ends a block of code with ``text`` in it."""
    longest = max((len(each) for each in re.findall("`+", text)), default=0)
    return "`" * max(3, longest + 1)
