"""Queries over the rows of a run, part by part, to bound memory.

All rows of a game are in parts with the same number (`experiments.matches.results`), so grouping by
game within a part is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from experiments.matches import results
from experiments.matches.part_files import GAMES, LATER, together, unreadable

Query = Callable[[pl.LazyFrame], pl.LazyFrame]


def by_part(folder: Path, kind: str, query: Query) -> pl.DataFrame:
    """Return the concatenated results of ``query`` on each part of the run in ``folder``.

    Games that do not count (`experiments.matches.results.STOPS`) are left out.  ``kind``: of rows.
    Raises Refusal if there are none, or a part cannot be read.
    """
    late = [
        (pl.col("match") == match) & (pl.col("game") >= games)
        for match, games in results.stops(folder).items()
    ]
    counting = ~pl.any_horizontal(late) if late else pl.lit(True)
    later = LATER if kind == GAMES else frozenset()
    groups = together(results.existing_parts(folder, kind))
    parts = [_run_query(group, query, counting, later) for group in groups]
    return pl.concat(parts, how="diagonal")


def _run_query(
    group: Sequence[Path], query: Query, counting: pl.Expr, later: frozenset[str]
) -> pl.DataFrame:
    try:
        rows = pl.concat([_scan(part, later) for part in group], how="diagonal")
        return query(rows.filter(counting)).collect(engine="streaming")
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as fault:
        if len(group) == 1:
            raise unreadable(group[0], fault) from None
        return pl.concat(_run_query([part], query, counting, later) for part in group)


def _scan(part: Path, later: frozenset[str]) -> pl.LazyFrame:
    rows = pl.scan_parquet(part.read_bytes())
    missing = later.difference(rows.collect_schema().names())
    return rows.with_columns(pl.lit(0, pl.Int64).alias(name) for name in missing)


def games(folder: Path) -> pl.DataFrame:
    """Return match, game, winner, turns and suggestions of each game; errors as `by_part`."""
    columns = ["match", "game", "winner", "turns", "game_suggestions"]
    return by_part(folder, GAMES, lambda part: part.filter(pl.col("seat") == 0).select(columns))


def all_rows(folder: Path) -> pl.DataFrame:
    """Return one row per game and seat, ordered by match, game and seat; errors as `by_part`.

    Columns are those of `experiments.matches.results.ROW` and
    `experiments.matches.row_provenance.KEYS`.
    """
    return by_part(folder, GAMES, lambda part: part).sort("match", "game", "seat")


def apart(frame: pl.DataFrame, keys: Sequence[str]) -> dict[Any, pl.DataFrame]:
    """Return the rows of each combination of ``keys`` (a tuple of values), in order."""
    return dict(sorted(frame.partition_by(keys, as_dict=True).items()))
