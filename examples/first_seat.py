"""The value of moving first: the win rate of each seat among equal players.

    python examples/first_seat.py games=20000
    python examples/first_seat.py games=20000 policy=closure players=6 run.folder=outputs/seats

A study in one file: settings, columns, `measure`, a table and a plot.  `experiments.study.Study`
provides the folder, Ctrl-C, resuming, progress, ``--help`` and ``summary.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from omegaconf import DictConfig

from experiments import Refusal, Rows, Settings, Study, Table, count, win_rate
from mcts import between, one_of

BLOCK = 100
"""Games per unit."""

POLICIES = ("random", "uniform", "heuristic", "closure", "likely", "swift")


@dataclass
class Seats(Settings):
    """The settings."""

    games: int = between(1, 1_000_000_000, default=20_000)
    policy: str = one_of(*POLICIES, default="heuristic")
    players: int = between(3, 6, default=4)


def units(settings: DictConfig) -> Sequence[int]:
    """Return the numbers of the blocks; Refusal if the last would be incomplete."""
    if settings.games % BLOCK:
        raise Refusal(f"games={settings.games}: give a multiple of {BLOCK}")
    return range(settings.games // BLOCK)


def measure(settings: DictConfig, block: int) -> Iterator[dict[str, Any]]:
    """Play the games of a block; yield one row per seat."""
    import numpy as np

    from sim import Policy, play_many, preset

    games = np.arange(block * BLOCK, (block + 1) * BLOCK)
    policies = [Policy(settings.policy)] * settings.players
    rules = preset("ledford", players=settings.players)
    winner = play_many(rules, policies, settings.seed, games).winner
    for seat in range(settings.players):
        yield {"block": block, "seat": seat, "games": BLOCK, "wins": int(sum(winner == seat))}


def by_seat(rows: pl.DataFrame) -> Iterator[tuple[int, int, Any]]:
    """Yield each seat, its games, and its win rate."""
    for seat, games, wins in rows.group_by("seat").agg(pl.sum("games", "wins")).sort("seat").rows():
        yield seat, games, win_rate(wins, games)


def tables(rows: pl.DataFrame, settings: DictConfig) -> list[Table]:
    """Return the win rates; seat 0 moves first."""
    title = f"{settings.policy} among equals, parity {100 / settings.players:.0f} %"
    lines = [[str(seat), games, rate] for seat, games, rate in by_seat(rows)]
    return [Table(title, ["seat", count("games"), "win rate, 95 %"], lines)]


def draw(rows: pl.DataFrame, settings: DictConfig, path: Path) -> None:
    """Draw the win rates by seat."""
    from experiments import intervals, picture, reference_line, shares

    seats, _, rates = zip(*by_seat(rows), strict=True)
    with picture(path, f"{settings.policy} among equals", (6.4, 3.6)) as (_, ((axes,),)):
        intervals(axes, seats, rates)
        reference_line(axes, 1 / settings.players, "parity")
        axes.set(xlabel="seat, in order of play", ylabel="win rate", xticks=seats)
        shares(axes.yaxis, 0)
        axes.legend()


STUDY = Study(
    name="first_seat",
    about="the value of moving first: the win rate of each seat among equal players.",
    settings=Seats,
    rows=Rows(
        file="seats.parquet",
        units="blocks",
        schema={"block": pl.Int64, "seat": pl.Int64, "games": pl.Int64, "wins": pl.Int64},
        more=("games",),
    ),
    units=units,
    measure=measure,
    tables=tables,
    draw=draw,
)

if __name__ == "__main__":
    STUDY.main()
