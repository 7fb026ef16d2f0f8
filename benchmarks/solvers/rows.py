"""Rows of episodes in a folder of results: which are missing, who plays them, how they are kept."""

from __future__ import annotations

import multiprocessing
import signal
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from benchmarks.solvers import point_based
from benchmarks.solvers.episodes import Player
from benchmarks.solvers.planners import PLANNERS
from experiments.provenance.files import atomic_write
from mcts.kernel.rng import derive_key
from mcts.search import OutOfRange
from mcts.tabular.files import read_pomdp

EPISODES, REFERENCES = "episodes.parquet", "references.parquet"
SAVE_SECONDS = 10.0
"""Time between two saves, and between two lines of progress."""

read_problem = lru_cache(maxsize=2)(read_pomdp)


class Unit(NamedTuple):
    """An episode; the first columns of its row.  Policies have 0 simulations and no leaf."""

    problem: str
    planner: str
    simulations: int
    leaf: str
    seed: int
    episode: int


def read(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a file; none if it is missing."""
    return pl.read_parquet(file.read_bytes()).to_dicts() if file.exists() else []


def write(file: Path, rows: list[dict[str, Any]]) -> None:
    """Replace a file by ``rows``."""
    with atomic_write(file) as path:
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(path)


def find_vectors(path: Path, out: Path, seed: int) -> np.ndarray:
    """Return the vectors of the corrected return, found once for a problem and a seed."""
    file = out / f"{path.name}.{seed}.npy"
    if not file.exists():
        vectors = point_based.solve(read_problem(path).position(), int(derive_key(seed, 0, 1)))
        with atomic_write(file) as temporary, temporary.open("wb") as stream:
            np.save(stream, vectors)
    found: np.ndarray = np.load(file)
    return found


@lru_cache(maxsize=1)
def _player(path: Path, out: Path, seed: int) -> tuple[Player, Callable]:
    """Return a player of the problem, and a maker of planners, which are kept until the next."""
    problem = read_problem(path)

    @cache
    def make(planner: str, simulations: int, leaf: str) -> tuple:
        p = problem.position(rollout=leaf or "random")
        choose = PLANNERS[planner](p, simulations, leaf or "fib")
        choose(p, 0)  # compiles, which is no decision's time
        return p, choose

    return Player(problem.position(), find_vectors(path, out, seed)), make


def play(task: tuple[Path, Path, Unit]) -> dict[str, Any]:
    """Play the episode of a unit; return its row."""
    folder, out, unit = task
    warnings.simplefilter("ignore", OutOfRange)
    player, make = _player(folder / unit.problem, out, unit.seed)
    p, choose = make(unit.planner, unit.simulations, unit.leaf)
    return {**unit._asdict(), **player.play(p, choose, int(derive_key(unit.seed, unit.episode)))}


def _play_all(tasks: list[tuple[Path, Path, Unit]], workers: int) -> Iterator[dict[str, Any]]:
    if min(workers, len(tasks)) < 2:
        yield from map(play, tasks)
        return
    ignore = (signal.SIGINT, signal.SIG_IGN)
    with multiprocessing.get_context("spawn").Pool(workers, signal.signal, ignore) as pool:
        yield from pool.imap_unordered(play, tasks)


def measure(folder: Path, out: Path, units: Iterable[Unit], workers: int) -> None:
    """Play the units without a row in ``out``; save rows every few seconds and on Ctrl-C."""
    rows = read(out / EPISODES)
    known = {tuple(row[name] for name in Unit._fields) for row in rows}
    tasks = [(folder, out, unit) for unit in units if unit not in known]
    saved = time.monotonic()
    try:
        for played, row in enumerate(_play_all(tasks, workers), 1):
            rows.append(row)
            if time.monotonic() - saved > SAVE_SECONDS:
                write(out / EPISODES, rows)
                saved = time.monotonic()
                print(f"{row['problem']}: {played:,} of {len(tasks):,} episodes", flush=True)
    finally:
        if rows:
            write(out / EPISODES, rows)
