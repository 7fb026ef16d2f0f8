"""Merge small parts of a run into larger ones, so that a long run leaves tens of files.

A merged part holds the rows of its parts in order and is named by their first and last number.
Once the merged games have that name, the parts that it covers no longer count
(`experiments.matches.part_files`), so a kill at any time loses no row and counts none twice.  Only
the driver of a run merges; a concurrent reader finds a part missing, and retries.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from experiments.matches.part_files import (
    GAMES,
    LATER,
    NAME,
    TOGETHER_BYTES,
    all_parts,
    belonging,
    counting,
    covers,
    parts,
    size_of,
    span_of,
)
from experiments.provenance.files import atomic_write, regular
from experiments.settings.commandline import Refusal

TOGETHER = 32
"""Number of parts of the same merge level that are merged into one."""

MAX_MERGES = 4
"""Maximum merges after each written part: a long unmerged run is merged gradually."""


def merge_parts(folder: Path) -> None:
    """Merge small parts in ``folder`` and remove those covered; for the run's driver only.

    Parts that cannot be read or written stay as they are.
    """
    with suppress(OSError, ValueError, pa.ArrowException, Refusal):
        found = {named[1] for path in folder.iterdir() if (named := NAME.fullmatch(path.name))}
        details = sorted(found - {GAMES})
        for _ in range(MAX_MERGES):
            if (group := _find_group(folder, details)) is None:
                break
            # Games last: until then the parts of details belong to the unmerged games.
            for kind in (*details, GAMES):
                if of_kind := belonging(group, kind):
                    write_merged(of_kind, merged_path(folder, kind, group))
        _remove_covered(folder, (*details, GAMES))


def merged_path(folder: Path, kind: str, group: Sequence[Path]) -> Path:
    """Return the path in ``folder`` of merged rows of ``kind`` for the parts ``group``."""
    first, last = span_of(group[0])[0], span_of(group[-1])[1]
    return folder / f"{kind}-{first:05d}-{last:05d}.parquet"


def write_merged(group: Sequence[Path], path: Path) -> None:
    """Write the rows of ``group`` to ``path`` atomically."""
    tables = []
    for part in group:
        regular(part, TOGETHER_BYTES)
        with pq.ParquetFile(part) as file:
            table = file.read(use_threads=False)
        for name in LATER.difference(table.column_names) if path.name.startswith(GAMES) else ():
            table = table.append_column(name, pa.array(np.zeros(table.num_rows, np.int64)))
        tables.append(table)
    write_part(pa.concat_tables(tables, promote_options="default"), path)


def write_part(rows: pa.Table, path: Path) -> None:
    """Write ``rows`` to the part ``path`` durably: they survive a power cut."""
    with atomic_write(path) as writing, writing.open("wb") as file:
        # Without its schema, so that names are read as text.
        pq.write_table(rows, file, store_schema=False)
        file.flush()
        os.fsync(file.fileno())


def _find_group(folder: Path, details: Sequence[str]) -> list[Path] | None:
    """Return the first run of game parts to merge: enough small ones of equal width."""
    group: list[tuple[Path, int]] = []
    for part in parts(folder):
        if group and _width(part) != _width(group[0][0]):
            group = []
        group = [*group, (part, size_of(part, details))][-TOGETHER:]
        if len(group) == TOGETHER and sum(size for _, size in group) <= TOGETHER_BYTES:
            return [part for part, _ in group]
    return None


def _width(part: Path) -> int:
    """Return the digits of the count of part numbers in a part; each merge adds one."""
    first, last = span_of(part)
    return len(np.base_repr(last - first + 1, TOGETHER))


def _remove_covered(folder: Path, kinds: Sequence[str]) -> None:
    """Remove parts whose rows are also in merged ones."""
    spans = counting(folder)
    named = [path for kind in kinds for path in all_parts(folder, kind)]
    covered = [path for path in named if covers(spans, span_of(path))]
    if covered:
        handle = os.open(folder, os.O_RDONLY)
        os.fsync(handle)  # the new names first
        os.close(handle)
    for path in covered:
        path.unlink()
