"""Strength per core in whole games: simulated workers beside one worker with more time.

    python -m benchmarks.bench_strength_games [--each 8] [--games 1000] [--seed 6231] [--only tree]

``best`` in one seat against three ``swift`` that accuse from 0.35, all ways to search on the same
games.  Each worker has the time of ``--each`` simulations a decision; *one* is a single worker with
1 to 64 times that.  Workers are simulated as in `benchmarks.bench_strength`, and so is what the
strength-speed-up is.  The rows are kept; the same command goes on.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression

from benchmarks.bench_strength import SPREAD, TREATMENTS
from benchmarks.virtual_workers import VirtualRoot, VirtualSearch
from experiments.matches import lineups, play
from experiments.matches.schedule import Match
from experiments.settings import config
from experiments.stats.intervals import paired_difference, win_rate
from mcts.search import Search
from sim.planning import planner as planning

TIMES = (1, 2, 4, 8, 16, 32, 64)
WORKERS = (4, 16)
FIELD = ("player=best", "player@opponent=swift", "opponent.threshold=0.35")
_CHUNK = 50
_DRAWS = 1000

Make = Callable[[Any, Any], Any]
"""From a position and options to a searcher."""


def methods() -> Iterator[tuple[str, int, Make]]:
    """Yield name, workers and the searcher of each way to search."""
    for times in TIMES:
        yield "one", times, lambda p, options: Search(p, options=options)
    for n in WORKERS:
        for treatment in TREATMENTS:
            yield f"tree, {treatment}", n, partial(_tree, treatment, n)
        yield "root", n, partial(_root, n)


def _tree(treatment: str, workers: int, position: Any, options: Any) -> VirtualSearch:
    changed = replace(options, in_flight=treatment)
    return VirtualSearch(position, options=changed, workers=workers, spread=SPREAD)


class _Root(VirtualRoot):
    """Trees one after another, which begin each game as `mcts.root` does."""

    def forget(self) -> None:
        """Nothing is kept from decision to decision."""


def _root(workers: int, _: Any, options: Any) -> VirtualRoot:
    return _Root(workers, "visits", lambda p: Search(p, options=options))


def match(each: int, workers: int, seed: int) -> Match:
    """Return the match that a way with ``workers`` of ``each`` simulations plays."""
    budget = f"player.budget.simulations={each * workers}"
    (found,) = lineups.matches(config.compose("compare", [*FIELD, budget, f"seed={seed}"]))
    return found


def play_games(found: Match, make: Make, games: np.ndarray) -> list[int]:
    """Return 1 for each of ``games`` that the planner won, else 0."""
    real = planning.searcher
    planning.searcher = make
    try:
        play._seat.cache_clear()  # players keep their searcher
        rows = play.portion(found, games).rows.to_pylist()
    finally:
        planning.searcher = real
    return [int(row["won"]) for row in rows if row["focal"]]


def go_on(rows: Path, each: int, games: int, seed: int, only: str) -> None:
    """Play what is missing of ``games`` of all ways whose name holds ``only``."""
    there = read(rows)
    for name, workers, make in methods():
        done = len(there.get((name, workers), ()))
        if only not in name:
            continue
        found = match(each, workers, seed)
        for first in range(done, games, _CHUNK):
            numbers = np.arange(first, min(first + _CHUNK, games))
            new = play_games(found, make, numbers)
            with rows.open("a", newline="") as file:
                out = csv.writer(file)
                out.writerows(
                    [name, workers, game, one] for game, one in zip(numbers, new, strict=True)
                )
        print(f"{name}, {workers}: {games} games", flush=True)


def read(rows: Path) -> dict[tuple[str, int], np.ndarray]:
    """Return by way and workers whether game 0, 1, ... was won."""
    found: dict[tuple[str, int], dict[int, bool]] = {}
    if rows.exists():
        with rows.open(newline="") as file:
            for name, workers, game, one in csv.reader(file):
                found.setdefault((name, int(workers)), {})[int(game)] = one == "1"
    return {way: np.array([games[i] for i in sorted(games)]) for way, games in found.items()}


def speed_up(times: Sequence[int], curve: np.ndarray, rate: float) -> float:
    """Return how many times longer one worker needs to win ``rate``; at most the last of ``times``.

    ``curve``: win rates of one worker by ``times``.
    """
    rising = isotonic_regression(curve, increasing=True).x
    return float(np.exp2(np.interp(rate, rising, np.log2(times))))


def show(rows: Path) -> None:
    """Print win rates, differences from one worker and strength-speed-ups, 95 %."""
    found = read(rows)
    games = min(map(len, found.values()))
    found = {way: all_games[:games] for way, all_games in found.items()}
    times = sorted(workers for name, workers in found if name == "one")
    one = np.stack([found["one", n] for n in times])
    draws = np.random.default_rng(0).integers(games, size=(_DRAWS, games))
    curves = [one[:, draw].mean(axis=1) for draw in draws]
    print(f"{games} games; strength-speed-up by the curve of one worker, bootstrap over games")
    for (name, workers), all_won in found.items():
        rate = win_rate(int(all_won.sum()), games)
        more = paired_difference(found["one", 1], all_won)
        line = f"{name:20}{workers:>4}  {rate!s:26} minus one alone {more!s:24}"
        if name != "one":
            gain = speed_up(times, one.mean(axis=1), all_won.mean())
            pairs = zip(curves, draws, strict=True)
            drawn = [speed_up(times, curve, all_won[draw].mean()) for curve, draw in pairs]
            low, high = np.quantile(drawn, (0.025, 0.975))
            line += f"{gain:.1f} ({low:.1f} to {high:.1f})"
        print(line)


def main() -> None:
    """Play what is missing, and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--each", type=int, default=8, help="simulations of each worker")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=6231)
    parser.add_argument("--rows", type=Path, default=Path("outputs/strength_games.csv"))
    parser.add_argument("--only", default="", help="ways whose name holds this")
    asked = parser.parse_args()
    asked.rows.parent.mkdir(parents=True, exist_ok=True)
    go_on(asked.rows, asked.each, asked.games, asked.seed, asked.only)
    show(asked.rows)


if __name__ == "__main__":
    main()
