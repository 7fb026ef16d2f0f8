"""Results on disk: one Parquet row per game and seat, written in parts during a run.

Parquet files cannot be appended to, so each flush writes a new file under a temporary name and
renames it: every ``games-*.parquet`` is complete, even after a power cut.  The same holds for rows
of details (`experiments.matches.details`), written before their games, and for records of single
games (`sim.records.record`).
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from experiments.matches import part_files
from experiments.matches.part_files import GAMES, MAX_AHEAD, parts, unreadable
from experiments.matches.row_provenance import RowProvenance
from experiments.matches.schedule import Match
from experiments.provenance.files import read_json, reading, write_text
from experiments.settings.commandline import Refusal
from experiments.texts import file_name

ROW = pa.schema(
    [
        ("match", pa.string()),  # name; a run may hold several
        ("game", pa.int64()),
        ("seat", pa.int64()),
        ("player", pa.string()),  # name of the planner or policy in the seat
        ("focal", pa.bool_()),  # whether the match measures this player
        ("won", pa.bool_()),
        ("out", pa.bool_()),  # accused wrongly
        ("suggestions", pa.int64()),
        ("decisions", pa.int64()),  # made by a planner; 0 for a compiled policy
        ("simulations", pa.int64()),
        ("search_seconds", pa.float64()),  # wall time of the seat's searches
        ("faults", pa.int64()),  # of an external program; 0 for all other players
        ("winner", pa.int64()),  # seat, -1 without a winner: all are out, or the turn cap
        ("turns", pa.int64()),  # over all players
        ("game_suggestions", pa.int64()),  # likewise
    ]
)
"""Columns of the results; the last three describe the game and are the same in all its seats.

On disk the columns `experiments.matches.row_provenance.KEYS` follow, in all kinds of parts.
"""

HELD = pa.schema(
    [
        (column.name, pa.dictionary(pa.int32(), column.type))
        if pa.types.is_string(column.type)
        else column
        for column in ROW
    ]
)
"""The same columns in memory, with numbers for names, which takes a third of the bytes."""

FLUSH_SECONDS = (5.0, 300.0)
"""Bounds of the age at which results are written, a hundredth of the run's: what a power cut can
cost, while a run of a day leaves some 500 parts."""

FLUSH_ROWS = 400_000
"""Maximum number of unwritten rows of games."""

_SETTLED_SECONDS = 2.0
"""Age of a folder's last change from which a further one has another time."""

UNPLAYED = -2
"""Winner of a game that has not been played."""

RECORDS = "records"
"""Folder in the run folder with the recorded games, one file each."""

STOPS = "stops.json"
"""File in the run folder with the last counted game of matches that a rule ended; games that were
under way at that moment do not count."""


@dataclass(frozen=True)
class Played:
    """Outcomes of some complete games.

    Attributes
    ----------
    rows : of games and seats (`HELD`)
    records : texts of the records kept, by game
    details : rows of other kinds, by kind
    """

    rows: pa.Table
    records: Mapping[int, str] = field(default_factory=dict)
    details: Mapping[str, pa.Table] = field(default_factory=dict)


