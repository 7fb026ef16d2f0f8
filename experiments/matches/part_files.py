"""Find, write, read and check the Parquet parts of a run folder.

A part is read only if it is a regular file, has the columns of its kind and no more rows than a run
writes at a time; its rows must be possible for its matches: whole games, each once, with the right
player in each seat.  Users of the rows need no further checks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from experiments.matches.schedule import Match
from experiments.provenance.files import atomic_write, regular
from experiments.settings.commandline import Refusal
from experiments.texts import printable, shorten

GAMES = "games"
"""Kind of the part files of games; other kinds belong to the games part of the same number."""

MAX_ROWS = 20_000_000
"""Row limit of a part; a run writes about 400,000 rows of games, and their details, at a time."""

MAX_BYTES = 4 * 2**30
"""Byte limit of a part, packed and unpacked."""

MAX_AHEAD = 10_000_000
"""Maximum number of games missing before the last; games are handed out in order."""

_MAY_BE_MISSING = frozenset(
    {"envelope", "envelope_before", "envelope_after", "value", "going_on", "accusing"}
)
"""Columns of bits that may be null because they could not be computed."""

_LARGEST = 2**53

_HAIR = 1e-6
"""Rounding tolerance: bits may be this much below 0."""

NAME = re.compile(r"(\w+)-(?:s\d{2,4}-)?(\d{5,9})(?:-(\d{5,9}))?\.parquet")
"""Kind of a part, the slot of its writer unless that is 0 (`experiments.matches.claims`), and its
number; a part of an older version may end with a last number."""

TOGETHER_BYTES = 8 * 2**20
"""Size limit of parts that are read together; larger ones are read alone."""

_TOGETHER = 1000

_FEW_ROWS = 100_000
"""Number of rows below which threads cost more than they gain."""


def parts(folder: Path, kind: str = GAMES) -> list[Path]:
    """Return the part files of ``kind`` in the run folder ``folder``, in order.

    Parts of details without their games do not count.
    """
    named = (path for path in Path(folder).glob(f"{kind}-*.parquet") if NAME.fullmatch(path.name))
    found = sorted(named, key=lambda part: (number_of(part), part.name))
    return found if kind == GAMES else [p for p in found if os.path.lexists(with_kind(p, GAMES))]


def number_of(part: Path) -> int:
    """Return the last number of a part file."""
    named = NAME.fullmatch(part.name)
    assert named is not None, part
    return int(named[3] or named[2])


def next_part(folder: Path, slot: int) -> Path:
    """Return the path of the next part of games of the process with ``slot``."""
    start = f"{GAMES}-s{slot:02d}-" if slot else f"{GAMES}-"
    own = [part for part in parts(folder) if part.name.removeprefix(start)[0].isdigit()]
    return folder / f"{start}{1 + max(map(number_of, own), default=-1):05d}.parquet"


def with_kind(part: Path, kind: str) -> Path:
    """Return the path of the rows of ``kind`` that belong to ``part``."""
    return part.with_name(kind + part.name[part.name.index("-") :])


def belonging(group: Sequence[Path], kind: str) -> list[Path]:
    """Return the parts of ``kind`` that belong to ``group``, including dangling links."""
    named = (with_kind(part, kind) for part in group)
    return [path for path in named if os.path.lexists(path)]


def size_of(part: Path, kinds: Sequence[str]) -> int:
    """Return the size in bytes of ``part`` and of its companions of other ``kinds``."""
    there = (part, *(with_kind(part, kind) for kind in kinds))
    return sum(path.stat().st_size for path in there if path.exists())


def together(found: Sequence[Path], kinds: Sequence[str] = ()) -> Iterator[list[Path]]:
    """Yield ``found`` in groups: several small parts with their companions, or one large part."""
    group: list[Path] = []
    held = 0
    for part in found:
        size = size_of(part, kinds)
        if group and (held + size > TOGETHER_BYTES or len(group) == _TOGETHER):
            yield group
            group, held = [], 0
        group.append(part)
        held += size
    if group:
        yield group


LATER = frozenset({"faults"})
"""Columns of counts that older runs lack; they read as 0."""


def read(part: Path, schema: pa.Schema, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the rows of a part, whose columns must be those of ``schema``.

    ``columns``: to read; None: all.  Raises Refusal if the part cannot be read or is another file.
    """
    try:
        regular(part, MAX_BYTES)
        with pq.ParquetFile(part) as file:
            _check_columns(file.schema_arrow, schema)
            held = file.metadata
            groups = (held.row_group(number) for number in range(held.num_row_groups))
            if held.num_rows > MAX_ROWS:
                raise ValueError(f"it claims {held.num_rows:,} rows; the limit is {MAX_ROWS:,}")
            if sum(group.total_byte_size for group in groups) > MAX_BYTES:
                raise ValueError("it claims too many bytes for a part")
            names = list(columns or schema.names)
            there = set(names).intersection(file.schema_arrow.names)
            table = file.read([*there], use_threads=held.num_rows > _FEW_ROWS)
            for name in set(names) - there:
                nothing = pa.array(np.zeros(table.num_rows, np.int64))
                table = table.append_column(schema.field(name), nothing)
            table = table.select(names)
        table.validate(full=True)
        return table
    except (OSError, ValueError, pa.ArrowException) as fault:
        raise unreadable(part, fault) from None


def write(rows: pa.Table, path: Path) -> None:
    """Write ``rows`` to the part ``path`` durably: they survive a power cut."""
    with atomic_write(path) as writing, writing.open("wb") as file:
        # Without its schema, so that names are read as text.
        pq.write_table(rows, file, store_schema=False)
        file.flush()
        os.fsync(file.fileno())


