"""Tiger in plain Python, by its tables, and compiled: the ratios of times.

    python -m benchmarks.bench_plain [--simulations 5000] [--repeats 3]

All search with the same key in turns; CPU time of this process, medians.
`tests/mcts/test_plain.py` checks that the plain and the compiled tree are equal.
"""

from __future__ import annotations

import argparse
import statistics
import time

from benchmarks.timing import show, show_load
from mcts.domain import domain_of
from mcts.options import Budget, Options
from mcts.plain.chance import Chance
from mcts.plain.problem import Problem
from mcts.problems import tiger
from mcts.search import Search

STEPS = (3, 30)


def place(chance: Chance) -> tuple:
    """Return a state: whether the tiger is on the left, and what was heard."""
    return chance.random() < 0.5, None


def legal(state: tuple) -> tuple[int, ...]:
    """Return the actions."""
    return tiger.LISTEN, tiger.OPEN_LEFT, tiger.OPEN_RIGHT


def step(state: tuple, action: int, chance: Chance) -> tuple[tuple, float]:
    """Draw as the compiled Tiger does."""
    left, _ = state
    if action == tiger.LISTEN:
        heard_left = chance.random() < (0.85 if left else 1.0 - 0.85)
        return (left, tiger.HEARD_LEFT if heard_left else tiger.HEARD_RIGHT), -1.0
    reward = -100.0 if left == (action == tiger.OPEN_LEFT) else 10.0
    left = chance.random() < 0.5
    return (left, tiger.HEARD_LEFT if chance.random() < 0.5 else tiger.HEARD_RIGHT), reward


def heard(state: tuple) -> int | None:
    """Return the last sound."""
    return state[1]


def plain(steps: int) -> Problem:
    """Return Tiger in plain Python."""
    compiled = tiger.TigerParameters(steps=steps, rollout=tiger.RANDOM)
    low, high = (domain_of(compiled).declaration(name, compiled) for name in ("low", "high"))
    return Problem(
        start=place,
        actions=legal,
        step=step,
        observation=heard,
        low=low,
        high=high,
        steps=steps,
        discount=compiled.discount,
    )


def compare(simulations: int, repeats: int) -> None:
    """Print rates and their ratios, by the steps to go."""
    show_load()
    options = Options(exploration=0.2, nodes=simulations)
    for steps in STEPS:
        positions = {
            "plain": plain(steps).position(),
            "tables": plain(steps).tabulate().position(),
            "compiled": tiger.TigerParameters(steps=steps, rollout=tiger.RANDOM),
        }
        searches = {name: Search(p, options) for name, p in positions.items()}
        spent: dict[str, list[float]] = {name: [] for name in searches}
        for key in range(repeats + 1):
            for name, search in searches.items():
                began = time.process_time()
                search.run(Budget(simulations=simulations), key)
                spent[name].append(time.process_time() - began)
        rates = {name: simulations / statistics.median(times[1:]) for name, times in spent.items()}
        show(f"Tiger, {steps} steps, compiled", f"{rates['compiled']:,.0f} /s CPU")
        faster = rates["tables"] / rates["plain"]
        share = f"{rates['tables'] / rates['compiled']:.2f} of compiled, {faster:.0f} times plain"
        show("  its tables", f"{rates['tables']:,.0f} /s CPU", share)
        ratio = rates["compiled"] / rates["plain"]
        show("  plain Python", f"{rates['plain']:,.0f} /s CPU", f"{ratio:.0f} times as long")


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=5_000, help="of one search")
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    compare(asked.simulations, asked.repeats)


if __name__ == "__main__":
    main()
