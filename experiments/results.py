"""Results on disk: one Parquet row a game and seat, written in parts while a run goes on.

Parquet cannot be appended to, so each flush is a file of its own, written under another name and
then renamed: whatever is called ``games-*.parquet`` is whole, also after a power cut.  So are the
records of single games (`sim.record`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from experiments.commandline import Refusal

ROW = pa.schema(
    [
        ("game", pa.int64()),
        ("seat", pa.int64()),
        ("player", pa.string()),  # name of the planner or policy in the seat
        ("focal", pa.bool_()),  # whether this is the seat that the run measures
        ("won", pa.bool_()),
        ("out", pa.bool_()),  # accused wrongly
        ("suggestions", pa.int64()),
        ("decisions", pa.int64()),  # made by a planner; 0 for a compiled policy
        ("simulations", pa.int64()),
        ("search_seconds", pa.float64()),  # wall time of the seat's searches
        ("winner", pa.int64()),  # seat, -1 if nobody won: all are out, or the turn cap
        ("turns", pa.int64()),  # of all players together
        ("game_suggestions", pa.int64()),  # likewise
    ]
)
"""Columns of the results; the last three are those of the game, the same in all its seats."""

FLUSH_SECONDS = 5.0
"""Oldest that unwritten results get: what a power cut or ``kill -9`` may cost."""

SUMMARY = "summary.json"

RECORDS = "records"
"""Folder in the run folder with the games that are written down, a file each."""


class Played(NamedTuple):
    """What some whole games came to: their rows, and the texts of the records kept, by game."""

    rows: pa.Table
    records: dict[int, str]


def claim(folder: Path) -> None:
    """Make sure that ``folder`` can be written to and holds no other run.

    Raises
    ------
    Refusal
        If either is not so.
    """
    if (folder / SUMMARY).exists() or any(folder.glob("games-*.parquet")):
        raise Refusal(f"{folder} holds the results of another run: choose another run.folder")
    probe = folder / ".probe"
    try:
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as fault:
        raise Refusal(
            f"cannot write to the run folder: {folder}: {fault.strerror}; set run.folder"
        ) from None


class Results:
    """The games of one run: counts in memory, rows on disk.  Each game counts once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.games = 0
        self.wins = 0
        self._played: set[int] = set()
        self._unwritten: list[pa.Table] = []
        self._parts = 0
        self._flushed = time.monotonic()

    @classmethod
    def resumed(cls, folder: Path) -> Results:
        """Return the results in ``folder``, to go on with; none if it holds none."""
        found = cls(folder)
        parts = sorted(folder.glob("games-*.parquet"))
        if parts:
            table = read(folder)
            found._played = set(table["game"].to_pylist())
            found.games = len(found._played)
            found.wins = pc.sum(pc.and_(table["focal"], table["won"])).as_py()
            found._parts = 1 + max(int(part.stem.rpartition("-")[2]) for part in parts)
        return found

    @property
    def numbers(self) -> frozenset[int]:
        """The games that are there."""
        return frozenset(self._played)

    def add(self, table: pa.Table, records: Mapping[int, str] | None = None) -> None:
        """Take in the rows and records of whole games; games already there are passed over."""
        games = table["game"].to_numpy()
        new = np.array([game not in self._played for game in games.tolist()], bool)
        if not new.all():
            table = table.filter(pa.array(new))
        if not table.num_rows:
            return
        # Before the rows, so that no game has rows without its record.
        for game in sorted((records or {}).keys() - self._played):
            self._write_record(game, records[game])
        self._played.update(table["game"].to_pylist())
        self.games = len(self._played)
        self.wins += pc.sum(pc.and_(table["focal"], table["won"])).as_py()
        self._unwritten.append(table)
        if time.monotonic() - self._flushed > FLUSH_SECONDS:
            self.flush()

    def _write_record(self, game: int, text: str) -> None:
        folder = self.folder / RECORDS
        folder.mkdir(exist_ok=True)
        name = f"game-{game:06d}.jsonl"
        writing = folder / f".{name}.writing"
        writing.write_text(text)
        writing.replace(folder / name)

    def flush(self) -> None:
        """Write what is not on disk yet as one more part."""
        if self._unwritten:
            name = f"games-{self._parts:05d}.parquet"
            writing = self.folder / f".{name}.writing"
            pq.write_table(pa.concat_tables(self._unwritten), writing)
            writing.replace(self.folder / name)
            self._parts += 1
            self._unwritten = []
        self._flushed = time.monotonic()

    def read(self) -> pa.Table:
        """Return the rows written so far, by game and seat; empty if there are none."""
        return read(self.folder) if self._parts else ROW.empty_table()


def read(folder: Path) -> pa.Table:
    """Return all rows of the run in ``folder``, by game and seat, whatever order they came in.

    Raises
    ------
    Refusal
        If there are none.
    """
    parts = sorted(Path(folder).glob("games-*.parquet"))
    if not parts:
        raise Refusal(f"{folder} holds no games-*.parquet: give the folder of a run")
    table = pa.concat_tables([pq.read_table(part, schema=ROW) for part in parts])
    return table.sort_by([("game", "ascending"), ("seat", "ascending")])


def focal_rows(table: pa.Table) -> pa.Table:
    """Return the rows of the measured player, one a game."""
    return table.filter(table["focal"])
