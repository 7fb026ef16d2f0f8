"""Tables that play no games: their figures are computed by a function of the paper's module.

Such a table is a YAML in ``conf/table`` as well, with `Computed` for its schema, and has its lines
in `experiments.tables.rows.Paper` as all published tables have.  Where those of games name a match
and a player, its cells name a line and a column of what `Paper.computed` yields.  The figures are
kept in the table's folder with where they come from; ``show=true`` computes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from omegaconf import DictConfig
from rich.console import Console

from experiments.provenance import provenance
from experiments.provenance.files import SUMMARY, read_json, reading, write_json
from experiments.settings.commandline import Refusal
from experiments.tables.figures import Figure
from experiments.tables.forms import Computed

GIVEN = ("games", "simulations", "only")
"""Settings of tables of games."""


class Figures:
    """The figures in ``folder``, as `experiments.tables.figures.Measured` is asked for its own.

    Raises
    ------
    Refusal
        If there are none, or they cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / SUMMARY
        if not path.exists():
            raise Refusal(f"nothing was computed in {folder}: leave out show=true")
        with reading(path, "remove it, and the same command computes it again"):
            held = read_json(path)
            try:
                self.about: Mapping[str, Any] = dict(held["run"])
                self.settings: Mapping[str, Any] = dict(held["settings"])
                self._held = {
                    (str(line), str(column)): Figure(**figure)
                    for line, column, figure in held["figures"]
                }
            except (KeyError, TypeError) as fault:
                raise ValueError(f"it is no summary of a table: {fault}") from None

    @cached_property
    def lines(self) -> frozenset[str]:
        """The lines that have figures."""
        return frozenset(line for line, _ in self._held)

    def figure(self, line: str, column: str) -> Figure | None:
        """Return the figure of a cell, None if there is none."""
        return self._held.get((line, column))


def figure(run: Figures, line: str, column: str) -> Figure | None:
    """Return a cell's figure: the `Quantity.measure` of tables that are computed."""
    return run.figure(line, column)


def folder(table: Computed, settings: DictConfig) -> Path:
    """Return where the figures of ``table`` lie; a trial's lie apart."""
    return Path(settings.folder) / (table.name + ("_fast" if settings.fast else ""))


def figures(
    table: Computed,
    compute: Callable[[int, int], Mapping[tuple[str, str], Figure]],
    settings: DictConfig,
    console: Console,
) -> Figures:
    """Return the figures of ``table``, computed unless ``settings`` want those that are there.

    Parameters
    ----------
    compute : as `experiments.tables.rows.Paper.computed` has it

    Raises
    ------
    Refusal
        If a setting has no meaning for it, or the folder cannot be written to.
    """
    for key in GIVEN:
        if settings[key] is not None:
            raise Refusal(f"{key}: {table.name} plays no games; leave it out")
    place = folder(table, settings)
    if not settings.show:
        _compute(table, compute, settings, place, console)
    return Figures(place)


def _compute(
    table: Computed,
    compute: Callable[[int, int], Mapping[tuple[str, str], Figure]],
    settings: DictConfig,
    place: Path,
    console: Console,
) -> None:
    from experiments.matches.progress import stage
    from experiments.runs import runfolder

    seed = table.seed if settings.seed is None else settings.seed
    repeats = 1 if settings.fast else table.repeats
    try:
        place.mkdir(parents=True, exist_ok=True)
        with stage(console, f"computing {table.name}, about {table.seconds:.0f} s"):
            found = list(_told(compute(seed, repeats)))
        write_json(
            place,
            {
                "figures": found,
                "settings": {"seed": seed, "repeats": repeats},
                "run": {"folder": str(place), "configuration": {}, **provenance.origin()},
            },
        )
    except OSError as fault:
        raise runfolder.unwritable(place, fault) from None


def _told(computed: Mapping[tuple[str, str], Figure]) -> Iterator[list[Any]]:
    """Yield what the summary has of each figure."""
    for (line, column), found in computed.items():
        yield [line, column, asdict(found)]


def heading(table: Computed, run: Figures, trial: bool) -> list[str]:
    """Return what stands in Markdown above the table: command, settings, machine, versions."""
    from experiments.texts import markdown, printable

    seed, repeats = run.settings["seed"], run.settings["repeats"]
    told = f"python -m experiments.tables {table.name} seed={seed}{' fast=true' if trial else ''}"
    times = f"; times are CPU seconds, the median of {repeats}" if table.repeats > 1 else ""
    versions = ", ".join(f"{name} {number}" for name, number in run.about["versions"].items())
    machine = f"Commit {run.about['commit']}; {run.about['machine']}; {versions}."
    return [
        f"```\n{printable(told)}\n```",
        "",
        f"Seed {seed}{times}.",
        markdown(machine),
    ]
