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
"""Git pathspec that excludes pages and stored rows, on which no result depends."""


def origin() -> dict[str, Any]:
    """Return the provenance as plain data, as stored in `summary.json`."""
    return {"command": command(), "versions": versions(), "commit": commit(), "machine": machine()}


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that may affect results."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from an uninstalled checkout
            found[package] = "not installed"
    return found


def commit() -> str | None:
    """Return the commit of the checkout that this code runs from, None outside a checkout.

    ``+changes`` is appended if files other than pages and stored rows have changed since.
    """
    here = Path(__file__).resolve().parents[2]
    if not (here / ".git").exists():  # installed, perhaps inside another repository
        return None
    try:
        head = _git(here, "rev-parse", "HEAD")
        # Without optional locks, which a Git killed at its time limit would leave behind.
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
    """Return the command line that repeats this run; outside Hydra, that of this process."""
    repeats = repeating.command_line()
    if repeats is not None:
        return repeats
    main = sys.modules["__main__"]
    module = getattr(getattr(main, "__spec__", None), "name", None)
    module = module and module.removesuffix(".__main__")
    program = ["python", "-m", module] if module else [Path(sys.argv[0]).name]
    return shlex.join([*program, *redact(sys.argv[1:])])


def tags(folder: Path) -> dict[str, str]:
    """Return the provenance tags of the record of a run in ``folder``."""
    found = {f"version.{name}": number for name, number in versions().items()}
    found |= {"command": command(), "folder": str(folder.resolve())}
    program = found["command"].split()
    name = program[2] if program[:2] == ["python", "-m"] else program[0]
    # Shown in MLflow's column "Source", which has room for one word.
    found |= {"mlflow.source.name": name, "mlflow.source.type": "LOCAL"}
    head = commit()
    return found if head is None else {**found, "mlflow.source.git.commit": head}


def machine() -> str:
    """Return a short description of the machine, with LLVM's name of its processor.

    Libraries have code paths per processor, which may differ in the last digit.
    """
    from llvmlite.binding import get_host_cpu_name  # slow to import

    processor = f"{platform.machine()} {get_host_cpu_name()}"
    return f"{platform.system()} {processor}, {os.cpu_count()} cores"
