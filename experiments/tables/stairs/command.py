"""From the settings of the command to a table of steps: played, shown, drawn and written down."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from omegaconf import DictConfig
from rich.console import Console

from experiments.matches.match_loop import Outcome
from experiments.settings.commandline import Interrupted, Refusal
from experiments.tables import report as table_report
from experiments.tables.stairs import play, plot, report
from experiments.tables.stairs.form import Steps
from experiments.tables.stairs.parts import Part, chosen, folder_of, parts


def tell(table: Steps, settings: DictConfig, console: Console) -> None:
    """Play what is missing of ``table``, then show it, draw it and write it down.

    Raises
    ------
    Refusal
        If the request cannot be met; at the end, if a game raised an exception or results could
        not be written.  What was played is saved before.
    Interrupted
        If the user wishes an end, after what was played has been saved.
    """
    root = Path(settings.folder)
    folder = folder_of(table, root, settings.fast)
    found = parts(table, root, settings.games, settings.simulations, settings.seed, settings.fast)
    asked = chosen(found, settings.only)
    if settings.show and not any(part.played for part in found):
        raise Refusal(f"nothing was played in {folder}: leave out show=true to play")
    ended = None if settings.show else play.missing(asked, settings.ray.address, console)
    made = report.make(table, found, settings.fast)
    table_report.show(made, console)
    if any(part.played for part in found):
        plot.draw(table, found, folder / f"{table.name}.png")
    if settings.write is not None:
        heading = report.heading(table, found, settings.fast)
        files = table_report.store(table.name, made, heading, Path(settings.write))
        console.print(f"written to {' and '.join(map(str, files))}", soft_wrap=True)
    _end(ended, found, folder)


def _end(ended: Outcome | None, found: Sequence[Part], folder: Path) -> None:
    """Tell of what went wrong, if something did."""
    games = sum({part.folder: part.played for part in found}.values())
    if ended is not None and ended.fault is not None:
        raise Refusal(f"{ended.fault}; {games} games are kept in {folder}")
    if ended is not None and ended.interrupted:
        raise Interrupted(
            f"interrupted after {games} games, kept in {folder}; the same command goes on"
        )
