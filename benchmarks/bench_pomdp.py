"""Tiger and RockSample: simulations per second compared with pomdp-py.

    python -m benchmarks.bench_pomdp [--simulations 10000] [--repeats 3]

The planners of pomdp-py [Zheng & Tellex 2020] are compiled by Cython.  Both run in one process on
one core, by CPU time: the same problem, belief, discount and exploration, random roll-outs of the
same length, a new tree at each plan.  The models are its own, in Python and compiled; the compiled
RockSample uses a policy written here, because theirs has no checks.  Its simulations continue to
the horizon after the rover has left, ours end.

Returns of closed loops: `experiments.episodes`; compared with pomdp-py: `benchmarks.peers`.
"""

from __future__ import annotations

import argparse
import itertools
import random
from collections.abc import Callable, Collection
from typing import Any

import pomdp_py
from pomdp_py.problems.rocksample import rocksample_problem as rock_python
from pomdp_py.problems.rocksample.cythonize import rocksample_problem as rock_compiled
from pomdp_py.problems.tiger import tiger_problem as tiger_python
from pomdp_py.problems.tiger.cythonize import tiger_problem as tiger_compiled

from benchmarks.peers.pomdps import exploration
from benchmarks.timing import measure, show, show_load
from mcts.options import Budget, Options
from mcts.problems import rocksample, tiger
from mcts.search import Search

DISCOUNT = 0.95
TIGER_STEPS, ROCK_STEPS = 30, 90
TIGER_RANGE, ROCK_RANGE = 110.0, 20.0
"""Exploration: c of mean + c sqrt(ln N / n), in the units of the returns."""
MAP = (7, 8)
LEFT, RIGHT = "tiger-left", "tiger-right"

Plan = Callable[[int], object]
"""Plans from the start with the given number of simulations."""


def ours(p: Any, units: float) -> Plan:
    """Return a planner of this project."""
    search = Search(p, Options(exploration=exploration(p, units)))
    return lambda simulations: search.run(Budget(simulations=simulations), 1)


def theirs(planner: type, agent: Callable[[], Any], steps: int, units: float) -> Plan:
    """Return a planner of pomdp-py, with a new agent for each plan."""

    def plan(simulations: int) -> object:
        fresh = agent()
        return planner(
            max_depth=steps,  # as many roll-out actions in all as ours
            discount_factor=DISCOUNT,
            num_sims=simulations,
            exploration_const=units,
            rollout_policy=fresh.policy_model,
        ).plan(fresh)

    return plan


def python_tiger() -> Any:
    """Return the agent of its Tiger."""
    return tiger_python.TigerProblem.create().agent


def compiled_tiger() -> Any:
    """Return the agent of its compiled Tiger, which takes the probabilities as arguments."""
    sides = (LEFT, RIGHT)
    even = dict.fromkeys(sides, 0.5)
    doors = {"open-left": even, "open-right": even}
    numbers = tiger_compiled.build_setting(
        {
            "obs_probs": {
                a: {**doors, "listen": {b: 0.85 if a == b else 0.15 for b in sides}} for a in sides
            },
            "trans_probs": {
                a: {**doors, "listen": {b: float(a == b) for b in sides}} for a in sides
            },
        }
    )
    belief = pomdp_py.Histogram({tiger_compiled.TigerState(side): 0.5 for side in sides})
    return tiger_compiled.TigerProblem(
        numbers["obs_probs"], numbers["trans_probs"], tiger_compiled.TigerState(LEFT), belief
    ).agent


