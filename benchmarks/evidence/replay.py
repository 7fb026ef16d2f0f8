"""Replay the first games, episodes or units of kept rows: are they still the same?"""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs
from rich.console import Console

from benchmarks.evidence import playing
from benchmarks.evidence.listing import STUDY, Evidence
from experiments.episodes import report
from experiments.matches import startup
from experiments.matches.background import Background
from experiments.matches.row_provenance import KEYS, MATCHES_FILE
from experiments.provenance.files import CONFIG, read_yaml
from experiments.runs import rows, runfolder
from experiments.settings.commandline import Interrupted, Refusal
from experiments.tables import play

_INTERRUPTED = "interrupted; what was compared before is noted"

_OF_THE_MACHINE = ("search_seconds", *KEYS.names)
"""Columns that may differ between equal games."""

_QUIET = Console(quiet=True)

GAME, EPISODE = ("match", "game", "seat"), ("cell", "episode")
"""Keys of rows: match, number, and other distinguishing columns."""


def replay_all(
    chosen: Sequence[Evidence], number: int, cores: int
) -> Iterator[tuple[Evidence, int, str | None]]:
    """Yield each of ``chosen`` with the result of `replay`, as they end.

    ``cores`` processes play, each one game at a time.  Raises as `replay`.
    """
    context = multiprocessing.get_context("spawn")  # Ray and Numba have threads
    with ProcessPoolExecutor(max(1, min(cores, len(chosen))), context) as pool:
        waiting = {pool.submit(replay, replace(one), number): one for one in chosen}
        try:
            for ended in as_completed(waiting):
                yield waiting[ended], *ended.result()
        finally:
            pool.shutdown(cancel_futures=True)


def replay(evidence: Evidence, number: int) -> tuple[int, str | None]:
    """Replay the first ``number`` games of each match, or units of a study or its cells.

    Returns the number played, and where the first differs, None if all are equal.  Raises
    Interrupted on Ctrl-C, Refusal if a match or a study can no longer be played.
    """
    if evidence.kind != STUDY:
        return _replay_games(evidence.rows, number)
    if evidence.in_cells:
        return _replay_episodes(evidence.rows, number)
    return _replay_study(evidence, number)


def _replay_study(evidence: Evidence, number: int) -> tuple[int, str | None]:
    """Measure the first ``number`` units of a study again, by its command."""
    with tempfile.TemporaryDirectory() as place:
        command = f"{evidence.command} {evidence.units}={number}"
        again = playing.play_part(evidence, command, Path(place), _QUIET)
        if again is None:
            raise Interrupted(_INTERRUPTED)
        (path,) = again.glob("*.parquet")
        return number, find_other(evidence.rows / path.name, path)


def find_other(kept: Path, again: Path) -> str | None:
    """Return the first row of ``again`` that ``kept`` lacks; None if it has them all.

    Columns of times are ignored.
    """
    known, made = (
        pl.read_parquet(path.read_bytes()).drop(cs.contains("seconds")) for path in (kept, again)
    )
    rows = {repr(row) for row in known.iter_rows()}
    other = next(
        (row for row in made.iter_rows(named=True) if repr((*row.values(),)) not in rows), None
    )
    return None if other is None else f"no kept row is {other}"


def _replay_episodes(folder: Path, episodes: int) -> tuple[int, str | None]:
    settings = read_yaml(folder / CONFIG)
    how = {name: settings[name] for name in ("simulations", "particles", "seed")}
    kept = pl.read_parquet((folder / report.CELL_ROWS.file).read_bytes()).filter(
        pl.col("episode") < episodes
    )
    again: list[dict[str, Any]] = []
    for cell, numbers in kept.group_by("cell", maintain_order=True).agg("episode").iter_rows():
        try:  # in another thread, because it compiles
            again += Background(_play_cell, cell, numbers, how, stays=False).result()
        except KeyboardInterrupt:
            raise Interrupted(_INTERRUPTED) from None
    made = pl.DataFrame(again, report.CELL_ROWS.schema)
    return compare(kept.drop("seconds"), made, EPISODE)


def _play_cell(cell: str, numbers: list[int], how: dict[str, int]) -> list[dict[str, Any]]:
    return list(report.play(cell, numbers, **how))


def _replay_games(folder: Path, games: int) -> tuple[int, str | None]:
    played, first = 0, None
    for path in sorted(folder.rglob(MATCHES_FILE)):
        number, differs = _replay_run(path.parent, games)
        played, first = played + number, first or differs
    return played, first


def _replay_run(folder: Path, games: int) -> tuple[int, str | None]:
    matches = runfolder.read_matches(folder, completed=True)
    for match in matches:
        play.check_match(match, match.name)
    with tempfile.TemporaryDirectory() as place:
        again = Path(place) / "run"
        runfolder.claim(again, matches, "games")
        resources = startup.prepare(matches, 1, None, _QUIET)
        ended = play.play_games(again, matches, games, resources, _QUIET)
        if ended.fault is not None:
            raise Refusal(str(ended.fault))
        if ended.interrupted:
            raise Interrupted(_INTERRUPTED)
        return compare(_first(folder, games), _first(again, games), GAME)


def _first(folder: Path, games: int) -> pl.DataFrame:
    found = rows.by_part(folder, "games", lambda part: part.filter(pl.col("game") < games))
    columns = [name for name in found.columns if name not in _OF_THE_MACHINE]
    return found.select(columns).sort("match", "game", "seat")


def compare(kept: pl.DataFrame, again: pl.DataFrame, keys: Sequence[str]) -> tuple[int, str | None]:
    """Return the number of games in both, and where the first differs, if any.

    ``keys``: `GAME`, or `EPISODE` for episodes.
    """
    where, unit, *_ = keys
    both = kept.join(again, on=keys, suffix=" again")
    played = both.select(where, unit).unique().height
    for column in (name for name in kept.columns if name not in keys and name in again.columns):
        other = both.filter(pl.col(column).ne_missing(pl.col(f"{column} again")))
        if other.height:
            row = other.row(0, named=True)
            was, now = row[column], row[f"{column} again"]
            return played, f"{unit} {row[unit]} of {row[where]}: {column} was {was} and is {now}"
    return played, None
