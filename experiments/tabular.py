"""One table type for the terminal, Markdown, HTML and CSV.

A cell is a value, which its column formats, or text, which is shown verbatim.  Text is never
markup: names come from users, and anything that Rich, Markdown or a browser would interpret is
escaped.
"""

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from string import ascii_lowercase
from typing import Any, Self

from markupsafe import Markup
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from experiments import terminal
from experiments.provenance.files import atomic_write
from experiments.stats.intervals import columns
from experiments.texts import csv_cell, lines
from experiments.texts import html as shown
from experiments.texts import markdown as plain

LONG = 12
"""Characters of a row name that is never abbreviated."""

NONE = "—"
"""Shown on a page in place of a missing value."""


_DIGITS = 12
"""Significant digits of floats in files; fitted values differ between CPUs after about 14."""


_MARKS = re.compile(r"[*`]|\[([^]]+)\]\([^)]+\)")
"""Markers of Markdown, and links, of which the words are kept."""


class Strong(str):
    """Text to emphasise."""


class Marked(str):
    """Our own text that already is Markdown; a terminal leaves its markers out, HTML shows them."""


@dataclass(frozen=True)
class Column:
    """One column.

    ``title``: its heading; ``write``: formats a value; not called for text or None; ``words``:
    whether it holds words, which are left-aligned and may wrap; numbers are right-aligned and do
    not.
    """

    title: str
    write: Callable[[Any], str] = str
    words: bool = False


def words(title: str) -> Column:
    """Return a column of words."""
    return Column(title, words=True)


def count(title: str) -> Column:
    """Return a column of integers."""
    return Column(title, lambda value: f"{value:,}")


def percent(title: str) -> Column:
    """Return a column of fractions of 1, shown as percentages."""
    return Column(title, lambda value: f"{100 * value:.1f} %")


def p_value(title: str) -> Column:
    """Return a column of p values."""
    return Column(title, lambda value: f"{value:.2g}")


def mean(title: str, digits: int = 1) -> Column:
    """Return a column of numbers, or of estimates with intervals."""

    def as_text(value: Any) -> str:
        if not hasattr(value, "low"):
            return f"{value:,.{digits}f}"
        middle, low, high = (f"{part:,.{digits}f}" for part in (value.value, value.low, value.high))
        return f"{middle} ({low} to {high})"

    return Column(title, as_text)


@dataclass(frozen=True)
class Table:
    """Rows of cells under a title.

    ``title``: what it shows; ``columns``: the first holds row names; a column given as text holds
    words if it is the first, numbers otherwise; ``rows``: cells, column by column; a row may be
    short; ``notes``: caveats for the reader, one or more sentences each.
    """

    title: str
    columns: Sequence[Column | str]
    rows: Sequence[Sequence[Any]]
    notes: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        title: str,
        items: Iterable[Any],
        columns: Iterable[tuple[Column | str, str | Callable[[Any], Any]]],
        notes: Sequence[str] = (),
    ) -> Self:
        """Return a table with one row per item.

        Each of ``columns`` comes with the key, attribute or function that extracts its cell.
        """
        heads, cells = zip(*columns, strict=True)
        return cls(
            title, heads, [[_cell_of(item, cell) for cell in cells] for item in items], notes
        )

    def __str__(self) -> str:
        """The table as commands print it, 100 columns wide."""
        console = terminal.console(width=100, file=StringIO())
        show(self, console)
        return console.file.getvalue()  # type: ignore[attr-defined]

    @property
    def heads(self) -> list[Column]:
        """The columns, with those given as text converted to `Column`."""
        return [
            Column(column, words=number == 0) if isinstance(column, str) else column
            for number, column in enumerate(self.columns)
        ]

    def as_text(self, none: str = "") -> list[list[str]]:
        """Return the cells as text, in rows of equal length; ``none`` replaces None."""
        return [
            [_write_cell(column, cell, none) for column, cell in zip(self.heads, row, strict=False)]
            + [""] * (len(self.columns) - len(row))
            for row in self.rows
        ]


@dataclass(frozen=True)
class Field:
    """A number or text shown for each item, on the page and in the CSV, or in one of them.

    ``cell``: a key, an attribute or a function of the item; ``column``: on the page; ``csv``: name
    of its column in the CSV; ``bounds``: for an estimate (or None in its place) the part of the
    CSV column names between ``csv`` and ``low`` or ``high``.
    """

    cell: str | Callable[[Any], Any]
    column: Column | str | None = None
    csv: str | None = None
    bounds: str | None = None


def view(
    title: str, items: Iterable[Any], fields: Sequence[Field], notes: Sequence[str] = ()
) -> tuple[Table, list[dict[str, Any]]]:
    """Return the table ``title`` with one row per item, and the rows of a CSV."""
    listed = list(items)
    shown = [(field.column, field.cell) for field in fields if field.column is not None]
    return Table.of(title, listed, shown, notes), [record(item, fields) for item in listed]


def record(item: Any, fields: Iterable[Field]) -> dict[str, Any]:
    """Return the CSV row of ``item``."""
    found: dict[str, Any] = {}
    for field in fields:
        if field.csv is not None:
            value = _cell_of(item, field.cell)
            between = field.bounds
            found |= {field.csv: value} if between is None else columns(field.csv, value, between)
    return found


def _cell_of(item: Any, cell: str | Callable[[Any], Any]) -> Any:
    if callable(cell):
        return cell(item)
    return item[cell] if isinstance(item, Mapping) else getattr(item, cell)


