"""Environment steps per CPU second, compared with another version of the project in the same run.

    python -m benchmarks.bench_env [--beside FOLDER] [--rounds 5] [--steps 4000]

* ``accusers``: random players, who mostly accuse at once, so that dealing dominates; everything is
  read by `last`, as in PettingZoo's own benchmark.
* ``games``: players who accuse only without an alternative, to the end of the game.
* ``policies``: `policy_action` ("heuristic") in every seat, without observations.

FOLDER is a checkout of the other version (``git worktree add FOLDER COMMIT``).  Each round times
both in separate processes, one after the other, so that load affects both alike.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
WAYS = ("accusers", "games", "policies")


def _play(game, choose: Callable[[], int], steps: int) -> int:
    """Play whole games, at least ``steps`` steps; return their number."""
    done = 0
    while done < steps:
        game.reset()
        while not (any(game.terminations.values()) or any(game.truncations.values())):
            game.step(choose())
            done += 1
    return done


def _rates(steps: int) -> dict[str, float]:
    """Return steps per CPU second of the importable project, by way."""
    from sim.environment.aec import env, raw_env
    from sim.state import ACCUSE, REVEAL

    rng, wrapped, core = np.random.default_rng(1), env(), raw_env()
    core.reset(seed=1)
    wrapped.reset(seed=1)

    def accuser() -> int:
        return int(rng.choice(np.flatnonzero(wrapped.last()[0]["action_mask"])))

    def player() -> int:
        legal = np.flatnonzero(wrapped.last()[0]["action_mask"])
        quiet = legal[(legal < ACCUSE) | (legal >= REVEAL)]
        return int(rng.choice(quiet if len(quiet) else legal))

    ways = ((wrapped, accuser), (wrapped, player), (core, lambda: core.policy_action("heuristic")))
    rates = {}
    for name, (game, choose) in zip(WAYS, ways, strict=True):
        _play(game, choose, 1)
        begun = time.process_time()
        done = _play(game, choose, steps)
        rates[name] = done / (time.process_time() - begun)
    return rates


def _measure(folder: Path, steps: int) -> dict[str, float]:
    """Return the rates of the project in ``folder``, measured in a separate process."""
    done_there = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), "--worker", "--steps", str(steps)],
        env={**os.environ, "PYTHONPATH": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done_there.stdout)


def main() -> None:
    """Print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--beside", type=Path, help="a checkout of another version")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=4_000)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.worker:
        print(json.dumps(_rates(asked.steps)))
        return
    folders = [ROOT] if asked.beside is None else [ROOT, asked.beside.resolve()]
    rounds = [[_measure(folder, asked.steps) for folder in folders] for _ in range(asked.rounds)]
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for name in WAYS:
        rates = [statistics.median(each[i][name] for each in rounds) for i in range(len(folders))]
        line = f"{name:10} {rates[0]:9,.0f} steps a CPU second"
        if len(rates) > 1:
            ratio = statistics.median(each[0][name] / each[1][name] for each in rounds)
            line += f"; other version {rates[1]:9,.0f}, ratio {ratio:.1f}"
        print(line)


if __name__ == "__main__":
    main()
