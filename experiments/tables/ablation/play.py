"""Playing the cells of an ablation one after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from experiments.matches import startup
from experiments.matches.match_loop import Outcome
from experiments.matches.results import Results
from experiments.run import Busy
from experiments.runs import runfolder
from experiments.tables import play
from experiments.tables.ablation.cells import StepCell, forget_runs


def play_missing(
    cells: Sequence[StepCell], address: str | None, console: Console
) -> Outcome | None:
    """Play the missing games of ``cells``; return None if there are none, or others play them all.

    Cells that another process plays are skipped with a message.  Raises Refusal if a match cannot
    be played, or a folder not be written to.
    """
    left = _incomplete(cells)
    if not left:
        return None
    for cell in left:
        play.check_match(cell.match, _title(cell))
    startup.prepare([cell.match for cell in _representative(left)], None, address, console)
    resources = startup.resources([cell.match for cell in left], None, address, console)
    ended = None
    for number, cell in enumerate(left):
        try:
            with runfolder.open_folder(cell.folder).lock():  # which is free now
                pass
        except Busy:
            console.print(f"{_title(cell)}: another process plays it, skipped", soft_wrap=True)
            continue
        console.print(f"cell {number + 1} of {len(left)}: {_title(cell)}", soft_wrap=True)
        own = slice(number, number + 1)
        mine = replace(resources, workers=resources.workers[own], cpus=resources.cpus[own])
        runfolder.claim(cell.folder, [cell.match], "games", resume=True)
        played = Results.resume(cell.folder, [cell.match])
        ended = play.play_games(played, cell.games, mine, console)
        if ended.interrupted or ended.fault is not None:
            break
    forget_runs()
    return ended


def _title(cell: StepCell) -> str:
    return f"{cell.name}, {cell.line.label}"


def _incomplete(cells: Sequence[StepCell]) -> list[StepCell]:
    """Return the cells that lack games, of equal ones the one that wants most."""
    found: dict[Path, StepCell] = {}
    for cell in cells:
        if cell.run is None or not cell.run.played.tallies[0].has(cell.games):
            other = found.get(cell.folder, cell)
            found[cell.folder] = max(other, cell, key=lambda one: one.games)
    return list(found.values())


def _representative(cells: Sequence[StepCell]) -> list[StepCell]:
    """Return the first and the last cell of each player, whose code is compiled beforehand."""
    ends = [{cell.setup.player.label: cell for cell in order} for order in (cells[::-1], cells)]
    return list({cell.folder: cell for found in ends for cell in found.values()}.values())
