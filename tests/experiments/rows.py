"""Rows of a run folder, all at once and the matches and games that make them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from experiments.matches import part_files, play, results
from experiments.matches.details import KINDS
from experiments.matches.part_files import GAMES
from experiments.matches.results import ROW, Results
from experiments.matches.schedule import Match, Seating
from experiments.runs import runfolder


def read_rows(folder: Path, kind: str = GAMES) -> pa.Table:
    """Return all rows of ``kind`` that count, by match, game and seat; Refusal without any."""
    columns, parts = {GAMES: ROW, **KINDS}[kind], results.existing_parts(folder, kind)
    table = pa.concat_tables([part_files.read(part, columns) for part in parts])
    for match, games in results.stops(folder).items():
        late = pc.and_(pc.equal(table["match"], match), pc.greater_equal(table["game"], games))
        table = table.filter(pc.invert(late))
    keys = [key for key in ("match", "game", "turn", "seat") if key in table.column_names]
    return table.sort_by([(key, "ascending") for key in keys])


def play_matches(folder: Path, planned: Sequence[Match], games: int) -> None:
    """Play the first ``games`` of the matches ``planned`` in ``folder``."""
    runfolder.claim(folder, planned, "games")
    played = Results(folder, planned)
    for number, match in enumerate(planned):
        played.add(number, play.portion(match, range(games)))
    played.flush()


def make_match(player: str = "random", opponent: str = "heuristic", **changes: Any) -> Match:
    """Return a match of ``player`` in each seat in turn against the others."""
    usual = {
        "name": f"{player} against 3 {opponent}",
        "rules": {"name": "ledford", "players": 4},
        "entrants": ({"name": player}, {"name": opponent}),
        "seating": Seating.one(4, range(4)),
        "measured": 0,
        "seed": 3,
    }
    return Match(**{**usual, **changes})
