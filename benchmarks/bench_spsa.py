"""Coverage of the intervals of climbs by SPSA on a known surface.

    python -m benchmarks.bench_spsa [--climbs 60]

Each climb begins at 15 % of every setting, on a parabola whose top is in the middle, with games
whose winners are drawn; the method's own settings are those of ``conf/sweep.yaml``.
"""

from __future__ import annotations

import argparse

import numpy as np

from experiments.stats.intervals import win_rate
from experiments.sweep.axes import Axis
from experiments.sweep.spsa import Spsa

TOP, START = 0.5, 0.15
CLIMBS = (
    # settings, iterations, games a point, what the whole interval of one setting costs
    (2, 50, 100, 0.5),
    (2, 100, 100, 0.5),
    (5, 200, 100, 0.3),
    (5, 400, 50, 0.3),
    (10, 400, 100, 0.2),
)


def climb(settings: int, iterations: int, games: int, cost: float, seed: int) -> tuple[int, float]:
    """Return how many intervals hold the top, and what the end wins."""
    axes = [Axis(f"a{number}", f"a{number}", (), 0.0, 1.0) for number in range(settings)]
    start = {axis.key: START for axis in axes}
    spsa = Spsa(axes, start, seed, iterations, games, perturb=0.15, step=0.1)
    rng, rates = np.random.default_rng(seed), []

    def rate(point: dict) -> float:
        lost = sum((float(at) - TOP) ** 2 for at in point.values())
        return float(np.clip(0.5 - cost * lost, 0.01, 0.99))

    for _ in range(2 * iterations):
        rates.append(rng.binomial(games, rate(spsa.propose(rates))) / games)
    reached = spsa.estimate(rates)
    held = sum(float(low) <= TOP <= float(high) for low, high in reached.bounds.values())
    return held, rate(reached.parameters)


def main() -> None:
    """Print a line for each kind of climb."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--climbs", type=int, default=60)
    climbs = parser.parse_args().climbs
    print("settings  iterations  games  intervals that hold the top        wins: start, end, top")
    for settings, iterations, games, cost in CLIMBS:
        found = [climb(settings, iterations, games, cost, seed) for seed in range(climbs)]
        held, rates = zip(*found, strict=True)
        share = win_rate(sum(held), settings * climbs)
        began = 0.5 - cost * settings * (TOP - START) ** 2
        wins = f"{began:.3f}, {np.mean(rates):.3f}, 0.500"
        print(f"{settings:8}  {iterations:10}  {games:5}  {share!s:30} {wins:>24}", flush=True)


if __name__ == "__main__":
    main()
