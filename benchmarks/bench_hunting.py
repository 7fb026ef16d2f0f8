"""Noisy, adaptive hunts: what planners play by their budget, beside exact strategies.

    python -m benchmarks.bench_hunting [--only fork field large] [--searches 10] [--seed 1]
    python -m benchmarks.bench_hunting --only field --budgets 100 1000 10000

* fork, field: the examples of `sim.hunt.strategies.examples`, small enough for recursion.  Of each
  planner and budget the exact value of playing its choices, mean over searches with its 95 %
  interval, what it finds at the root, and CPU for all decisions that can come up.
* large: 100 cells, 40 sensors, 24 steps, beyond recursion: mean over episodes, the same for all,
  and simulations a CPU second.

Controls: `flat` has no tree, `greedy` does not search, `ld_bmcts` and `pimc` know too much.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.timing import show, show_load
from experiments.stats.intervals import Estimate, mean
from mcts.kernel.rng import derive_key
from sim.hunt.strategies.domain import AdaptiveHunt, adaptive
from sim.hunt.strategies.examples import field, fork
from sim.hunt.strategies.hunt import Hunt
from sim.hunt.strategies.planners import VARIANTS, Planner, greedy, value
from sim.hunt.strategies.playing import expected_value, play
from sim.hunt.strategies.recursion import closed_loop, full_information, open_loop, replan

EXAMPLES: dict[str, Callable[[], Hunt]] = {"fork": fork, "field": field}
LARGE = "large"
BUDGETS = (100, 300, 1_000, 3_000, 10_000)
LARGE_BUDGETS = (100, 1_000)


def _text(found: Estimate) -> str:
    return f"{found.value:.4f} ({found.low:.4f} to {found.high:.4f})"


def small(name: str, budgets: Sequence[int], searches: int, seed: int) -> None:
    """Print exact values of an example, and planners by budget."""
    hunt = EXAMPLES[name]()
    p = adaptive(hunt)
    show(name, "")
    for strategy, known in (
        ("open", open_loop(hunt).value),
        ("replanned", replan(hunt).value),
        ("closed", closed_loop(hunt).value),
        ("full information", full_information(hunt)),
        ("greedy", expected_value(p, greedy, seed)),
    ):
        show(f"  {strategy}", f"{known:.4f}")
    keys = [int(derive_key(seed, search)) for search in range(searches)]
    for planner in VARIANTS:
        for budget in budgets:
            choose = Planner(p, planner, budget)
            began = time.process_time()
            played = np.array([expected_value(p, choose, key) for key in keys])
            spent = (time.process_time() - began) / searches
            root = np.array([value(choose.search(p, key)) for key in keys])
            show(
                f"  {planner}, {budget:,}",
                f"plays {_text(mean(played))}",
                f"root {_text(mean(root))}, {1e3 * spent:.0f} ms CPU",
            )


def large(budgets: Sequence[int], episodes: int, seed: int) -> None:
    """Print what planners win in episodes of a hunt that is too large for recursion."""
    p = adaptive(field(side=10, sensors=40, moves=24, reach=2.0, seed=seed))
    show(f"large: {len(p.hunt.target)} cells, {len(p.hunt.open)} sensors, {p.hunt.moves} steps", "")
    keys = [int(derive_key(seed, episode)) for episode in range(episodes)]

    def line(name: str, choose: Callable[[AdaptiveHunt, int], int], more: str = "") -> None:
        won = np.array([play(p, choose, key) for key in keys])
        show(f"  {name}", f"wins {_text(mean(won))}", more)

    line("greedy", greedy)
    for planner in ("bmcts", "pomcp", "flat"):
        for budget in budgets:
            choose = Planner(p, planner, budget)
            began = time.process_time()
            choose.search(p, seed)
            rate = budget / (time.process_time() - began)
            line(f"{planner}, {budget:,}", choose, f"{rate:,.0f} simulations /s CPU at the start")


def main() -> None:
    """Compare what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=[*EXAMPLES, LARGE], default=[*EXAMPLES, LARGE])
    parser.add_argument("--budgets", type=int, nargs="+", help="simulations of a decision")
    parser.add_argument("--searches", type=int, default=10, help="at least 2, of each budget")
    parser.add_argument("--episodes", type=int, default=40, help="at least 2, of the large hunt")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    show_load()
    for name in asked.only:
        if name == LARGE:
            large(asked.budgets or LARGE_BUDGETS, asked.episodes, asked.seed)
        else:
            small(name, asked.budgets or BUDGETS, asked.searches, asked.seed)


if __name__ == "__main__":
    main()
