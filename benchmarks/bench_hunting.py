"""A noisy, adaptive hunt too large for recursion: returns and speed of planners.

    python -m benchmarks.bench_hunting [--budgets 100 1000] [--episodes 40] [--seed 1]

100 cells, 40 sensors, 24 steps: mean over the same episodes for all, with its 95 % interval, and
simulations per CPU second.  Controls: `flat` has no tree, `greedy` does not search.  For small
hunts, ``python -m experiments.hunt search`` compares with exact strategies.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.timing import show, show_load
from experiments.stats.intervals import mean
from mcts.kernel.rng import derive_key
from sim.hunt.strategies.domain import AdaptiveHunt, adaptive
from sim.hunt.strategies.examples import field
from sim.hunt.strategies.planners import Planner, greedy, play

BUDGETS = (100, 1_000)


def large(budgets: Sequence[int], episodes: int, seed: int) -> None:
    """Print the returns of planners in episodes of a hunt too large for recursion."""
    p = adaptive(field(side=10, sensors=40, moves=24, reach=2.0, seed=seed))
    show(f"large: {len(p.hunt.target)} cells, {len(p.hunt.open)} sensors, {p.hunt.moves} steps", "")
    keys = [int(derive_key(seed, episode)) for episode in range(episodes)]

    def line(name: str, choose: Callable[[AdaptiveHunt, int], int], more: str = "") -> None:
        found = mean(np.array([play(p, choose, key) for key in keys]))
        show(f"  {name}", f"wins {found.value:.4f} ({found.low:.4f} to {found.high:.4f})", more)

    line("greedy", greedy)
    for planner in ("bmcts", "pomcp", "flat"):
        for budget in budgets:
            choose = Planner(p, planner, budget)
            began = time.process_time()
            choose.search(p, seed)
            rate = budget / (time.process_time() - began)
            line(f"{planner}, {budget:,}", choose, f"{rate:,.0f} simulations /s CPU at the start")


def main() -> None:
    """Compare the requested budgets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budgets", type=int, nargs="+", default=BUDGETS, help="simulations")
    parser.add_argument("--episodes", type=int, default=40, help="at least 2")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    show_load()
    large(asked.budgets, asked.episodes, asked.seed)


if __name__ == "__main__":
    main()
