"""Tables without games: a function computes their figures.

Such a table is a YAML in ``conf/table`` with the schema `Computed`.  Its published rows name lines
and columns of the figures that the function returns.  The figures are stored in the table's folder
with their provenance; ``show=true`` computes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hydra.utils import get_method
from omegaconf import DictConfig
from rich.console import Console

from experiments.matches.progress import stage
from experiments.provenance import provenance
from experiments.provenance.files import SUMMARY, read_json, reading, write_json
from experiments.run import writing_run
from experiments.settings.commandline import Refusal
from experiments.tables.catalog import COMMAND
from experiments.tables.figure import Figure
from experiments.tables.report import above
from experiments.tables.schema import Computed

Compute = Callable[[int, int], Mapping[tuple[str, str], Figure]]
"""Maps a seed and the number of timings to figures by line and column."""

MOST = 1e15
"""Largest figure that is accepted, in any unit."""


class ComputedFigures:
    """The figures in ``folder``.  Raises Refusal if they are missing or cannot be read."""

    def __init__(self, folder: Path) -> None:
        path = folder / SUMMARY
        if not path.exists():
            raise Refusal(f"no figures in {folder}: leave out show=true")
        with reading(path, "remove it and repeat the command"):
            summary = read_json(path)
            try:
                self.about: Mapping[str, Any] = dict(summary["run"])
                self.settings: Mapping[str, Any] = dict(summary["settings"])
                self._figures = {
                    (str(line), str(column)): _read_figure(figure)
                    for line, column, figure in summary["figures"]
                }
            except (KeyError, TypeError) as fault:
                raise ValueError(f"not a summary of a table: {fault}") from None

    def figure(self, line: str, column: str) -> Figure | None:
        """Return the figure of a cell, or None."""
        return self._figures.get((line, column))

    def heading(self, table: Computed) -> list[str]:
        """Return the Markdown above the table: command, seed, machine and versions."""
        seed, repeats = self.settings["seed"], self.settings["repeats"]
        command = f"{COMMAND} {table.name} seed={seed}"
        times = f"; times are CPU seconds, the median of {repeats}" if table.repeats > 1 else ""
        return above(command, f"Seed {seed}{times}.", [self.about])


def _read_figure(held: Mapping[str, Any]) -> Figure:
    """Return the figure in a summary; raises ValueError or TypeError if it is invalid."""
    found = Figure(**held)
    numbers = [number for number in vars(found).values() if number is not None]
    if not all(type(number) in (int, float) and abs(number) < MOST for number in numbers):
        raise ValueError("a figure is not a number")
    if (found.low is None) != (found.high is None) or (found.value is None and found.low is None):
        raise ValueError("a figure lacks its value, or one end of its interval")
    return found


def compute(table: Computed, settings: DictConfig, console: Console) -> None:
    """Compute the figures of ``table``; raises Refusal if the folder is not writable."""
    method: Compute = get_method(table.compute)
    seed = table.seed if settings.seed is None else settings.seed
    repeats, place = table.repeats, Path(settings.folder) / table.folder
    with writing_run(place):
        place.mkdir(parents=True, exist_ok=True)
        with stage(console, f"computing {table.name}, about {table.seconds:.0f} s"):
            figures = method(seed, repeats)
        write_json(
            place,
            {
                "figures": [[*cell, asdict(figure)] for cell, figure in figures.items()],
                "settings": {"seed": seed, "repeats": repeats},
                "run": {"folder": str(place), "configuration": {}, **provenance.origin()},
            },
        )
