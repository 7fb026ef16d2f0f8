"""Damaged folders of tables, of games and computed ones: shown, or refused in a line."""

from __future__ import annotations

import contextlib
import io
import shutil
import traceback
from collections.abc import Iterator
from pathlib import Path
from random import Random

import folders
from called import find_fault
from judge import Finding, Outcome

from experiments.tables import catalog, cells
from experiments.tables.__main__ import COMMAND

TABLES = {"ferrari_1": [], "hiding": ["games=8"]}
"""By table that is shown, settings that make it quick to play."""


def attack(number: int, seed: int, folder: Path) -> Iterator[Finding | None]:
    """Yield what is wrong with each of ``number`` cases; see `judge`."""
    catalog.register()
    for name, quick in TABLES.items():
        made = _run(name, folder / "whole", *quick)
        assert made.code == 0, made.err
    for case in range(number):
        random, at = Random(f"{seed}/{case}"), folder / "case"
        shutil.copytree(folder / "whole", at)
        name = random.choice(list(TABLES))
        said = folders.damage(random, at / f"{name}_fast")
        cells.forget_runs()
        seen = _run(name, at, "show=true")
        yield find_fault(f"table {case} of seed {seed} ({name}, {said})", seen)
        shutil.rmtree(at)


def _run(name: str, folder: Path, *settings: str) -> Outcome:
    """Run the command in this process, and return what a user would see."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = COMMAND.run([name, "fast=true", f"folder={folder}", *settings])
        except BaseException:
            code = 1
            err.write(traceback.format_exc())
    return Outcome(code, out.getvalue(), err.getvalue())
