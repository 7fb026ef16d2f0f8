"""Playing the first games of kept rows again, to see whether the code still plays them so."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl
from rich.console import Console

from experiments.matches import startup
from experiments.matches.origins import KEYS, MATCHES_FILE
from experiments.matches.results import Results
from experiments.runs import rows, runfolder
from experiments.settings.commandline import Interrupted, Refusal
from experiments.tables import play

_OF_THE_MACHINE = ("search_seconds", *KEYS.names)
"""Columns in which equal games may differ."""


def replay(folder: Path, games: int, console: Console) -> tuple[int, str | None]:
    """Play the first ``games`` of each match kept in ``folder`` again.

    Returns how many were played, and where the first differs, None if all came again.  Raises
    Interrupted on Ctrl-C, Refusal if a match cannot be played any more.
    """
    played, first = 0, None
    for path in sorted(folder.rglob(MATCHES_FILE)):
        number, differs = _replay_run(path.parent, games, console)
        played, first = played + number, first or differs
    return played, first


def _replay_run(folder: Path, games: int, console: Console) -> tuple[int, str | None]:
    matches = runfolder.read_matches(folder, completed=True)
    for match in matches:
        play.check_match(match, match.name)
    with tempfile.TemporaryDirectory() as place:
        again = Path(place) / "run"
        runfolder.claim(again, matches, "games", resume=False)
        resources = startup.prepare(matches, None, None, console, games * len(matches))
        ended = play.play_games(Results.resume(again, matches), games, resources, console)
        if ended.fault is not None:
            raise Refusal(str(ended.fault))
        if ended.interrupted:
            raise Interrupted("interrupted; what was compared before is noted")
        return compare(_first(folder, games), _first(again, games))


def _first(folder: Path, games: int) -> pl.DataFrame:
    """Return the rows of the first ``games`` of each match."""
    found = rows.by_part(folder, "games", lambda part: part.filter(pl.col("game") < games))
    columns = [name for name in found.columns if name not in _OF_THE_MACHINE]
    return found.select(columns).sort("match", "game", "seat")


def compare(kept: pl.DataFrame, again: pl.DataFrame) -> tuple[int, str | None]:
    """Return the number of games that both hold, and where the first differs, if one does."""
    keys = ["match", "game", "seat"]
    both = kept.join(again, on=keys, suffix=" again")
    games = both.select("match", "game").unique().height
    for column in (name for name in kept.columns if name not in keys and name in again.columns):
        other = both.filter(pl.col(column).ne_missing(pl.col(f"{column} again")))
        if other.height:
            row = other.row(0, named=True)
            was, now = row[column], row[f"{column} again"]
            return games, f"game {row['game']} of {row['match']}: {column} was {was} and is {now}"
    return games, None
