"""Predictions of searches beside what comes of them.

    python -m experiments.calibration RUN... [output=FOLDER]

Reads runs that wrote ``run.details=[decisions]`` and writes calibration.csv and calibration.png.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import MISSING, DictConfig

from experiments.provenance.files import writing
from experiments.settings.command import Command
from experiments.settings.commandline import Refusal
from experiments.settings.limits import place

if TYPE_CHECKING:
    import polars as pl

    from experiments.tabular import Table

FIGURES, PICTURE = "calibration.csv", "calibration.png"


@dataclass
class Calibration:
    """The schema of the configuration."""

    runs: list[str] = MISSING
    output: str | None = place()


def job(settings: DictConfig, _: Path) -> None:
    """Print the tables, and write figures and picture; raises `Refusal`."""
    if not settings.runs:
        raise Refusal("runs is empty: name the folder of a run")
    from experiments import tabular, terminal
    from experiments.calibration import figures, plots
    from experiments.runs import runfolder

    console = terminal.console()
    folders = list(map(Path, settings.runs))
    players: dict[str, pl.DataFrame] = {}
    rows: list[dict[str, object]] = []
    for folder, label in zip(folders, runfolder.labels(folders), strict=True):
        runfolder.load(folder)
        found = figures.load(folder)
        matches = Counter(match for match, _ in found)
        for (match, player), made in found.items():
            about = [label] * (len(folders) > 1) + [match] + [player] * (matches[match] > 1)
            players[": ".join(about)] = made
            rows += figures.rows(label, match, player, made)
    if not players:
        raise Refusal(f"{folders[0]}: nobody in it searched; choose a planner as player")
    for table in tables(players):
        tabular.show(table, console)
    import polars as pl

    output = folders[0] if settings.output is None else Path(settings.output)
    with writing(output, "choose another by output=FOLDER"):
        output.mkdir(parents=True, exist_ok=True)
        pl.from_dicts(rows, infer_schema_length=None).write_csv(output / FIGURES)
        drawn = {name: plots.groups(made) for name, made in players.items()}
        plots.draw(drawn, output / PICTURE)
    console.print(f"written to {output / FIGURES} and {output / PICTURE}", soft_wrap=True)


def tables(players: dict[str, pl.DataFrame]) -> Iterator[Table]:
    """Yield for each player its decisions by kind of action, and accusations by probability."""
    from experiments.calibration import figures
    from experiments.tabular import Column, Table, count, percent

    columns = (
        (count("decisions"), "decisions"),
        (count("games"), "games"),
        (percent("predicted"), "predicted"),
        (Column("came of it, 95 %"), "won"),
        (Column("predicted minus that"), "bias"),
    )
    for name, made in players.items():
        kinds = [figures.overall(made), *figures.by_kind(made)]
        accused = figures.by_prediction(figures.accusations(made))
        for first, groups in (("chance to win", kinds), ("accused with", accused)):
            if there := [one for one in groups if one.decisions]:
                yield Table.of(name, there, ((first, "name"), *columns))


COMMAND = Command("calibration", Calibration, job, bare="runs", multirun=False)
main = COMMAND.main

if __name__ == "__main__":
    main()
