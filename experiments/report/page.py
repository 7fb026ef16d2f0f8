"""A report as a document: sections of tables, pictures and text, as HTML and as Markdown.

Names of players come from users: everything but our own pictures is escaped.  Tables are those of
`experiments.tabular`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from experiments import tabular, texts
from experiments.tabular import Table


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


class Command(Text):
    """A command line to copy."""


@dataclass(frozen=True)
class Folded:
    """A table that is folded at first."""

    table: Table


@dataclass(frozen=True)
class Picture:
    """A drawing with a description, under a caption."""

    caption: str
    drawing: Markup


Block = Text | Command | Table | Folded | Picture


@dataclass(frozen=True)
class Section:
    """A part of a page; ``depth`` is 0 at the top level."""

    title: str
    blocks: Sequence[Block]
    depth: int = 0


@dataclass(frozen=True)
class Page:
    """A whole report; ``faults`` and ``lead`` precede its sections."""

    title: str
    faults: Sequence[str]
    lead: Sequence[str]
    sections: Sequence[Section]


def html(page: Page) -> str:
    """Return ``page`` as one self-contained HTML file."""
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
        finalize=texts.html,
    )
    made.filters |= {
        "plain": texts.markdown,
        "fence": fence,
        # Runs of blocks of one kind, so that pictures can be side by side.
        "runs": lambda blocks: [(kind, list(run)) for kind, run in groupby(blocks, _kind)],
        "table": tabular.html,
        "markdown": tabular.markdown,
    }
    made.globals["kind"] = _kind
    return made


def _kind(block: Block) -> str:
    return type(block).__name__.lower()


def fence(text: str) -> str:
    """Return the fence of a code block that contains ``text``."""
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    return "`" * max(3, longest + 1)
