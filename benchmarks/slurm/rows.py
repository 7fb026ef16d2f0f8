"""Rows that commands leave in a folder, without times and provenance."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

from experiments.matches.part_files import GAMES

COLUMNS = ["match", "game", "seat", "player", "won", "out", "suggestions", "winner", "turns"]


def read(folder: Path) -> Counter[tuple]:
    """Return how often each row is in the part files below ``folder``; once, if all is well."""
    counts: Counter[tuple] = Counter()
    for path in folder.rglob(f"{GAMES}-*.parquet"):
        where = path.parent.relative_to(folder).as_posix()
        table = pq.ParquetFile(path).read(COLUMNS)
        counts.update((where, *row.values()) for row in table.to_pylist())
    return counts


def compare(found: Counter[tuple], wanted: Counter[tuple]) -> tuple[int, int, int]:
    """Return how many rows are lost, doubled and changed: there, but not among those wanted."""
    lost = (wanted - found).total()
    doubled = sum(count - 1 for count in found.values())
    return lost, doubled, sum(row not in wanted for row in found)
