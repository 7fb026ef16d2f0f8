"""Tiger for `benchmarks.peers.pomdps`."""

from __future__ import annotations

from collections.abc import Callable

import pomdp_py
from pomdp_py.problems.tiger import tiger_problem as tiger_python
from pomdp_py.problems.tiger.cythonize import tiger_problem as tiger_compiled

from benchmarks.bench_plain import plain as plain_tiger
from benchmarks.bench_pomdp import (
    LEFT,
    RIGHT,
    TIGER_RANGE,
    TIGER_STEPS,
    compiled_tiger,
    python_tiger,
    theirs,
)
from benchmarks.peers.pomdps import OURS, Choose, Contestant, Loop, begin_chance, options, ours
from mcts.options import Budget
from mcts.problems import tiger
from mcts.search import Search

START = tiger.TigerParameters(steps=TIGER_STEPS, rollout=tiger.RANDOM)
ACTIONS = {"listen": tiger.LISTEN, "open-left": tiger.OPEN_LEFT, "open-right": tiger.OPEN_RIGHT}


def plain(simulations: int) -> Choose:
    """Ours, on Tiger in plain Python."""
    problem = plain_tiger(TIGER_STEPS)
    start = problem.position()
    search = Search(start, options(start, TIGER_RANGE, simulations))

    def choose(p: tiger.TigerParameters, key: int) -> int:
        position = problem.position(lambda chance: (chance.random() < p.left, None))
        return problem.action(search.run(Budget(simulations=simulations), key, position).best)

    return choose


def pouct(agent: Callable[[], object], state: type) -> Contestant:
    """Return POUCT of pomdp-py for an ``agent`` with states of a type."""

    def make(simulations: int) -> Choose:
        def choose(p: tiger.TigerParameters, key: int) -> int:
            begin_chance(key)

            def believing() -> object:
                fresh = agent()
                belief = {state(LEFT): p.left, state(RIGHT): 1.0 - p.left}
                fresh.set_belief(pomdp_py.Histogram(belief))
                return fresh

            plan = theirs(pomdp_py.POUCT, believing, TIGER_STEPS, TIGER_RANGE)
            return ACTIONS[plan(simulations).name]

        return choose

    return make


LOOP = Loop(
    f"Tiger, {TIGER_STEPS} steps",
    START,
    tiger.after,
    {
        OURS: ours(START, TIGER_RANGE),
        "ours, plain Python": plain,
        "pomdp-py POUCT, models in Python": pouct(python_tiger, tiger_python.TigerState),
        "pomdp-py POUCT, compiled models": pouct(compiled_tiger, tiger_compiled.TigerState),
    },
)
