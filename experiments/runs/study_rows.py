"""Rows that a study keeps in its folder, which may come from elsewhere: validated when read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.provenance.files import MAX_BYTES, regular

if TYPE_CHECKING:
    import polars as pl

MAX_ROWS = 10_000_000
"""Maximum number of rows of a study that is resumed."""


@dataclass(frozen=True)
class Rows:
    """Schema of the rows that a study keeps.

    Attributes
    ----------
    file : Parquet file
    units : word for the units measured, plural
    schema : column to data type
    more : settings that may change on resuming: they set the number of units
    min_units : units required before there is anything to report
    numbered : column with the unit's number, if units end in any order
    """

    file: str
    units: str
    schema: Mapping[str, pl.DataType | type[pl.DataType]]
    more: tuple[str, ...]
    min_units: int = 1
    numbered: str | None = None


def read_kept(path: Path, like: pl.DataFrame) -> tuple[list[Any], pl.DataFrame]:
    """Return the finished units and their rows, with the columns of ``like``.

    Raises OSError, ValueError if ``path`` holds something else.
    """
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    regular(path, MAX_BYTES)
    try:
        with pq.ParquetFile(path) as file:
            if file.metadata.num_rows > MAX_ROWS:
                raise ValueError(f"it claims {file.metadata.num_rows:,} rows")
            done = json.loads((file.metadata.metadata or {}).get(b"done", b"null"))
            found = pl.DataFrame(pl.from_arrow(file.read()))
    except (pa.ArrowException, RecursionError, pl.exceptions.PolarsError) as fault:
        raise ValueError(str(fault)) from None
    if not isinstance(done, list) or not all(isinstance(unit, int | str) for unit in done):
        raise ValueError("it does not say which units are done")
    for name, kind in like.schema.items():
        if found.schema.get(name) != kind:
            raise ValueError(f"column {name} holds {found.schema.get(name)}, not {kind}")
    found = found.select(like.columns)
    for name in found.select(pl.col(pl.Float64)).columns:
        if not found[name].is_finite().all():
            raise ValueError(f"column {name} has a NaN or infinite value")
    return done, found
