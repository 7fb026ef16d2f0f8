"""Plays others' problems against the values of others' solvers; `make peers` runs it.

    python -m benchmarks.solvers FOLDER [--out results/solvers] [--only tiger.95,Hallway.pomdp]
        [--planners pomcp,root_only,fib] [--simulations 1000,10000,100000] [--leaf fib]
        [--episodes 30] [--seed 9101] [--seconds 120] [--workers 2]
    python -m benchmarks.solvers --out results/solvers [--picture tree.png]

Files with faults or a discount of 1 are left out.  Solvers on the path (`pomdpsol`, `pomdp-solve`)
run for at most the given seconds each.  Rows are kept in the folder of results: the same command
continues, and without FOLDER the tables, and `errors.csv` next to the rows, are made from the rows.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from benchmarks.solvers import picture, references, report, rows
from benchmarks.solvers.planners import PLANNERS, POLICIES
from mcts.tabular.files import ENDINGS
from mcts.tabular.tables import ROLLOUTS, TablesFault


def list_files(folder: Path, names: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files that are problems with a discount below 1, the smallest first."""
    for path in sorted(folder.iterdir(), key=lambda path: (path.stat().st_size, path.name)):
        if path.name.lower().endswith(ENDINGS) and path.name.startswith(names):
            try:
                if rows.read_problem(path).discount < 1:
                    yield path
            except TablesFault as fault:
                print(f"left out: {fault}")


def list_units(asked: argparse.Namespace, problem: str) -> Iterator[rows.Unit]:
    """Yield the episodes of a problem, each with all planners."""
    for episode in range(asked.episodes):
        for planner in asked.planners.split(","):
            policy = planner in POLICIES
            leaf = "" if policy else asked.leaf
            for simulations in ["0"] if policy else asked.simulations.split(","):
                yield rows.Unit(problem, planner, int(simulations), leaf, asked.seed, episode)


def play(asked: argparse.Namespace) -> None:
    """Find the bounds and play the episodes of all problems."""
    asked.out.mkdir(parents=True, exist_ok=True)
    seeds = {row["seed"] for row in rows.read(asked.out / rows.EPISODES)} - {asked.seed}
    if seeds:
        sys.exit(f"{asked.out} has episodes of seed {seeds.pop()}: give it, or another --out")
    for path in list_files(asked.folder, tuple(asked.only.split(","))):
        file = asked.out / rows.REFERENCES
        known = rows.read(file)
        if path.name not in {row["problem"] for row in known}:
            found = references.find(path, rows.read_problem(path), asked.seconds)
            rows.write(file, [*known, *found])
        rows.find_vectors(path, asked.out, asked.seed)
        rows.measure(asked.folder, asked.out, list_units(asked, path.name), asked.workers)


def main(arguments: Sequence[str] | None = None) -> None:
    """Play what is missing, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.solvers")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--picture", type=Path, help="file of a picture of what the tree adds")
    parser.add_argument("--leaf", choices=ROLLOUTS, default="fib")
    for name, default, what in (
        ("out", Path("results/solvers"), "folder of results"),
        ("only", "", "files, or how their names begin"),
        ("planners", ",".join(PLANNERS), "by name"),
        ("simulations", "1000,10000,100000", "a decision"),
        ("episodes", 30, "of each planner"),
        ("seed", 9101, "of all episodes"),
        ("seconds", 120, "for each solver and problem; 0: none is run"),
        ("workers", 1, "processes"),
    ):
        parser.add_argument(f"--{name}", type=type(default), default=default, help=what)
    asked = parser.parse_args(arguments)
    unknown = {*asked.planners.split(",")} - {*PLANNERS}
    if unknown:
        parser.error(f"--planners {unknown.pop()}: choose {', '.join(PLANNERS)}")
    if asked.folder:
        print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        try:
            play(asked)
        except KeyboardInterrupt:
            sys.exit(f"stopped; the rows are in {asked.out}, the same command continues")
    kept = (asked.out / name for name in (rows.EPISODES, rows.REFERENCES))
    found = [pl.read_parquet(file.read_bytes()) for file in kept]
    *shown, errors = report.tables(*found)
    print(*shown, sep="\n\n")
    errors.write_csv(asked.out / "errors.csv")
    if asked.picture:
        picture.draw(*found, asked.picture)


if __name__ == "__main__":
    main()
