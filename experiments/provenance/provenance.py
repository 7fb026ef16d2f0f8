"""Provenance of a result: command, versions, commit, machine."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from experiments.settings import repeating
from experiments.texts import redact

_PACKAGES = (
    "sleuth-mcts",
    "numpy",
    "numba",
    "llvmlite",
    "ray",
    "scipy",
    "mlflow",
    "pyarrow",
    "polars",
    "optuna",
    "choix",
)

_NOT_PAGES = ":(exclude)docs"
"""Of Git: what no result depends on."""


def origin() -> dict[str, Any]:
    """Return all of this as `summary.json` and its like hold it, as plain data."""
    return {"command": command(), "versions": versions(), "commit": commit(), "machine": machine()}


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that a result may depend on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a checkout that is not installed
            found[package] = "not installed"
    return found


def commit() -> str | None:
    """Return the commit of the checkout that this code runs from, None where there is none.

    With ``+changes`` behind it if files have been changed since, pages and kept rows apart.
    """
    here = Path(__file__).resolve().parents[2]
    if not (here / ".git").exists():  # installed, perhaps inside somebody else's repository
        return None
    try:
        head = _git(here, "rev-parse", "HEAD")
        # With a lock, one killed at its limit of time would leave it behind.
        changed = _git(
            here, "--no-optional-locks", "status", "--porcelain", "-uno", "--", ".", _NOT_PAGES
        )
        return f"{head}+changes" if changed else head
    except (OSError, subprocess.SubprocessError):
        return None


def _git(folder: Path, *arguments: str) -> str:
    asked = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, timeout=5, check=True
    )
    return asked.stdout.strip()


def command() -> str:
    """Return the command line that repeats this run; outside of Hydra, that of this process."""
    repeats = repeating.command_line()
    if repeats is not None:
        return repeats
    main = sys.modules["__main__"]
    module = getattr(getattr(main, "__spec__", None), "name", None)
    module = module and module.removesuffix(".__main__")
    program = ["python", "-m", module] if module else [Path(sys.argv[0]).name]
    return shlex.join([*program, *redact(sys.argv[1:])])


def tags(folder: Path, repeats: str | None = None) -> dict[str, str]:
    """Return what the record of a run in ``folder`` says of where it comes from.

    ``repeats``: the command line that repeats it; by default that of `command`.
    """
    found = {f"version.{name}": number for name, number in versions().items()}
    found |= {"command": repeats or command(), "folder": str(folder.resolve())}
    program = found["command"].split()
    name = program[2] if program[:2] == ["python", "-m"] else program[0]
    # The column "Source" of MLflow's table of runs, which has room for one word.
    found |= {"mlflow.source.name": name, "mlflow.source.type": "LOCAL"}
    head = commit()
    return found if head is None else {**found, "mlflow.source.git.commit": head}


def machine() -> str:
    """Return what the run was played on, in a few words, its processor as LLVM calls it.

    Libraries have code for each kind of processor, which may differ in the last digit.
    """
    from llvmlite.binding import get_host_cpu_name  # slow to import

    processor = f"{platform.machine()} {get_host_cpu_name()}"
    return f"{platform.system()} {processor}, {os.cpu_count()} cores"
