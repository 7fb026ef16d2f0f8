"""Values of problems by others' solvers: known ones, and what solvers on the path find."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from mcts.tabular.files import write_pomdp
from mcts.tabular.tables import Tabular

LINE = re.compile(r"^ *[\d.e+-]+ +\d+ +\d+ +(\S+) +(\S+) +\S+ +\d+ +\d+ *$", re.M)
"""A line of `pomdpsol`: time, trials, backups, lower and upper bound, precision, two sizes."""

COMMANDS = {
    "pomdpsol": "pomdpsol --timeout {seconds} --precision 1e-3 --output {folder}/policy {file}",
    "pomdp-solve": "pomdp-solve -pomdp {file} -time_limit {seconds} -o {folder}/solved",
}


def find(path: Path, problem: Tabular, seconds: int) -> Iterator[dict[str, Any]]:
    """Yield rows of bounds at the start: the known ones, and those of each solver on the path.

    ``seconds`` : limit of each solver; 0: none is run
    """
    text = files("benchmarks.solvers").joinpath("references.yaml").read_text("utf-8")
    known, size = yaml.safe_load(text).get(path.name), [*problem.tables.kind.shape]
    if known and known.pop("size") == [*size, problem.tables.actions]:
        yield {"problem": path.name, **known}
    for name in COMMANDS:
        if seconds and shutil.which(name):
            lower, upper = _solve(name, path, problem, seconds) or (None, None)
            source = f"{name}, {seconds} s"
            yield {"problem": path.name, "lower": lower, "upper": upper, "source": source}


def _solve(name: str, path: Path, problem: Tabular, seconds: int) -> tuple[float, float] | None:
    """Return the bounds that a solver finds in time, or None."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"problem{path.suffix.lower()}"
        if file.suffix == ".pomdpx":
            shutil.copyfile(path, file)
        else:
            write_pomdp(problem, file)  # solvers ignore that a file has costs
        words = COMMANDS[name].format(seconds=seconds, folder=folder, file=file).split()
        try:  # which may need some time beyond its limit
            printed = subprocess.run(words, capture_output=True, timeout=seconds + 60).stdout
        except subprocess.TimeoutExpired as late:
            printed = late.stdout or b""
        solved = Path(folder) / "solved.alpha"
        vectors = solved.read_text() if b"Solution found" in printed and solved.exists() else None
    return read_bounds(printed.decode(errors="replace"), vectors, np.asarray(problem.start))


def read_bounds(printed: str, vectors: str | None, start: np.ndarray) -> tuple[float, float] | None:
    """Return the last bounds that `pomdpsol` printed, or the value of `pomdp-solve` twice."""
    if vectors is None:
        lines = LINE.findall(printed)
        return (float(lines[-1][0]), float(lines[-1][1])) if lines else None
    rows = [line.split() for line in vectors.splitlines()]
    value = max(float(start @ np.array(row, float)) for row in rows if len(row) == len(start))
    return value, value
