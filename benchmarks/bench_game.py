"""Speed of the planners and the main job, each figure with a control of the same run.

    python -m benchmarks.bench_game [--only search,threads,start] [--repeats 5]

* search: every planner at the opening against `swift` that accuses from 0.35, one thread.  Control:
  the roll-outs alone, each from a copy of an initial state of a simulation; the share is what
  remains after drawing deals, tree and belief.  Bytes per node are those allocated, with edges.
* threads: two threads on one tree against one.  Control: two concurrent independent searches.
* start: the main job with two tiny games, first with no machine code on disk, then again, and its
  peak memory.  Control: a process that only performs the job's imports.

`bench_arena` times games of compiled policies, `bench_belief` the beliefs.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # when called as a script

from benchmarks import bench_search  # noqa: E402
from benchmarks.timing import measure, show, show_load  # noqa: E402
from mcts.kernel.compile import jit  # noqa: E402
from mcts.kernel.rng import draw, fold, new_stream  # noqa: E402
from mcts.options import Budget  # noqa: E402
from mcts.search import Search  # noqa: E402
from mcts.tree import NODES  # noqa: E402
from sim.chance import game_key  # noqa: E402
from sim.game import new_game  # noqa: E402
from sim.planning import cluedo  # noqa: E402
from sim.planning.config import TREE, PlannerConfig  # noqa: E402
from sim.planning.planner import Planner  # noqa: E402
from sim.planning.variants import VARIANTS  # noqa: E402
from sim.policies.registry import Policy, seat_policies  # noqa: E402
from sim.rules import Rules, world  # noqa: E402
from sim.state import empty  # noqa: E402
from sim.view import view_of  # noqa: E402

STARTS = 512


@jit
def bare_rollouts(p, s, states: np.recarray, stream: np.ndarray, n: int) -> float:
    """Copy one of ``states`` and roll out from it, ``n`` times."""
    total = 0.0
    for i in range(n):
        s.state[0] = states[i % len(states)]
        s.state[0].key = draw(stream)
        total += cluedo.rollout(p, s, stream)
    return total


@jit
def drawn_rollouts(p, s, stream: np.ndarray, key: np.uint64, n: int) -> float:
    """Begin a simulation (a new deal, informed opponents) and roll out, ``n`` times."""
    total = 0.0
    for i in range(n):
        stream[0] = fold(key, i)
        cluedo.start(p, s, stream)
        total += cluedo.rollout(p, s, stream)
    return total


SWIFT = Policy("swift", threshold=0.35)


def plan_of(variant: str, simulations: int) -> PlannerConfig:
    """Return the configuration of a planner with `swift` in all other seats."""
    by_tree = "ismcts" in variant
    options = replace(PlannerConfig().options, nodes=simulations + 1)
    return PlannerConfig(
        variant,
        opponents=TREE if by_tree else SWIFT,
        rollout_opponents=SWIFT if by_tree else None,
        options=options,
    )


def opening(config: PlannerConfig | None = None) -> cluedo.Cluedo:
    """Return the first position of a game, as the planner of seat 0 searches it."""
    rules, state = Rules(), empty()[0]
    seat_policies(state, [None, "heuristic", "heuristic", "heuristic"])
    new_game(world(rules)[0], state, np.uint64(game_key(0, 0)))
    planner = Planner(config or PlannerConfig())
    planner.begin(rules, 0, view_of(state, 0), 1)
    return planner.position(view_of(state, 0))


def search(repeats: int) -> None:
    """Time the planners one after another."""
    for variant in VARIANTS:
        if variant != "pimc":  # whose trees know the answer at once
            one_planner(variant, repeats)


def one_planner(variant: str, repeats: int, simulations: int = 4_000) -> None:
    """Time a planner at the opening, with its roll-outs alone as control."""
    config = plan_of(variant, simulations)
    p = opening(config)
    s, stream = cluedo.workspace(p), new_stream(2)
    states = empty(STARTS)
    for i in range(STARTS):
        cluedo.start(p, s, stream)
        states[i] = s.state[0]
    planned = Search(p, config.search_options)
    # Measured in turn, so that load affects all alike.
    ways = {
        "search": lambda: planned.run(Budget(simulations=simulations), 1),
        "bare": lambda: bare_rollouts(p, s, states, stream, simulations),
        "drawn": lambda: drawn_rollouts(p, s, stream, np.uint64(7), simulations),
    }
    rounds = [{name: measure(way, 1) for name, way in ways.items()} for _ in range(repeats)]
    cpu = {name: statistics.median(each[name][0] for each in rounds) for name in ways}
    wall = statistics.median(each["search"][1] for each in rounds)
    show(
        f"{variant}, simulations at the opening",
        f"{simulations / cpu['search']:,.0f} /s CPU, {simulations / wall:,.0f} wall",
        f"control: {simulations / cpu['bare']:,.0f} bare roll-outs a CPU second; "
        f"share {cpu['bare'] / cpu['search']:.2f}",
    )
    show(
        "  one simulation",
        f"{1e6 * cpu['search'] / simulations:.1f} us CPU",
        f"roll-out {1e6 * cpu['bare'] / simulations:.1f}, with its deal and opponents "
        f"{1e6 * cpu['drawn'] / simulations:.1f}",
    )
    tree = planned.tree
    size = sum(part.nbytes for part in tree)
    made = min(int(tree.counters[NODES]), config.search_options.nodes)
    show(
        "  nodes made",
        f"{made} of {simulations} simulations",
        f"{size / config.search_options.nodes:,.0f} bytes a node allowed",
    )


def two_threads(repeats: int, seconds: float = 0.7) -> None:
    """Compare two threads on one tree with two concurrent searches, by wall time."""
    p = opening()
    ways = [
        bench_search.one(p, 1, seconds),
        bench_search.one(p, 2, seconds),
        bench_search.side_by_side(p, 2, seconds),
    ]
    rounds = [[way(key) for way in ways] for key in range(repeats + 1)][1:]
    single, double, control = (statistics.median(column) for column in zip(*rounds, strict=True))
    show(
        "two threads on one tree",
        f"{double / single:.2f}x of one (wall)",
        f"control: two searches {control / single:.2f}x; share {double / control:.2f}",
    )


def memory_of(leader: int) -> int:
    """Return the memory in bytes of a process and its descendants, shared pages counted once."""
    total = 0
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(leader)
        for each in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.Error):  # it has ended
                total += each.memory_full_info().pss
    return total


def run(arguments: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Run a command to its end; return wall seconds and the peak memory in GB of its processes."""
    began = time.perf_counter()
    process = subprocess.Popen(
        arguments,
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    output: list[str] = []
    reader = threading.Thread(target=lambda: output.extend(process.stdout))
    reader.start()
    peak = 0
    while process.poll() is None:
        peak = max(peak, memory_of(process.pid))
        time.sleep(0.25)
    seconds = time.perf_counter() - began
    reader.join()
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{''.join(output)}")
    return seconds, peak / 1e9


def starts() -> None:
    """Time the first-ever and the second start of the main job, and its memory."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {"SLEUTH_CACHE_DIR": f"{folder}/cache"}
        command = [
            *(sys.executable, "-m", "experiments.compare", "match.games=2"),
            *("player.budget.simulations=10", "tracking.enabled=false"),
        ]
        imports = "import numba, ray, hydra, matplotlib, pyarrow, scipy.stats, networkx, rich"
        bare, _ = run([sys.executable, "-c", imports], environment)
        first, _ = run([*command, f"run.folder={folder}/first"], environment)
        again, peak = run([*command, f"run.folder={folder}/again"], environment)
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e9
    show(
        "main job, two tiny games",
        f"{first:.1f} s first, {again:.1f} s warm",
        f"control: {bare:.1f} s for its imports (wall)",
    )
    show(
        "  peak memory",
        f"{peak:.2f} GB all processes",
        f"{largest:.2f} GB the largest, compiler included",
    )


def main() -> None:
    """Measure the requested parts and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = ("search", "threads", "start")
    parser.add_argument("--only", default=",".join(parts), help="parts, separated by commas")
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    chosen = asked.only.split(",")
    if not set(chosen) <= set(parts):
        parser.error(f"parts are {', '.join(parts)}")
    show_load()
    if "search" in chosen:
        search(asked.repeats)
    if "threads" in chosen:
        two_threads(asked.repeats)
    if "start" in chosen:
        starts()


if __name__ == "__main__":
    main()
