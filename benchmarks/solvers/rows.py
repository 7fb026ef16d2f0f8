"""Rows of episodes in a folder of results: which are missing, who plays them, when they are kept."""

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
from benchmarks.solvers.planners import PLANNERS, Choose
from experiments.provenance.files import atomic_write
from mcts.kernel.rng import derive_key
from mcts.search import OutOfRange
from mcts.tabular.domain import TabularPosition
from mcts.tabular.files import read_pomdp
from mcts.tabular.tables import Tabular

EPISODES, REFERENCES = "episodes.parquet", "references.parquet"
SAVE_SECONDS = 10.0
"""Time between two saves and two lines of progress."""


class Unit(NamedTuple):
    """An episode to play; the first columns of its row."""

    problem: str
    """Name of the file."""
    planner: str
    simulations: int
    """0 for policies, which have no leaf either."""
    leaf: str
    seed: int
    episode: int


def read(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a file; none if it is missing."""
    return pl.read_parquet(file).to_dicts() if file.exists() else []


def write(file: Path, rows: list[dict[str, Any]]) -> None:
    """Replace a file by ``rows``."""
    with atomic_write(file) as path:
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(path)


@lru_cache(maxsize=2)
def read_problem(path: Path) -> Tabular:
    """Return the problem in a file; TablesFault if it is none."""
    return read_pomdp(path)


def find_vectors(path: Path, out: Path, seed: int) -> np.ndarray:
    """Return the vectors of the corrected return, which are made once for a problem and a seed."""
    file = out / f"{path.name}.{seed}.npy"
    if not file.exists():
        vectors = point_based.solve(read_problem(path).position(), int(derive_key(seed, 0, 1)))
        with atomic_write(file) as temporary, temporary.open("wb") as stream:
            np.save(stream, vectors)
    return np.load(file)


@lru_cache(maxsize=1)
def _player(path: Path, out: Path, seed: int) -> tuple[Player, Callable[..., Any]]:
    """Return who plays a problem, and a maker of choosers that keeps them: both hold memory."""
    problem = read_problem(path)

    @cache
    def make(planner: str, simulations: int, leaf: str) -> tuple[TabularPosition, Choose]:
        p = problem.position(rollout=leaf or "random")
        choose = PLANNERS[planner](p, simulations)
        choose(p, 0)  # compiles, which is no decision's time
        return p, choose

    return Player(problem.position(), find_vectors(path, out, seed)), make


def play(task: tuple[Path, Path, Unit]) -> dict[str, Any]:
    """Play the episode of a unit; return its row."""
    folder, out, unit = task
    warnings.simplefilter("ignore", OutOfRange)
    player, make = _player(folder / unit.problem, out, unit.seed)
    started = make(unit.planner, unit.simulations, unit.leaf)
    return {**unit._asdict(), **player.play(*started, unit.seed, unit.episode)}


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play_all(tasks: list[tuple[Path, Path, Unit]], workers: int) -> Iterator[dict[str, Any]]:
    if workers == 1:
        yield from map(play, tasks)
        return
    spawning = multiprocessing.get_context("spawn")
    with spawning.Pool(workers, _ignore_interrupts) as pool:  # ended with the block
        yield from pool.imap_unordered(play, tasks)


def measure(folder: Path, out: Path, units: Iterable[Unit], workers: int) -> None:
    """Play the units without a row in ``out``; keep rows every few seconds and on Ctrl-C."""
    file = out / EPISODES
    rows = read(file)
    known = {tuple(row[name] for name in Unit._fields) for row in rows}
    left = [unit for unit in units if tuple(unit) not in known]
    played, saved = 0, time.monotonic()
    try:
        for row in _play_all([(folder, out, unit) for unit in left], workers):
            rows.append(row)
            played += 1
            if time.monotonic() - saved > SAVE_SECONDS:
                write(file, rows)
                saved = time.monotonic()
                print(f"{played:,} of {len(left):,} episodes, {row['problem']}", flush=True)
    finally:
        if played:
            write(file, rows)