class Tally:
    """Winners of the games of a match: one byte per game.

    Attributes ``games``: number of games played; ``reach``: number of the last one, plus one.
    """

    def __init__(self) -> None:
        self._winner = np.full(64, UNPLAYED, np.int8)
        self.games = self.reach = 0
        self._whole = 0

    def new(self, games: np.ndarray) -> np.ndarray:
        """Return (games,) bool, which of ``games`` are not in the tally yet."""
        self._make_room(games)
        return self._winner[games] == UNPLAYED

    def add(self, games: np.ndarray, winner: np.ndarray) -> None:
        """Add new ``games`` and their winners' seats."""
        self._make_room(games)
        self._winner[games] = winner
        self.games += len(games)
        self.reach = max(self.reach, int(games.max(initial=-1)) + 1)

    def take(self, holder: Callable[[int], Path], games: np.ndarray, winner: np.ndarray) -> None:
        """Add ``games`` of part files; ``holder`` returns the part that holds a game.

        Raises Refusal if a game is already there, or is too far ahead for any run.
        """
        last = int(games.max(initial=-1))
        if last > self.games + len(games) + MAX_AHEAD:
            fault = f"column game has {last:,}, without the games before it"
            raise unreadable(holder(last), ValueError(fault))
        if not (new := self.new(games)).all():
            twice = int(games[~new][0])
            fault = f"game {twice} is also in an earlier part"
            raise unreadable(holder(twice), ValueError(fault))
        self.add(games, winner)

    @property
    def prefix(self) -> int:
        """The number of games from the first on without a gap."""
        gaps = np.flatnonzero(self._winner[self._whole : self.reach] == UNPLAYED)
        self._whole = self._whole + int(gaps[0]) if len(gaps) else self.reach
        return self._whole

    def winner(self, games: int | None = None) -> np.ndarray:
        """Return the winners of the first ``games``, by default of all up to the last played.

        Each is a seat, -1 without a winner, or `UNPLAYED`.
        """
        games = self.reach if games is None else games
        found = np.full(games, UNPLAYED, np.int8)
        found[: self.reach] = self._winner[: min(self.reach, games)]
        return found

    def missing(self, first: int, end: int) -> np.ndarray:
        """Return the unplayed games among ``first`` to ``end`` - 1."""
        games = np.arange(first, end)
        known = games < self.reach
        known[known] = self._winner[games[known]] != UNPLAYED
        return games[~known]

    def has(self, games: int) -> bool:
        """Return whether the first ``games`` have all been played."""
        return self.prefix >= games

    @property
    def numbers(self) -> np.ndarray:
        """Numbers of the games that have been played."""
        return np.flatnonzero(self._winner[: self.reach] != UNPLAYED)

    def cut(self, games: int) -> None:
        """Forget all but the first ``games``."""
        self._winner[games:] = UNPLAYED
        played = self.numbers
        self.games, self.reach = len(played), int(played[-1]) + 1 if len(played) else 0

    def _make_room(self, games: np.ndarray) -> None:
        needed = int(games.max(initial=-1)) + 1
        if needed > len(self._winner):
            more = np.full(max(needed, 2 * len(self._winner)), UNPLAYED, np.int8)
            more[: len(self._winner)] = self._winner
            self._winner = more


def sat_and_won(match: Match, tally: Tally) -> tuple[np.ndarray, np.ndarray]:
    """Return the seating of the games played, and the winners' seats."""
    games = tally.numbers
    return match.seating.at(games), tally.winner()[games]


