"""From rows to views: one list of fields defines the columns of the page and of the CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.stats.intervals import columns
from experiments.tabular import Column, Table


@dataclass(frozen=True)
class Field:
    """A number or text shown for each item.

    ``cell``: a key, an attribute or a function of the item; ``column``: on the page; None: in the
    CSV only; ``csv``: name of its column in the CSV; None: on the page only; ``bounds``: for an
    estimate (or None in its place): the part of the CSV column names between ``csv`` and ``low`` or
    ``high``; None for anything else.
    """

    cell: str | Callable[[Any], Any]
    column: Column | str | None = None
    csv: str | None = None
    bounds: str | None = None

    def of(self, item: Any) -> Any:
        """Return the value for ``item``."""
        if callable(self.cell):
            return self.cell(item)
        return item[self.cell] if isinstance(item, Mapping) else getattr(item, self.cell)


def show(
    title: str, items: Iterable[Any], fields: Sequence[Field], notes: Sequence[str] = ()
) -> tuple[Table, list[dict[str, Any]]]:
    """Return the table ``title`` with one row per item, and the rows of a CSV."""
    listed = list(items)
    shown = [field for field in fields if field.column is not None]
    table = Table(
        title,
        [field.column or "" for field in shown],
        [[field.of(item) for field in shown] for item in listed],
        notes,
    )
    return table, [record(item, fields) for item in listed]


def record(item: Any, fields: Iterable[Field]) -> dict[str, Any]:
    """Return the CSV row of ``item``."""
    found: dict[str, Any] = {}
    for field in fields:
        if field.csv is not None:
            value = field.of(item)
            found |= (
                {field.csv: value}
                if field.bounds is None
                else columns(field.csv, value, field.bounds)
            )
    return found
