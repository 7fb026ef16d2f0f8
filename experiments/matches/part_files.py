"""Parquet parts of a run folder: found, read and checked.

A part is read only if it is a file, has the columns of its kind and no more rows than a run writes
at a time; its rows must be those that its matches could have: whole games, each once, with the
players where they sit.  So readers of the rows need not look again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from experiments.matches.schedule import Match
from experiments.provenance.files import regular
from experiments.settings.commandline import Refusal
from experiments.texts import printable, shorten

GAMES = "games"
"""Kind of the part files of games and seats; others belong to its part of the same number."""

MOST_ROWS = 20_000_000
"""Of a part: a run writes down some 400,000 rows of games at a time, and what belongs to them."""

MOST_BYTES = 4 * 2**30
"""Of a part, and of what it is unpacked."""

MOST_AHEAD = 10_000_000
"""Games that may be missing before the last: they are handed out in order."""

_MAY_BE_MISSING = frozenset(
    {"envelope", "envelope_before", "envelope_after", "value", "going_on", "accusing"}
)
"""Columns of bits that nobody could compute."""

_LARGEST = 2**53

_HAIR = 1e-6
"""By which rounding may put bits below 0."""


def parts(folder: Path, kind: str = GAMES) -> list[Path]:
    """Return the part files of ``kind`` in the run folder ``folder``, in order."""
    there = Path(folder).glob(f"{kind}-*.parquet")
    named = (path for path in there if re.fullmatch(r"\w+-\d{5,9}\.parquet", path.name))
    found = sorted((number_of(path), path) for path in named)
    if kind == GAMES:
        return [path for _, path in found]
    of_games = {number_of(part) for part in parts(folder)}
    return [path for number, path in found if number in of_games]


def number_of(part: Path) -> int:
    """Return the number of a part file."""
    return int(part.stem.rpartition("-")[2])


LATER = frozenset({"faults"})
"""Columns of counts that runs made before have not: they read as 0."""


def read(part: Path, schema: pa.Schema, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the rows of a part whose columns are those of ``schema``.

    ``columns``: that are wanted; None for all.  Raises Refusal if it cannot be read, or is another
    file.
    """
    try:
        regular(part, MOST_BYTES)
        with pq.ParquetFile(part) as file:
            _check_columns(file.schema_arrow, schema)
            held = file.metadata
            groups = (held.row_group(number) for number in range(held.num_row_groups))
            if held.num_rows > MOST_ROWS:
                raise ValueError(f"it claims {held.num_rows:,} rows, {MOST_ROWS:,} are the limit")
            if sum(group.total_byte_size for group in groups) > MOST_BYTES:
                raise ValueError("it claims more bytes than any part has")
            names = list(columns or schema.names)
            there = [name for name in names if name in file.schema_arrow.names]
            table = file.read(there)
            for name in set(names).difference(there):
                nothing = pa.array(np.zeros(table.num_rows, np.int64))
                table = table.append_column(schema.field(name), nothing)
            table = table.select(names)
        table.validate(full=True)
        return table
    except (OSError, ValueError, pa.ArrowException) as fault:
        raise unreadable(part, fault) from None


def unreadable(part: Path, fault: BaseException) -> Refusal:
    """Return what to say of a ``part`` that cannot be read."""
    reason = shorten(str(fault).strip().partition("\n")[0], 300)
    return Refusal(
        f"{part} cannot be read ({reason}): remove it, and its games are played again when the "
        "run goes on"
    )


def _check_columns(found: pa.Schema, schema: pa.Schema) -> None:
    for column in schema:
        if column.name in LATER and column.name not in found.names:
            continue
        if found.names.count(column.name) != 1:
            raise ValueError(f"column {column.name} is missing, or there twice")
        kind = found.field(column.name).type
        if kind != column.type:
            raise ValueError(f"column {column.name} holds {kind}, not {column.type}")


def check_rows(part: Path, table: pa.Table, matches: Mapping[str, Match], kind: str) -> None:
    """Refuse a part of ``kind`` whose rows none of ``matches``, by name, could have.

    Raises Refusal with the column, or the game.
    """
    try:
        for column in table.schema:
            _check_values(column.name, table[column.name])
        for name in pc.unique(table["match"]).to_pylist():
            if name not in matches:
                raise ValueError(f"column match: there is no match {name!r} in this run")
            rows = table.filter(pc.equal(table["match"], name))
            _check_seats(matches[name], rows)
            if kind == GAMES:
                _check_games(matches[name], rows)
    except (ValueError, pa.ArrowException) as fault:
        raise unreadable(part, fault) from None


def _check_values(name: str, values: pa.ChunkedArray) -> None:
    if values.null_count and name not in _MAY_BE_MISSING:
        raise ValueError(f"column {name} has gaps")
    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_boolean(kind) or not len(values):
        return
    if pa.types.is_floating(kind) and pc.all(pc.is_finite(values)).as_py() not in (True, None):
        raise ValueError(f"column {name} has a value that is no number")
    least, most = pc.min_max(values).as_py().values()
    floor: float = -1 if name in ("winner", "answered_by") else 0
    floor -= _HAIR if pa.types.is_floating(kind) else 0
    if least is not None and not floor <= least <= most < _LARGEST:
        raise ValueError(f"column {name} has {least} to {most}, {floor:.0f} is the least")


def _check_seats(match: Match, rows: pa.Table) -> None:
    """Ask that each row is of a seat of the match, and of the player who sits there."""
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
    """Ask that each game is whole, there once, and the same in all its seats."""
    game, seat, players = rows["game"].to_numpy(), rows["seat"].to_numpy(), match.players
    order = np.lexsort((seat, game))
    if len(order) % players or (seat[order].reshape(-1, players) != np.arange(players)).any():
        raise ValueError(f"a game of {printable(match.name)} has a seat twice, or not at all")
    numbers = game[order].reshape(-1, players)
    if (numbers != numbers[:, :1]).any():
        raise ValueError(f"a game of {printable(match.name)} has a seat twice, or not at all")
    for column in ("winner", "turns", "game_suggestions"):
        values = rows[column].to_numpy()[order].reshape(-1, players)
        if (values != values[:, :1]).any():
            raise ValueError(f"column {column} differs between the seats of one game")
    winner = rows["winner"].to_numpy()
    if winner.max(initial=-1) >= players:
        raise ValueError(f"column winner: {printable(match.name)} has {players} seats")
    won = rows["won"].combine_chunks().to_numpy(zero_copy_only=False)
    if (won != (winner == seat)).any():
        raise ValueError("column won does not fit the column winner")
