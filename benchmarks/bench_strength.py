"""Strength per core: what 1 to 1,024 simulated workers lose in late positions, and one worker.

    python -m benchmarks.bench_strength [--each 32] [--most 1024] [--positions 100] [--seeds 2]

Each worker has the time of so many simulations.  Regret is that of the first decision in late
positions with exact values (`sim.endgame`).  The strength-speed-up of n workers is how many times
longer one would have to search to lose as little [Chaslot, Winands & van den Herik 2008], read off
the curve of one worker, made monotone.  Threads that are real stand beside the simulated ones as
far as there are cores.  Leaf parallelization is left out: from a leaf of these positions all
roll-outs of a deal end alike.  The rows are kept in a file; the same command goes on where it
stopped.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression

from benchmarks.virtual_workers import VirtualRoot, VirtualSearch
from experiments import plotting
from experiments.stats.intervals import Estimate
from mcts.merge import merge
from mcts.options import MERGES, Budget, Options, cores
from mcts.search import Search
from sim.endgame.positions import Endgame
from sim.endgame.random_positions import endgames
from sim.planning.config import PlannerConfig
from sim.planning.planner import Planner

SEED = 77
WORKERS = (1, 4, 16, 64, 256, 1024)
TREATMENTS = ("none", "virtual_loss", "wu_uct")
SPREAD = 0.5
"""Standard deviation of the time of a simulation, in units of its mean."""
INSIDE = 16
"""Threads on each tree of a root-parallel search of such trees."""
_DRAWS = 1000
_BASE = Options(
    exploration=0.15,
    root_exploration=1.0,
    widening_base=2.0,
    widening_exponent=0.35,
    nodes=32 * WORKERS[-1] + 1,
    oversubscribe=True,
)


@dataclass(frozen=True)
class Method:
    """A way to spend the time of ``workers``; ``make`` returns a searcher of a position."""

    name: str
    workers: int
    make: Callable[[Any], Any]
    rules: tuple[str, ...] = ()
    """Rules by which its trees are merged, each a row of its own."""


def methods(workers: Sequence[int]) -> Iterator[Method]:
    """Yield all ways to use each number of ``workers``."""
    for n in workers:
        yield Method("one", n, partial(Search, options=_BASE))
    for n in sorted({*workers[1:], *range(2, cores() + 1)}):
        for treatment in TREATMENTS:
            options = replace(_BASE, in_flight=treatment)
            make = partial(VirtualSearch, options=options, workers=n, spread=SPREAD)
            yield Method(f"tree, {treatment}", n, make)
            if n <= cores():
                real = partial(Search, options=replace(options, threads=n))
                yield Method(f"tree, {treatment}, real", n, real)
        trees = partial(VirtualRoot, n, MERGES[0], partial(Search, options=_BASE))
        yield Method("root", n, lambda p, trees=trees: trees(), MERGES)
        if n > INSIDE:
            inner = partial(VirtualSearch, options=_BASE, workers=INSIDE, spread=SPREAD)
            inside = partial(VirtualRoot, n // INSIDE, MERGES[0], inner)
            yield Method("tree in root", n, lambda p, inside=inside: inside(), MERGES[:1])


class _Lazy:
    """A searcher that is made when the position is known."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make, self.made = make, None

    def run(self, budget: Budget, key: int, p: Any = None) -> Any:
        self.made = self.made or self._make(p)
        return self.made.run(budget, key, p)


def lose(
    method: Method, each: int, found: list[Endgame], seeds: int
) -> Iterator[tuple[str, int, int, float]]:
    """Yield name, position, seed and regret of each first decision by ``method``."""
    config = PlannerConfig(
        opponents="uniform",
        candidates=36,
        accusations=8,
        options=_BASE,
        budget=Budget(simulations=each * method.workers),
    )
    planner, search = Planner(config), _Lazy(method.make)
    for i, endgame in enumerate(found):
        for seed in range(seeds):
            endgame.sit(planner, 100 * i + seed)
            planner.search = search
            action = endgame.choice(planner, 100 * i + seed)
            if planner.search is not search:
                raise RuntimeError("the planner made a search of its own")
            if not method.rules:
                yield method.name, i, seed, endgame.regret(action)
            for rule in method.rules:
                chosen = merge(search.made.results, rule).best
                label = method.name if len(method.rules) == 1 else f"{method.name}, {rule}"
                yield label, i, seed, endgame.regret(chosen)


def play(rows: Path, asked: Sequence[Method], each: int, found: list[Endgame], seeds: int) -> None:
    """Add the rows of the methods ``asked`` that are missing."""
    there = {(name, workers) for name, workers, *_ in read(rows)}
    for method in asked:
        names = [f"{method.name}, {rule}" for rule in method.rules] or [method.name]
        known = any((name, method.workers) in there for name in (*names, method.name))
        if known:
            continue
        new = list(lose(method, each, found, seeds))
        with rows.open("a", newline="") as file:
            out = csv.writer(file)
            for name, position, seed, regret in new:
                out.writerow([name, method.workers, position, seed, f"{regret:.6f}"])
        print(f"{method.name}, {method.workers}: {100 * np.mean([r for *_, r in new]):.2f}")