def _write_cell(column: Column, cell: Any, none: str) -> str:
    return none if cell is None else cell if isinstance(cell, str) else column.write(cell)


def show(table: Table, console: Console) -> None:
    """Print ``table`` to a terminal, with its notes below.

    In a narrow terminal, long row names become letters, explained below; if that is not enough,
    numbers wrap too.  Columns without a value are left out.
    """
    rows, legend = table.as_text(), list[str]()
    used = [n for n in range(len(table.heads)) if n == 0 or not rows or any(r[n] for r in rows)]
    heads, rows = [table.heads[n] for n in used], [[row[n] for n in used] for row in rows]
    if _least_width(heads, rows) > console.width:
        rows, legend = _abbreviate(rows)
    whole_figures = _least_width(heads, rows) <= console.width
    grid = Grid(title=Text(lines(table.title)), box=box.SIMPLE, padding=(0, 1, 0, 0))
    for column in heads:
        grid.add_column(
            Text(lines(column.title)),
            justify="left" if column.words else "right",
            no_wrap=whole_figures and not column.words,
            overflow="fold",
        )
    for row in rows:
        grid.add_row(
            *(Text(lines(cell), "bold" if isinstance(cell, Strong) else "") for cell in row)
        )
    console.print(grid)
    for note in (*legend, *table.notes):
        text = _MARKS.sub(r"\1", note) if isinstance(note, Marked) else note
        console.print(Text(lines(text)), soft_wrap=True)


def _abbreviate(rows: Sequence[list[str]]) -> tuple[list[list[str]], list[str]]:
    """Return ``rows`` with a letter for each long name, and the legend of the letters."""
    long = [name for name in dict.fromkeys(row[0] for row in rows) if cell_len(name) > LONG]
    if len(long) > len(ascii_lowercase):
        return list(rows), []
    letters = dict(zip(long, ascii_lowercase, strict=False))
    shorter = [[letters.get(row[0], row[0]), *row[1:]] for row in rows]
    return shorter, [f"{letter}: {name}" for name, letter in letters.items()]


def _least_width(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> int:
    """Return the characters per line that hold each number and each word unbroken."""
    width = 1 + 2 * len(columns)  # the edge, and two blanks per column
    for column, *cells in zip(columns, *rows, strict=True):
        texts = [column.title, *cells]
        parts = [part for text in texts for part in (text.split() if column.words else [text])]
        width += max(map(cell_len, parts), default=0)
    return width


def markdown(table: Table) -> str:
    """Return ``table`` as Markdown: title, grid and notes, as far as it has them."""
    marks = [" --- |" if column.words else " ---: |" for column in table.heads]
    heads = (f" {plain(column.title, True)} |" for column in table.heads)
    rows = [[f" {_mark(cell)} |" for cell in row] for row in table.as_text(NONE)]
    grid = "\n".join("|" + "".join(row) for row in (heads, marks, *rows))
    title = f"**{plain(table.title)}**" if table.title else ""
    notes = (note if isinstance(note, Marked) else plain(note) for note in table.notes)
    return "\n\n".join(filter(None, (title, grid, *notes))) + "\n"


def _mark(cell: str) -> str:
    return f"**{plain(cell, True)}**" if isinstance(cell, Strong) else plain(cell, True)


_HTML = """\
<p class="caption" id="{{ name }}">{{ table.title }}</p>
<div class="scroll" role="region" tabindex="0" aria-label="{{ table.title }}, {{ name }}">
<table aria-labelledby="{{ name }}">
<thead><tr>
{%- for column in table.heads -%}
{%- if column.title -%}
<th scope="col"{% if column.words %} class="words"{% endif %}>{{ column.title }}</th>
{%- else -%}
<td></td>
{%- endif -%}
{%- endfor -%}
</tr></thead>
<tbody>
{% for row in rows %}
<tr>
{%- for cell in row -%}
{%- if loop.first -%}
<th scope="row">{{ cell }}</th>
{%- else -%}
<td{% if table.heads[loop.index0].words %} class="words"{% endif %}>
{{- cell -}}
</td>
{%- endif -%}
{%- endfor -%}
</tr>
{% endfor %}
</tbody>
</table>
</div>
{% for note in table.notes %}
<p class="note">{{ note }}</p>
{% endfor %}
"""


def html(table: Table, name: str) -> Markup:
    """Return ``table`` as HTML, its title above and its notes below.

    Columns of words have the class ``words``, notes the class ``note``.  ``name``: id of the title,
    unique on the page.
    """
    return Markup(_template().render(table=table, rows=table.as_text(NONE), name=name))


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined  # only pages need it

    made = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=_show)
    return made.from_string(_HTML)


def _show(value: Any) -> Any:
    text = shown(value)
    return Markup("<strong>{}</strong>").format(text) if isinstance(value, Strong) else text


def write_csv(table: Table, path: Path) -> Path:
    """Write the cells of ``table`` to ``path`` atomically, and return the path.

    Values are written unformatted: None as an empty cell, floats with `_DIGITS` significant digits,
    and text escaped against formulas (`experiments.texts.csv_cell`); title and notes are left out.
    Raises OSError if it cannot be written.
    """
    with (
        atomic_write(path) as writing,
        writing.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file,
    ):
        rows = csv.writer(file)
        rows.writerow(csv_cell(column.title) for column in table.heads)
        rows.writerows(map(_csv, row) for row in table.rows)
    return path


def _csv(value: Any) -> Any:
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else csv_cell(value)