def rock_belief(state: type) -> Any:
    """Return the uniform belief over rocks: one particle for each combination."""
    size, count = MAP
    kinds = itertools.product(("good", "bad"), repeat=count)
    return pomdp_py.Particles([state((0, size // 2), each, False) for each in kinds])


def rock_places() -> dict[tuple[int, int], int]:
    """Return the number of the rock in each cell that has one."""
    return {cell: rock for rock, cell in enumerate(rocksample.PUBLISHED[MAP])}


def python_rocks() -> Any:
    """Return the agent of its RockSample."""
    belief = rock_belief(rock_python.State)
    some = belief.particles[0]
    return rock_python.RockSampleProblem(*MAP, some, rock_places(), belief).agent


class RandomRocks(pomdp_py.RolloutPolicy):
    """Any move on the map, any check, a sample at a rock's place; for the compiled RockSample.

    Only rocks ``left`` are checked and sampled, by default all.
    """

    def __init__(self, left: Collection[int] | None = None) -> None:
        size, count = MAP
        left = range(count) if left is None else left
        checks = [rock_compiled.CheckAction(rock) for rock in left]
        north, south = sorted(
            (rock_compiled.MoveNorth, rock_compiled.MoveSouth), key=lambda a: -a.motion[1]
        )
        self._actions = {}
        for x, y in itertools.product(range(size + 1), range(size)):
            offered = [rock_compiled.MoveEast, *checks]
            offered += [rock_compiled.MoveWest] * (x > 0) + [south] * (y > 0)
            offered += [north] * (y < size - 1)
            offered += [rock_compiled.SampleAction()] * (rock_places().get((x, y)) in left)
            self._actions[x, y] = offered

    def get_all_actions(self, state: Any = None, history: Any = None) -> list:
        """Return the legal actions in the rover's cell."""
        return self._actions[state.position]

    def rollout(self, state: Any, history: Any = None) -> Any:
        """Return one of these at random."""
        return random.choice(self._actions[state.position])


def compiled_rocks(belief: Any = None, left: Collection[int] | None = None) -> Any:
    """Return an agent of its compiled RockSample models.

    ``belief`` is by default that of the start; ``left`` are the rocks not sampled yet.
    """
    size, places = MAP[0], rock_places()

    def away(cell: tuple[int, int]) -> bool:
        return cell[0] == size

    return pomdp_py.Agent(
        rock_belief(rock_compiled.RSState) if belief is None else belief,
        RandomRocks(left),
        rock_compiled.RSTransitionModel(size, places, away),
        rock_compiled.RSObservationModel(places),
        rock_compiled.RSRewardModel(places, away),
    )


def rate(plan: Plan, simulations: int, repeats: int, plans: int = 1) -> float:
    """Return simulations per CPU second; ``plans`` are timed together, since clocks are coarse."""

    def work() -> None:
        for _ in range(plans):
            plan(simulations)

    return plans * simulations / measure(work, repeats)[0]


def compare(simulations: int, repeats: int) -> None:
    """Print simulations per second of both, problem by problem, with ratios."""
    start = tiger.TigerParameters(steps=TIGER_STEPS, rollout=tiger.RANDOM)
    rocks = rocksample.rocksample(
        MAP[0], rocksample.PUBLISHED[MAP], steps=ROCK_STEPS, rollout=rocksample.RANDOM
    )
    pouct, pomcp = pomdp_py.POUCT, pomdp_py.POMCP
    cases = {
        f"Tiger, {TIGER_STEPS} steps": (
            ours(start, TIGER_RANGE),
            {
                "POUCT, models in Python": theirs(pouct, python_tiger, TIGER_STEPS, TIGER_RANGE),
                "POUCT, compiled models": theirs(pouct, compiled_tiger, TIGER_STEPS, TIGER_RANGE),
            },
        ),
        f"RockSample[{MAP[0]},{MAP[1]}], {ROCK_STEPS} steps": (
            ours(rocks, ROCK_RANGE),
            {
                "POMCP, models in Python": theirs(pomcp, python_rocks, ROCK_STEPS, ROCK_RANGE),
                "POMCP, compiled models": theirs(pomcp, compiled_rocks, ROCK_STEPS, ROCK_RANGE),
            },
        ),
    }
    show_load()
    for name, (mine, others) in cases.items():
        own = rate(mine, simulations, repeats, plans=20)
        show(name, f"{own:,.0f} /s CPU")
        for other, plan in others.items():
            found = rate(plan, simulations, repeats)
            show(f"  pomdp-py {other}", f"{found:,.0f} /s CPU", f"ratio {own / found:,.0f}")


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=10_000, help="of one plan")
    parser.add_argument("--repeats", type=int, default=3, help="of the comparison")
    asked = parser.parse_args()
    if asked.simulations < 1 or asked.repeats < 1:
        parser.error("simulations and repeats must be at least 1")
    compare(asked.simulations, asked.repeats)


if __name__ == "__main__":
    main()
