"""Overhead of experiments over bare games, and gain of a second worker.

    python -m benchmarks.bench_experiments [--games 1000000] [--planner-games 60]

Ratios are of measurements in this run; the control of the second worker is an independent second
process.  Set-up (Ray, compiled code) is timed separately, part by part.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from experiments.matches import lineups, match_loop, play, results, startup
from experiments.matches.schedule import Match
from experiments.runs import runfolder
from experiments.runs.summary import figures
from experiments.settings import config
from experiments.stats import stopping

MATCHES = {
    "cheap": ("player=heuristic",),
    "planner": ("player=bmcts", "player.budget.simulations=300"),
}
"""Overrides of the timed matches: four heuristic players, and one with a planner."""


def match(name: str) -> Match:
    """Return the match ``name`` of `MATCHES`."""
    (found,) = lineups.matches(config.compose("compare", MATCHES[name]))
    return found


def bare(name: str, games: int) -> dict[str, float]:
    """Play ``games`` in this process, as the arena or the referee does, without keeping rows."""
    import sim.players.registry
    import sim.rules
    from sim.arena import play_many

    found = match(name)
    play.warm(found)
    started = time.perf_counter()
    if found.compiled:
        rules = sim.rules.preset(**found.rules)
        policies = [
            sim.players.registry.make_policy(each) for each in (found.entrants[1],) * found.players
        ]
        play_many(rules, policies, found.seed, np.arange(games))
    else:
        for game in range(games):
            play.portion(found, [game])
    return {"seconds": time.perf_counter() - started}


def machinery(name: str, games: int, workers: int) -> dict[str, float]:
    """Play ``games`` as `experiments.compare` does; return seconds, memory and bytes on disk."""
    parts: dict[str, float] = {}

    def measure(part: str, job: Callable[[], Any]) -> Any:
        started = time.perf_counter()
        value = job()
        parts[part] = time.perf_counter() - started
        return value

    found = match(name)
    config.cores = lambda: workers  # otherwise Ray would have more than one worker
    measure("set-up: compiled code", lambda: play.warm(found))
    console = Console(quiet=True)
    resources = measure("set-up: Ray", lambda: startup.resources([found], workers, None, console))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        runfolder.claim(folder, [found], "games")
        played = results.Results(folder, [found])
        first = measure(
            "set-up: workers", lambda: match_loop.play(played, 4 * workers, *_to(resources))
        )
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        measure("seconds", lambda: match_loop.play(played, 4 * workers + games, *_to(resources)))
        measure("summary", lambda: figures(played))
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        size = sum(path.stat().st_size for path in folder.iterdir())
        assert first.fault is None and played.games == 4 * workers + games
    return {**parts, "MB more": (after - before) / 1024, "MB": after / 1024, "bytes": size}


def _to(
    resources: match_loop.Resources,
) -> tuple[stopping.Stop, match_loop.Resources, Callable[[], bool]]:
    return stopping.Stop(), resources, lambda: True


def apart(*arguments: object, processes: int = 1) -> list[dict[str, float]]:
    """Run this module in concurrent separate processes; return their measurements."""
    command = [sys.executable, "-m", __spec__.name, "--one", *map(str, arguments)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(processes)]
    return [json.loads(process.communicate()[0].splitlines()[-1]) for process in started]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=1_000_000, metavar="N", help="cheap ones")
    parser.add_argument("--planner-games", type=int, default=60, metavar="N")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        how, name, *numbers = arguments.one
        job = {"bare": bare, "machinery": machinery}[how]
        print(json.dumps(job(name, *map(int, numbers))))
        return
    for name, games in (("cheap", arguments.games), ("planner", arguments.planner_games)):
        compare(name, games)


def compare(name: str, games: int) -> None:
    """Print the lines of one match."""
    half = games // 2
    (alone,) = apart("bare", name, half)
    both = apart("bare", name, half, processes=2)
    (one,) = apart("machinery", name, half, 1)
    (two,) = apart("machinery", name, games, 2)
    slowest = max(each["seconds"] for each in both)
    control = 2 * alone["seconds"] / slowest
    print(f"{name}: {half:,} bare games in {alone['seconds']:.1f} s")
    print(
        f"  machinery over bare games: one worker {one['seconds'] / alone['seconds'] - 1:+.1%}, "
        f"two {two['seconds'] / slowest - 1:+.1%}"
    )
    print(f"  second worker: {2 * one['seconds'] / two['seconds']:.2f} x, control {control:.2f} x")
    print(
        f"  {games:,} games, two workers: {two['seconds']:.1f} s, summary {two['summary']:.1f} s; "
        f"driver {two['MB']:.0f} MB, {two['MB more']:.0f} of them for the games; "
        f"{two['bytes'] / games:.1f} bytes a game on disk"
    )
    print("  " + ", ".join(f"{k} {v:.1f} s" for k, v in two.items() if k.startswith("set-up")))


if __name__ == "__main__":
    main()