def read_checked(
    group: Sequence[Path],
    schema: pa.Schema,
    matches: Mapping[str, Match],
    kind: str,
    alone: bool = True,
) -> pa.Table:
    """Return the rows of several parts of ``kind``, each opened once, checked together.

    ``alone``: whether other matches are refused; else their rows are left out.  Raises Refusal,
    naming the part, if one cannot be read, has rows impossible for ``matches``, or repeats games of
    an earlier one.
    """
    tables = [read(part, schema) for part in group]
    rows = pa.concat_tables(tables).combine_chunks()
    if not alone:
        rows = rows.filter(pc.is_in(rows["match"], pa.array(matches, pa.string())))
    try:
        check_rows(group[0], rows, matches, kind)
    except Refusal:
        if len(group) == 1:
            raise
        seen: set[tuple[str, int]] = set()
        for part in group:  # find the faulty one
            table = read_checked([part], schema, matches, kind, alone)
            games = set(zip(table["match"].to_pylist(), table["game"].to_pylist(), strict=True))
            if twice := sorted(seen & games):
                fault = f"game {twice[0][1]} is also in an earlier part"
                raise unreadable(part, ValueError(fault)) from None
            seen |= games
        raise
    return rows


def find_holder(group: Sequence[Path], match: str, game: int) -> Path:
    """Return the games part of ``group`` that holds this game."""
    columns = pa.schema([("match", pa.string()), ("game", pa.int64())])
    there = (pc.field("match") == match) & (pc.field("game") == game)
    return next(part for part in group if read(part, columns).filter(there).num_rows)


def unreadable(part: Path, fault: BaseException) -> Refusal:
    """Return the Refusal for a ``part`` that cannot be read."""
    reason = shorten(str(fault).strip().partition("\n")[0], 300)
    return Refusal(
        f"{part} cannot be read ({reason}): remove it and resume the run, which plays its "
        "games again"
    )


def _check_columns(found: pa.Schema, schema: pa.Schema) -> None:
    for column in schema:
        if column.name in LATER and column.name not in found.names:
            continue
        if found.names.count(column.name) != 1:
            raise ValueError(f"column {column.name} is missing or duplicated")
        kind = found.field(column.name).type
        if kind != column.type:
            raise ValueError(f"column {column.name} holds {kind}, not {column.type}")


def check_rows(part: Path, table: pa.Table, matches: Mapping[str, Match], kind: str) -> None:
    """Refuse a part of ``kind`` whose rows are impossible for ``matches`` (by name).

    The Refusal names the column or the game.
    """
    try:
        for column in table.schema:
            _check_values(column.name, table[column.name])
        for name in pc.unique(table["match"]).to_pylist():
            if name not in matches:
                raise ValueError(f"column match: this run has no match {name!r}")
            rows = table.filter(pc.equal(table["match"], name))
            _check_seats(matches[name], rows)
            if kind == GAMES:
                _check_games(matches[name], rows)
    except (ValueError, pa.ArrowException) as fault:
        raise unreadable(part, fault) from None


def _check_values(name: str, values: pa.ChunkedArray) -> None:
    if values.null_count and name not in _MAY_BE_MISSING:
        raise ValueError(f"column {name} has null values")
    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_boolean(kind) or not len(values):
        return
    if pa.types.is_floating(kind) and pc.all(pc.is_finite(values)).as_py() not in (True, None):
        raise ValueError(f"column {name} has a NaN or infinite value")
    lowest, highest = pc.min_max(values).as_py().values()
    floor: float = -1 if name in ("winner", "answered_by") else 0
    floor -= _HAIR if pa.types.is_floating(kind) else 0
    if lowest is not None and not floor <= lowest <= highest < _LARGEST:
        raise ValueError(f"column {name} has {lowest} to {highest}; the minimum is {floor:.0f}")


def _check_seats(match: Match, rows: pa.Table) -> None:
    """Check that each row's seat is one of the match and its player is the one sitting there."""
    game, seat = rows["game"].to_numpy(), rows["seat"].to_numpy()
    if seat.max() >= match.players:
        raise ValueError(f"column seat: {printable(match.name)} has {match.players} seats")
    labels = pa.array(match.labels)
    sits = labels.take(pa.array(match.seating.at(game)[np.arange(len(game)), seat]))
    wrong = np.flatnonzero(~pc.equal(sits, rows["player"].combine_chunks()).to_numpy(False))
    if len(wrong):
        at = int(wrong[0])
        raise ValueError(
            f"column player: in game {game[at]} of {printable(match.name)} seat {seat[at]} is "
            f"{sits[at].as_py()}'s"
        )


def _check_games(match: Match, rows: pa.Table) -> None:
    """Check that each game is complete, unique, and consistent over its seats."""
    game, seat, players = rows["game"].to_numpy(), rows["seat"].to_numpy(), match.players
    order = np.lexsort((seat, game))
    if len(order) % players or (seat[order].reshape(-1, players) != np.arange(players)).any():
        raise ValueError(f"a game of {printable(match.name)} has a duplicate or missing seat")
    numbers = game[order].reshape(-1, players)
    if (numbers != numbers[:, :1]).any():
        raise ValueError(f"a game of {printable(match.name)} has a duplicate or missing seat")
    for column in ("winner", "turns", "game_suggestions"):
        values = rows[column].to_numpy()[order].reshape(-1, players)
        if (values != values[:, :1]).any():
            raise ValueError(f"column {column} differs between the seats of one game")
    winner = rows["winner"].to_numpy()
    if winner.max(initial=-1) >= players:
        raise ValueError(f"column winner: {printable(match.name)} has {players} seats")
    won = rows["won"].combine_chunks().to_numpy(zero_copy_only=False)
    if (won != (winner == seat)).any():
        raise ValueError("column won contradicts the column winner")
