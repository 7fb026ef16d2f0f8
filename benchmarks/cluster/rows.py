"""Rows that commands leave in a folder, without times, ids and origin, as one digest."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

_KEPT = {
    "games": ("match", "game", "seat", "player", "won", "out", "suggestions", "winner", "turns"),
    "episodes": ("episode", "return", "actions", "deprived"),
}
"""Columns by the prefix of a file's name."""


@dataclass(frozen=True)
class Rows:
    """Rows of all files below a folder."""

    counts: Counter[str]
    """Count of each row, as text; each should occur once."""

    @property
    def number(self) -> int:
        """Number of rows, with duplicates."""
        return self.counts.total()

    @property
    def digest(self) -> str:
        """Digest of the rows, independent of their order."""
        state = hashlib.sha256()
        for row, count in sorted(self.counts.items()):
            state.update(f"{row} {count}\n".encode())
        return state.hexdigest()[:16]


def read(folder: Path) -> Rows:
    """Return the rows of all part files below ``folder``."""
    counts: Counter[str] = Counter()
    for kind, columns in _KEPT.items():
        for path in sorted(folder.rglob(f"{kind}*.parquet")):
            table = pq.read_table(path)
            where = path.parent.relative_to(folder).as_posix()
            counts.update(f"{where} {row}" for row in _texts(table.select(columns)))
    return Rows(counts)


def _texts(table: pa.Table) -> list[str]:
    return [repr(tuple(row.values())) for row in table.to_pylist()]


def compare(found: Rows, wanted: Rows) -> tuple[int, int, int]:
    """Return how many rows are lost, duplicated and changed: present but not wanted."""
    lost = (wanted.counts - found.counts).total()
    doubled = sum(count - 1 for count in found.counts.values())
    changed = sum(1 for row in found.counts if row not in wanted.counts)
    return lost, doubled, changed