class Results:
    """The games of one run: winners in memory, rows on disk.  Each game counts once.

    ``folder``: of the run; ``matches``: that it plays.

    Attributes
    ----------
    tallies : by match
    slot : of this process among those that write there; names the parts it writes
    longest : maximum age of unwritten rows, in seconds
    """

    def __init__(self, folder: Path, matches: Sequence[Match]) -> None:
        self.folder = folder
        self.matches = list(matches)
        self.tallies = [Tally() for _ in matches]
        self._unwritten: dict[str, list[pa.Table]] = {GAMES: []}
        self._held = 0  # rows of games among them
        self._provenance: RowProvenance | None = None  # known once the folder holds its plan
        self._seen: set[str] = set()  # names of the parts taken in or written
        self._changed = -1.0  # of the folder, when its parts were listed last
        self.slot = 0
        self._began = self._flushed = time.monotonic()
        self.longest = FLUSH_SECONDS[1]

    @classmethod
    def resume(cls, folder: Path, matches: Sequence[Match], alone: bool = False) -> Self:
        """Return the results of ``matches`` in ``folder``, to be continued; empty if it has none.

        ``alone``: whether other matches are refused; else their rows are left alone.  Raises
        Refusal if a part cannot be read, or has rows impossible for these matches.
        """
        found = cls(folder, matches)
        stops(folder)  # needed at the end, when it is too late to refuse them
        found.refresh(alone)
        return found

    def refresh(self, alone: bool = False) -> None:
        """Take in the parts that were written since, by other processes; errors as `resume`."""
        changed = self.folder.stat().st_mtime if self.folder.exists() else 0.0
        if changed == self._changed and time.time() - changed > _SETTLED_SECONDS:
            return
        self._changed = changed
        known = {match.name: match for match in self.matches}
        new = [part for part in parts(self.folder) if part.name not in self._seen]
        for group in part_files.together(new):
            table = part_files.read_checked(group, ROW, known, GAMES, alone)
            table = table.filter(pc.equal(table["seat"], 0))
            for name, tally in zip(known, self.tallies, strict=True):
                these = table.filter(pc.equal(table["match"], name))
                holder = partial(part_files.find_holder, group, name)
                tally.take(holder, these["game"].to_numpy(), these["winner"].to_numpy())
            self._seen.update(part.name for part in group)

    def refuse_fewer(self, games: int) -> None:
        """Refuse to continue with ``games`` of each match if there are more."""
        played = max(tally.reach for tally in self.tallies)
        if games < played:
            raise Refusal(
                f"match.games={games}: {played} games were played in {self.folder}; give at least "
                "as many, or choose another folder"
            )

    def pairs(self) -> Iterator[tuple[Match, Tally]]:
        """Return the matches with their tallies."""
        return zip(self.matches, self.tallies, strict=True)

    def entrants(self) -> Iterator[tuple[Match, Tally, int]]:
        """Yield the measured player of each match, or each of a round robin."""
        for match, tally in self.pairs():
            for entrant in [0] if match.measured is not None else range(len(match.entrants)):
                yield match, tally, entrant

    @property
    def written(self) -> bool:
        """Whether all rows are on disk."""
        return not self._unwritten[GAMES]

    @property
    def games(self) -> int:
        """The games of all matches."""
        return sum(tally.games for tally in self.tallies)

    def add(self, match: int, played: Played) -> None:
        """Add games of match number ``match``; games already there are skipped.

        Raises OSError if they cannot be written.
        """
        tally, table = self.tallies[match], played.rows.cast(HELD)
        one = table.filter(pc.equal(table["seat"], 0))
        games = one["game"].to_numpy()
        new = tally.new(games)
        if not new.any():
            return
        details = dict(played.details)
        if not new.all():
            wanted = pa.array(games[new])
            table = table.filter(pc.is_in(table["game"], wanted))
            details = {
                kind: rows.filter(pc.is_in(rows["game"], wanted)) for kind, rows in details.items()
            }
        # Before the rows, so that no game has rows without its record.
        folder = self.folder / RECORDS
        if len(self.matches) > 1:
            folder /= file_name(self.matches[match].name)
        for game in sorted(played.records.keys() & set(games[new].tolist())):
            folder.mkdir(parents=True, exist_ok=True)
            write_text(folder / f"game-{game:06d}.jsonl", played.records[game])
        tally.add(games[new], one["winner"].to_numpy()[new])
        self._unwritten[GAMES].append(table)
        self._held += table.num_rows
        for kind, rows in details.items():
            self._unwritten.setdefault(kind, []).append(rows)
        now = time.monotonic()
        age = np.clip((now - self._began) / 100, FLUSH_SECONDS[0], self.longest)
        if now - self._flushed > age or self._held > FLUSH_ROWS:
            self.flush()

    def flush(self) -> None:
        """Write the rows not yet on disk as a new part.

        Raises OSError if that fails; nothing is then on disk, and the rows are kept for a retry.
        """
        if self._unwritten[GAMES]:
            # Games last: details without their games are overwritten after a crash.
            self._provenance = self._provenance or RowProvenance(self.folder, self.matches)
            part = part_files.next_part(self.folder, self.slot)
            for kind in sorted(self._unwritten, key=lambda kind: kind == GAMES):
                if tables := self._unwritten[kind]:
                    rows = self._provenance.add(pa.concat_tables(tables))
                    part_files.write(rows, part_files.with_kind(part, kind))
            self._seen.add(part.name)
            self._unwritten, self._held = {GAMES: []}, 0
        self._flushed = time.monotonic()

    def forget(self) -> None:
        """Drop the rows not on disk, after a failed `flush`."""
        found = Results.resume(self.folder, self.matches)
        self.tallies, self._seen = found.tallies, found._seen
        self._unwritten, self._held = {GAMES: []}, 0


def existing_parts(folder: Path, kind: str = GAMES) -> list[Path]:
    """Return `parts`; Refusal if there are none."""
    found = parts(folder, kind)
    if not found:
        raise Refusal(f"{folder} holds no {kind}-*.parquet: give the folder of a run")
    return found


def stops(folder: Path) -> dict[str, int]:
    """Return the number of counted games of each match that a rule ended early."""
    path = Path(folder) / STOPS
    if not path.exists():
        return {}
    from experiments.matches.run_schemas import (
        check,  # slow to import, and few runs have such a file
    )

    with reading(path, "remove it to count all games"):
        return check("stops", read_json(path))
