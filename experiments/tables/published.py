"""Published figures of a paper's table, and our cells for comparison.

They are the section ``published`` of a table in ``conf/table``::

    published:
      sources: {KEY: HEADING}       # columns of published figures; ours is compared with the last
                                    # of them that has a figure
      columns: {KEY: HEADING}       # columns of ours
      about: [SENTENCE]             # below the table
      notes: {KEY: SENTENCE}        # below the table if a row refers to it: causes of differences
      matches: {NAME: {COLUMN: MATCH}}
      rows:
        - {setup: WORDS, quantity: KEY, match: NAME, player: LABEL, columns: [COLUMN], notes: [KEY],
           SOURCE: FIGURE}
        - {quantity: KEY, rows: [...]}    # keys that several rows share

Only ``columns`` and ``rows`` are required.
A ``quantity`` is a key of `experiments.tables.quantities`.  A ``match`` is a name in ``matches``,
or a match in which ``{}`` is replaced by the key of the column; a row without one is reference
only.  ``player`` defaults to the measured player.  A ``FIGURE`` is a number, ``WINS/GAMES``,
``[LOW, HIGH]`` or ``[VALUE, LOW, HIGH]``.  Tables share parts by ``conf/published``.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from experiments.settings.commandline import Refusal
from experiments.tables.figure import Figure
from experiments.tables.quantities import QUANTITIES, Quantity
from mcts.limits import did_you_mean

_KEYS = ("setup", "quantity", "match", "player", "columns", "notes")


@dataclass(frozen=True)
class Row:
    """A row of a table.

    ``cells``: by column, match and player ("" for the measured one), or line and column of a
    computed table; empty if we cannot measure it; ``published``: by source; ``notes``: keys of
    `Published.notes`.
    """

    setup: str
    quantity: Quantity
    cells: Mapping[str, tuple[str, str]]
    published: Mapping[str, Figure]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Published:
    """The published side of a table, with the fields of its YAML."""

    sources: Mapping[str, str]
    columns: Mapping[str, str]
    about: tuple[str, ...]
    notes: Mapping[str, str]
    rows: tuple[Row, ...]

    @classmethod
    def read(cls, section: Mapping[str, Any]) -> Self:
        """Return the content of a section ``published``.

        Raises Refusal if it is malformed, or a row refers to a missing name.
        """
        whole = {"sources": {}, "about": (), "notes": {}, "matches": {}, **section}
        try:
            rows = tuple(_read_row(row, whole) for row in _expand(whole["rows"], {}))
            used = {column: None for row in rows for column in row.cells}
            return cls(
                sources=whole["sources"],
                columns={key: head for key, head in whole["columns"].items() if key in used},
                about=tuple(whole["about"]),
                notes=whole["notes"],
                rows=rows,
            )
        except KeyError as fault:
            raise Refusal(f"published: {fault.args[0]} is missing") from None
        except (AttributeError, TypeError, ValueError) as fault:
            raise Refusal(f"published: {fault}; see experiments/tables/published.py") from None

    def reference(self, row: Row) -> Figure | None:
        """Return the published figure that ours is compared with, or None."""
        found = [row.published[source] for source in self.sources if source in row.published]
        return found[-1] if found else None


def _expand(rows: list[dict[str, Any]], shared: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield single rows, each with the keys that it shares."""
    for row in rows:
        own = {**shared, **row}
        if "rows" in row:
            yield from _expand(own.pop("rows"), own)
        else:
            yield own


def _read_row(row: Mapping[str, Any], section: Mapping[str, Any]) -> Row:
    def check(kind: str, name: str, choices: Collection[str]) -> str:
        if name not in choices:
            hint = did_you_mean(name, list(choices))
            raise Refusal(f"published: {row.get('setup', row)}: unknown {kind} {name}{hint}")
        return name

    sources = section["sources"]
    for key in row:
        check("key", key, (*_KEYS, *sources))
    match, player = row.get("match", ""), row.get("player", "")
    named = section["matches"].get(match)
    columns = row.get("columns") or named or section["columns"]
    cells = {
        check("column", column, section["columns"]): (
            named[column] if named else match.format(column),
            player.format(column),
        )
        for column in (columns if match else ())
    }
    return Row(
        setup=str(row["setup"]),
        quantity=QUANTITIES[check("quantity", row["quantity"], QUANTITIES)],
        cells=cells,
        published={key: _read_figure(row[key]) for key in sources if key in row},
        notes=tuple(check("note", note, section["notes"]) for note in row.get("notes", ())),
    )


def _read_figure(written: Any) -> Figure:
    if isinstance(written, str):
        wins, games = written.split("/")
        return Figure.from_wins(int(wins), int(games))
    if isinstance(written, list):
        value, low, high = written if len(written) == 3 else (None, *written)
        return Figure(value, low, high)
    return Figure(written)
