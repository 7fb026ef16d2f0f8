"""Tiger and RockSample: ours against POMCP of POMDPPlanners; `make planners` runs it.

    python -m benchmarks.peers.planners [--rounds 5] [--simulations 300] [--episodes 100]
                                        [--milliseconds 100] [--seed 9001]

The rows are those of `benchmarks.peers`, in an environment of its own: POMDPPlanners needs 6 GB.
Both play the same episodes from the exact belief, of which theirs gets 1,000 particles, with a new
tree at each decision, random roll-outs of the same length and POMCP's exploration.  Ours chooses by
the mean, as theirs does.  At RockSample only speed is compared: theirs may choose actions that our
world does not have.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable
from typing import Any

import numpy as np
from POMDPPlanners.core.belief import WeightedParticleBelief
from POMDPPlanners.environments.rock_sample_pomdp import RockSamplePOMDP
from POMDPPlanners.environments.tiger_pomdp import TigerPOMDP
from POMDPPlanners.planners.mcts_planners.pomcp import POMCP

from benchmarks.peers.measuring import Table, in_time, rates
from benchmarks.peers.pomdps import OURS, Choose, Contestant, Loop, begin_chance, ours
from mcts.problems import rocksample, tiger

THEIRS = "POMDPPlanners POMCP"
PARTICLES = 1_000
TIGER = tiger.TigerParameters(steps=30, rollout=tiger.RANDOM)
TIGER_RANGE = 110.0
"""Range of one reward, POMCP's exploration."""
DOORS = {"listen": tiger.LISTEN, "open_left": tiger.OPEN_LEFT, "open_right": tiger.OPEN_RIGHT}

MAP = (7, 8)
ROCKS = rocksample.rocksample(
    MAP[0], rocksample.PUBLISHED[MAP], steps=90, rollout=rocksample.RANDOM
)
ROCK_RANGE = 20.0
MOVES = {
    0: rocksample.SAMPLE,
    1: rocksample.SOUTH,
    2: rocksample.EAST,
    3: rocksample.NORTH,
    4: rocksample.WEST,
}
"""Our actions by theirs; checks follow, rock by rock."""


def pomcp(
    environment: Any,
    units: float,
    steps: int,
    particles: Callable[[Any], list],
    number: Callable[[Any], int],
) -> Contestant:
    """Return POMCP of POMDPPlanners for an ``environment``.

    ``particles``: states drawn from the exact belief of a position; ``number``: our action.
    """

    def make(simulations: int) -> Choose:
        planner = POMCP(
            environment=environment,
            discount_factor=0.95,
            depth=steps,
            exploration_constant=units,
            name="POMCP",
            n_simulations=simulations,
        )

        def choose(p: Any, key: int) -> int:
            begin_chance(key)
            weights = np.full(PARTICLES, -np.log(PARTICLES))
            return number(planner.action(WeightedParticleBelief(particles(p), weights))[0][0])

        return choose

    return make


def place_tigers(p: tiger.TigerParameters) -> list[str]:
    """Return states of their Tiger."""
    left = np.random.random(PARTICLES) < p.left
    return ["tiger_left" if each else "tiger_right" for each in left]


def place_rocks(p: rocksample.RockSampleParameters) -> list[np.ndarray]:
    """Return states of their RockSample: row, column, and which rocks are good."""
    good = (np.random.random((PARTICLES, len(p.good))) < p.good) & p.left
    return [np.array([p.y, p.x, *each], float) for each in good]


def loops() -> tuple[Loop, Loop]:
    """Return the closed loops of both problems."""
    rocks = [(int(y), int(x)) for x, y in rocksample.PUBLISHED[MAP]]
    field = RockSamplePOMDP(
        map_size=(MAP[0], MAP[0]),
        rock_positions=rocks,
        init_pos=(int(ROCKS.y), int(ROCKS.x)),
        sensor_efficiency=20.0,
    )
    doors = pomcp(TigerPOMDP(0.95), TIGER_RANGE, TIGER.steps, place_tigers, DOORS.__getitem__)
    checks = len(MOVES)

    def number(action: int) -> int:
        return MOVES[action] if action < checks else rocksample.CHECK + action - checks

    samples = pomcp(field, ROCK_RANGE, ROCKS.steps, place_rocks, number)
    return (
        Loop(
            f"Tiger, {TIGER.steps} steps",
            TIGER,
            tiger.after,
            {OURS: ours(TIGER, TIGER_RANGE), THEIRS: doors},
        ),
        Loop(
            f"RockSample[{MAP[0]},{MAP[1]}], {ROCKS.steps} steps",
            ROCKS,
            rocksample.after,
            {OURS: ours(ROCKS, ROCK_RANGE), THEIRS: samples},
        ),
    )


def main() -> None:
    """Print speeds, and returns at equal simulations and at equal time."""
    logging.disable(logging.INFO)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default, what in (
        ("rounds", 5, "of the measurement of speed"),
        ("simulations", 300, "a decision at Tiger"),
        ("episodes", 100, "at Tiger"),
        ("milliseconds", 100, "of CPU a decision"),
        ("seed", 9001, "of the first episode"),
    ):
        parser.add_argument(f"--{name}", type=int, default=default, help=what)
    asked = parser.parse_args()
    table = Table()
    doors, rocks = loops()
    speed = rates(doors.works(), asked.rounds)
    table.speeds(doors.name, speed)
    table.speeds(rocks.name, rates(rocks.works(), asked.rounds))
    same = dict.fromkeys(speed, asked.simulations)
    allowed = {name: in_time(each, asked.milliseconds) for name, each in speed.items()}
    for budget, counts in (("", same), (f"{asked.milliseconds} ms: ", allowed)):
        for name, simulations in counts.items():
            found = doors.returns(name, simulations, asked.episodes, asked.seed)
            what = f"return, {budget}{simulations:,} simulations"
            table.means(doors.name, what, {name: found})


if __name__ == "__main__":
    main()
