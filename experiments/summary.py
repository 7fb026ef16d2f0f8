"""The figures of a run from its rows, and the file that holds them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from experiments.results import SUMMARY, focal_rows
from experiments.statistics import win_rate


def summarise(table: pa.Table, players: int) -> dict[str, Any]:
    """Return the figures of a run from its rows; ``parity`` is what identical players would get.

    ``simulations_per_second`` is per second of searching, not of the run.  What needs games or
    searches is None where there are none.
    """
    focal = focal_rows(table)
    games = focal.num_rows
    won = focal["won"].to_numpy()
    seats = focal["seat"].to_numpy()
    rate = win_rate(int(won.sum()), games) if games else None
    simulations = pc.sum(focal["simulations"], min_count=0).as_py()
    searching = pc.sum(focal["search_seconds"], min_count=0).as_py()
    played, won_in = Counter(seats.tolist()), Counter(seats[won].tolist())
    by_seat = {str(seat): {"games": played[seat], "wins": won_in[seat]} for seat in sorted(played)}
    return {
        "games": games,
        "wins": int(won.sum()),
        "draws": pc.sum(pc.equal(focal["winner"], -1), min_count=0).as_py(),
        "win_rate": rate and rate.value,
        "ci95": rate and [rate.low, rate.high],
        "parity": 1 / players,
        "turns_mean": pc.mean(focal["turns"]).as_py(),
        "suggestions_mean": pc.mean(focal["game_suggestions"]).as_py(),
        "accused_wrongly": pc.sum(focal["out"], min_count=0).as_py(),
        "decisions": pc.sum(focal["decisions"], min_count=0).as_py(),
        "simulations": simulations,
        "simulations_per_second": simulations / searching if searching else None,
        "by_seat": by_seat,
    }


def write(folder: Path, summary: dict[str, Any], name: str = SUMMARY) -> Path:
    """Write ``summary`` as JSON, whole or not at all, and return its path."""
    path = folder / name
    writing = folder / f".{name}.writing"
    writing.write_text(json.dumps(summary, indent=2) + "\n")
    writing.replace(path)
    return path
