"""Prints one table comparing this project with OpenSpiel and pomdp-py; `make peers` runs it.

    python -m benchmarks.peers [--rounds 5] [--kuhn 1000] [--leduc 100] [--tiger 300] [--rocks 100]
                               [--milliseconds 1] [--seeds 20] [--leduc-seeds 5]
                               [--episodes 300] [--rock-episodes 300] [--seed 9001]

Speed is measured in interleaved rounds, in CPU time of this process.  Quality is given at equal
simulations, and at equal CPU time per decision: as many simulations as the measured speed allows in
the given milliseconds.  Lower exploitability and higher return are better.  Means have a 95 %
interval and, in brackets, the number of seeds or episodes.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable, Sequence

from benchmarks.peers import games
from benchmarks.peers.measuring import Table, in_time, rates


def compare_games(table: Table, asked: argparse.Namespace) -> None:
    """Print Kuhn poker and Leduc poker."""
    for problem, simulations, count in (
        ("kuhn_poker", asked.kuhn, asked.seeds),
        ("leduc_poker", asked.leduc, asked.leduc_seeds),
    ):
        if count == 0:
            continue
        speed = rates(games.works(problem), asked.rounds)
        table.speeds(problem, speed)
        seeds = range(asked.seed, asked.seed + count)
        what = f"exploitability, {simulations:,} simulations"
        for name in games.CONTESTANTS[problem]:
            found = games.exploitabilities(problem, name, simulations, seeds)
            table.means(problem, what, {name: found})
        for name in games.CONTESTANTS[problem]:
            allowed = in_time(speed[name], asked.milliseconds)
            found = games.exploitabilities(problem, name, allowed, seeds)
            what = f"exploitability, {asked.milliseconds:g} ms: {allowed:,} simulations"
            table.means(problem, what, {name: found})


def compare_pomdps(table: Table, asked: argparse.Namespace) -> None:
    """Print Tiger and RockSample, which need pomdp-py."""
    if asked.episodes == asked.rock_episodes == 0:
        return
    from benchmarks.peers import rocks, tigers

    for loop, simulations, episodes in (
        (tigers.LOOP, asked.tiger, asked.episodes),
        (rocks.LOOP, asked.rocks, asked.rock_episodes),
    ):
        if episodes == 0:
            continue
        speed = rates(loop.works(), asked.rounds)
        table.speeds(loop.name, speed)
        for name in loop.contestants:
            found = loop.returns(name, simulations, episodes, asked.seed)
            table.means(loop.name, f"return, {simulations:,} simulations", {name: found})
        for name in loop.contestants:
            allowed = in_time(speed[name], asked.milliseconds)
            found = loop.returns(name, allowed, episodes, asked.seed)
            what = f"return, {asked.milliseconds:g} ms: {allowed:,} simulations"
            table.means(loop.name, what, {name: found})


def _from(least: int) -> Callable[[str], int]:
    """Return a parser of integers from ``least``."""

    def number(given: str) -> int:
        if int(given) < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, not {given}")
        return int(given)

    return number


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default, least, what in (
        ("rounds", 5, 1, "of the speeds"),
        ("kuhn", 1_000, 1, "simulations a decision at Kuhn poker"),
        ("leduc", 100, 1, "at Leduc poker"),
        ("tiger", 300, 1, "at Tiger"),
        ("rocks", 100, 1, "at RockSample"),
        ("seeds", 20, 0, "policies of Kuhn poker; 0: omit"),
        ("leduc-seeds", 5, 0, "policies of Leduc poker, each of 936 searches; 0: omit"),
        ("episodes", 300, 0, "of Tiger; 0: omit"),
        ("rock-episodes", 300, 0, "of RockSample; 0: omit"),
        ("seed", 9001, 0, "of the first policy, and of the episodes"),
    ):
        parser.add_argument(f"--{name}", type=_from(least), default=default, help=what)
    parser.add_argument("--milliseconds", type=float, default=1.0, help="of equal time")
    asked = parser.parse_args(arguments)
    if not 0 < asked.milliseconds < math.inf:
        parser.error(f"argument --milliseconds: must be above 0, not {asked.milliseconds}")
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    table = Table()
    compare_games(table, asked)
    compare_pomdps(table, asked)


if __name__ == "__main__":
    main()
