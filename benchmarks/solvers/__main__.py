"""Plays others' problems against the values of others' solvers; `make peers` runs it.

    python -m benchmarks.solvers FOLDER [--out results/solvers] [--only tiger.95,Hallway.pomdp]
        [--planners pomcp,root_only,fib] [--simulations 1000,10000,100000] [--leaf fib]
        [--episodes 30] [--seed 9101] [--seconds 120] [--workers 2]
    python -m benchmarks.solvers --out results/solvers

FOLDER has files that `mcts.tabular.files` reads; those with a discount of 1 or with faults are left
out.  Solvers on the path (`pomdpsol`, `pomdp-solve`) are run for at most the given seconds each.
Rows are kept in the folder of results: the same command continues, and without FOLDER the tables
are made from the rows.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from benchmarks.solvers import references, report, rows
from benchmarks.solvers.planners import PLANNERS, POLICIES
from mcts.tabular.files import ENDINGS
from mcts.tabular.tables import ROLLOUTS, TablesFault


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the arguments."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.solvers")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--out", type=Path, default=Path("results/solvers"))
    parser.add_argument("--only", default="", help="names, or how they begin")
    parser.add_argument("--planners", default=",".join(PLANNERS))
    parser.add_argument("--simulations", default="1000,10000,100000")
    parser.add_argument("--leaf", choices=ROLLOUTS, default="fib")
    for name, default, what in (
        ("episodes", 30, "of each planner"),
        ("seed", 9101, "of all episodes"),
        ("seconds", 120, "for each solver and problem; 0: none is run"),
        ("workers", 1, "processes"),
    ):
        parser.add_argument(f"--{name}", type=int, default=default, help=what)
    asked = parser.parse_args(arguments)
    asked.planners = asked.planners.split(",")
    asked.simulations = [int(number) for number in asked.simulations.split(",")]
    asked.only = tuple(asked.only.split(","))
    unknown = [name for name in asked.planners if name not in PLANNERS]
    if unknown:
        parser.error(f"--planners {unknown[0]}: choose {', '.join(PLANNERS)}")
    if asked.folder and not asked.folder.is_dir():
        parser.error(f"{asked.folder} is no folder")
    return asked


def list_files(asked: argparse.Namespace) -> Iterator[Path]:
    """Yield the files that are problems with a discount below 1, the smallest first."""
    found = sorted(asked.folder.iterdir(), key=lambda path: (path.stat().st_size, path.name))
    for path in found:
        if path.name.lower().endswith(ENDINGS) and path.name.startswith(asked.only):
            try:
                discount = rows.read_problem(path).discount
            except TablesFault as fault:
                print(f"left out: {fault}")
                continue
            if discount < 1:
                yield path


def list_units(asked: argparse.Namespace, path: Path) -> Iterator[rows.Unit]:
    """Yield the episodes of a problem, those of all planners one after another."""
    for episode in range(asked.episodes):
        for planner in asked.planners:
            policy = planner in POLICIES
            for simulations in [0] if policy else asked.simulations:
                leaf = "" if policy else asked.leaf
                yield rows.Unit(path.name, planner, simulations, leaf, asked.seed, episode)


def play(asked: argparse.Namespace) -> None:
    """Find the bounds and play the episodes of all problems."""
    asked.out.mkdir(parents=True, exist_ok=True)
    kept = rows.read(asked.out / rows.EPISODES)
    if any(row["seed"] != asked.seed for row in kept):
        sys.exit(f"{asked.out} has episodes of seed {kept[0]['seed']}: give that, or another --out")
    for path in list_files(asked):
        file = asked.out / rows.REFERENCES
        known = rows.read(file)
        if path.name not in {row["problem"] for row in known}:
            problem = rows.read_problem(path)
            rows.write(file, [*known, *references.find(path, problem, asked.seconds)])
        rows.find_vectors(path, asked.out, asked.seed)
        rows.measure(asked.folder, asked.out, list_units(asked, path), asked.workers)


def main(arguments: Sequence[str] | None = None) -> None:
    """Play what is missing, and print the tables."""
    asked = parse(arguments)
    if asked.folder:
        print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        try:
            play(asked)
        except KeyboardInterrupt:
            sys.exit(f"stopped; the rows are in {asked.out}, the same command continues")
    print(
        report.tables(
            *map(pl.read_parquet, (asked.out / rows.EPISODES, asked.out / rows.REFERENCES))
        )
    )


if __name__ == "__main__":
    main()
