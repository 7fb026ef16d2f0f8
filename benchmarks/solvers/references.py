"""Values of problems by others' solvers: known ones, and those that solvers on the path find."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from mcts.tabular.files import write_pomdp
from mcts.tabular.tables import Tabular

LINE = re.compile(r"^\s*[\d.e+-]+\s+\d+\s+\d+\s+(\S+)\s+(\S+)\s+\S+\s+\d+\s+\d+\s*$", re.M)
"""A line of `pomdpsol`: time, trials, backups, lower bound, upper bound, precision, sizes."""

_GRACE = 60.0
"""Seconds beyond its limit after which a solver is stopped."""


@cache
def _known() -> dict[str, dict[str, Any]]:
    text = files("benchmarks.solvers").joinpath("references.yaml").read_text("utf-8")
    found: dict[str, dict[str, Any]] = yaml.safe_load(text)
    return found


def read_bounds(printed: str) -> tuple[float, float] | None:
    """Return the last bounds that `pomdpsol` printed, or None."""
    lines = LINE.findall(printed)
    return (float(lines[-1][0]), float(lines[-1][1])) if lines else None


def _solve_by_sarsop(file: Path, problem: Tabular, seconds: int) -> tuple[float, float] | None:
    policy = file.with_suffix(".policy")
    limits = ["--timeout", str(seconds), "--precision", "1e-3", "--output", str(policy)]
    return read_bounds(_run(["pomdpsol", *limits, str(file)], seconds))


def _solve_exactly(file: Path, problem: Tabular, seconds: int) -> tuple[float, float] | None:
    """Return the value twice, from the vectors; None if the limit came first."""
    limits = ["-time_limit", str(seconds), "-o", str(file.with_suffix(""))]
    printed = _run(["pomdp-solve", "-pomdp", str(file), *limits], seconds)
    if file.suffix == ".pomdpx" or "Solution found" not in printed:
        return None
    lines = file.with_suffix(".alpha").read_text().splitlines()
    vectors = [np.array(line.split(), float) for line in lines if len(line.split()) > 1]
    value = float(max(vector @ np.asarray(problem.start, float) for vector in vectors))
    return value, value


SOLVERS: dict[str, Callable[[Path, Tabular, int], tuple[float, float] | None]] = {
    "pomdpsol": _solve_by_sarsop,
    "pomdp-solve": _solve_exactly,
}


def _run(command: list[str], seconds: int) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=seconds + _GRACE
        )
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace")
    return done.stdout


def find(path: Path, problem: Tabular, seconds: int) -> Iterator[dict[str, Any]]:
    """Yield rows of bounds for the file: the known ones, and those of each installed solver.

    ``seconds`` : limit of each solver; 0: none is run
    """
    p = problem.tables
    known = _known().get(path.name)
    if known and known["size"] == [len(p.kind), p.actions]:
        yield _row(path.name, known["source"], (known["lower"], known["upper"]))
    for name, solve in SOLVERS.items():
        if seconds and shutil.which(name):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / f"problem{path.suffix.lower()}"
                if file.suffix == ".pomdpx":  # solvers ignore costs in the other format
                    shutil.copyfile(path, file)
                else:
                    write_pomdp(problem, file)
                bounds = solve(file, problem, seconds)
            yield _row(path.name, f"{name}, {seconds} s", bounds or (None, None))


def _row(problem: str, source: str, bounds: tuple[float | None, float | None]) -> dict[str, Any]:
    return {"problem": problem, "source": source, "lower": bounds[0], "upper": bounds[1]}
