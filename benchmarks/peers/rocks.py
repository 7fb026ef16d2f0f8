"""RockSample for `benchmarks.peers.pomdps`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pomdp_py
from pomdp_py.problems.rocksample.cythonize import rocksample_problem as rock_compiled

from benchmarks.bench_pomdp import MAP, ROCK_RANGE, ROCK_STEPS, compiled_rocks, theirs
from benchmarks.peers.pomdps import OURS, Choose, Loop, begin_chance, ours
from mcts.problems import rocksample

START = rocksample.rocksample(
    MAP[0], rocksample.PUBLISHED[MAP], steps=ROCK_STEPS, rollout=rocksample.RANDOM
)
MOTIONS = [(0, 1), (1, 0), (0, -1), (-1, 0)]
"""Our move numbers, in their order."""
PARTICLES = 1_000
"""States drawn from the exact belief for each decision, as POMCP requires."""


def number(action: Any) -> int:
    """Return our number of an action of pomdp-py."""
    if isinstance(action, rock_compiled.SampleAction):
        return rocksample.SAMPLE
    if isinstance(action, rock_compiled.CheckAction):
        return rocksample.CHECK + int(str(action).removeprefix("check-"))
    return MOTIONS.index(tuple(action.motion))


def pomcp(simulations: int) -> Choose:
    """POMCP of pomdp-py, compiled models."""

    def choose(p: rocksample.RockSampleParameters, key: int) -> int:
        begin_chance(key)
        good = (np.random.random((PARTICLES, len(p.good))) < p.good) & p.left
        states = [
            rock_compiled.RSState((p.x, p.y), tuple("good" if g else "bad" for g in each), False)
            for each in good.tolist()
        ]
        left = np.flatnonzero(p.left).tolist()

        def believing() -> Any:
            return compiled_rocks(pomdp_py.Particles(states), left)

        return number(theirs(pomdp_py.POMCP, believing, ROCK_STEPS, ROCK_RANGE)(simulations))

    return choose


LOOP = Loop(
    f"RockSample[{MAP[0]},{MAP[1]}], {ROCK_STEPS} steps",
    START,
    rocksample.after,
    {OURS: ours(START, ROCK_RANGE), "pomdp-py POMCP, compiled models": pomcp},
)