def read(rows: Path) -> list[tuple[str, int, int, int, float]]:
    """Return name, workers, position, seed and regret of all rows."""
    if not rows.exists():
        return []
    with rows.open(newline="") as file:
        return [(n, int(w), int(p), int(s), float(r)) for n, w, p, s, r in csv.reader(file)]


def average(rows: list[tuple[str, int, int, int, float]]) -> dict[tuple[str, int], np.ndarray]:
    """Return the mean regret of each method and number of workers at each position, in points."""
    sums: dict[tuple[str, int], dict[int, list[float]]] = {}
    for name, workers, position, _, regret in rows:
        sums.setdefault((name, workers), {}).setdefault(position, []).append(100 * regret)
    return {key: np.array([np.mean(of[i]) for i in sorted(of)]) for key, of in sums.items()}


def speed_up(times: Sequence[int], curve: np.ndarray, lost: float) -> float:
    """Return how many times longer one worker needs to lose ``lost``.

    ``curve`` is what one loses that has ``times`` as long; beyond its ends, the end.
    """
    falling = isotonic_regression(curve, increasing=False).x
    return float(np.exp2(np.interp(-lost, -falling, np.log2(times))))


@dataclass(frozen=True)
class Row:
    """The loss of ``workers`` by a method, in points, and their strength-speed-up."""

    name: str
    workers: int
    regret: Estimate
    speed_up: Estimate


def summarise(means: dict[tuple[str, int], np.ndarray]) -> list[Row]:
    """Return a row of each, with 95 % by the bootstrap over positions."""
    n = min(map(len, means.values()))
    draws = np.random.default_rng(0).integers(n, size=(_DRAWS, n))
    times = sorted(workers for name, workers in means if name == "one")
    one = np.stack([means["one", workers][:n] for workers in times])
    found = []
    for (name, workers), all_lost in sorted(means.items()):
        lost = all_lost[:n]
        drawn = lost[draws].mean(axis=1)
        gains = [
            speed_up(times, one[:, draw].mean(axis=1), mean)
            for draw, mean in zip(draws, drawn, strict=True)
        ]
        gain = speed_up(times, one.mean(axis=1), lost.mean())
        regret, speed = np.quantile(drawn, (0.025, 0.975)), np.quantile(gains, (0.025, 0.975))
        found.append(Row(name, workers, Estimate(lost.mean(), *regret), Estimate(gain, *speed)))
    return found


def draw(found: list[Row], path: Path) -> None:
    """Plot what workers lose and their strength-speed-up, beside one worker with as much time."""
    left_out = ("real", "value", "vote")
    names = list(dict.fromkeys(row.name for row in found if not row.name.endswith(left_out)))
    names.sort(key="one".__ne__)
    title = "What simulated workers buy: regret in late positions"
    with plotting.picture(path, title, (11, 5), columns=2) as (figure, (panels,)):
        for series, name in enumerate(names):
            rows = [row for row in found if row.name == name]
            at = [row.workers for row in rows]
            label = "one worker, as many simulations" if name == "one" else name
            look = {"label": label, "linestyle": "-", "elinewidth": 0.6, "capsize": 2}
            plotting.intervals(panels[0], at, [row.regret for row in rows], series, **look)
            if name != "one":
                plotting.intervals(panels[1], at, [row.speed_up for row in rows], series, **look)
        times = sorted(row.workers for row in found if row.name == "one")
        panels[1].plot(times, times, color=plotting.REFERENCE, linestyle="--", linewidth=1)
        panels[0].set(xscale="log", xlabel="workers", ylabel="regret, points")
        panels[1].set(xscale="log", yscale="log", xlabel="workers", ylabel="strength-speed-up")
        for axis in (panels[0].xaxis, panels[1].xaxis, panels[1].yaxis):
            axis.set_major_formatter("{x:,.0f}")
        plotting.legend_below(figure, panels[0], 3)


def show(estimate: Estimate, decimals: int) -> str:
    """Return a value and its interval in its own units."""
    value, low, high = (
        f"{each:.{decimals}f}" for each in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value} ({low} to {high})"


def main() -> None:
    """Play what is missing, and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--each", type=int, default=32, help="simulations of each worker")
    parser.add_argument("--most", type=int, default=WORKERS[-1], help="workers")
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--rows", type=Path, default=Path("outputs/strength.csv"))
    parser.add_argument("--plot", type=Path, default=None)
    arguments = parser.parse_args()
    arguments.rows.parent.mkdir(parents=True, exist_ok=True)
    found = list(islice(endgames(SEED), arguments.positions))
    asked = list(methods([n for n in WORKERS if n <= arguments.most]))
    play(arguments.rows, asked, arguments.each, found, arguments.seeds)
    rows = summarise(average(read(arguments.rows)))
    print(f"{'':22}{'workers':>8}  {'regret, points (95 %)':>24}  {'strength-speed-up':>24}")
    for row in rows:
        regret, gain = show(row.regret, 2), show(row.speed_up, 1)
        print(f"{row.name:22}{row.workers:>8}  {regret:>24}  {gain:>24}")
    if arguments.plot:
        draw(rows, arguments.plot)


if __name__ == "__main__":
    main()
