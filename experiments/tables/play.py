"""Play the missing games of a table, run by run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from omegaconf import OmegaConf
from rich.console import Console

from experiments.matches import play, startup
from experiments.matches.match_loop import Outcome, Resources
from experiments.matches.results import Results
from experiments.matches.schedule import Match
from experiments.runs import runfolder
from experiments.runs.match_run import MatchRun
from experiments.settings.commandline import Refusal
from experiments.tables.cells import PlannedCell, forget_runs

Runs = dict[Path, list[PlannedCell]]
"""Cells by the folder of their run, without duplicates."""


def by_run(cells: Sequence[PlannedCell]) -> Runs:
    """Return ``cells`` by run; of equal cells the one with the most games."""
    found: dict[Path, dict[str, PlannedCell]] = {}
    for cell in cells:
        there = found.setdefault(cell.folder, {})
        there[cell.name] = max(there.get(cell.name, cell), cell, key=lambda one: one.games)
    return {folder: [*there.values()] for folder, there in found.items()}


def play_missing(
    cells: Sequence[PlannedCell],
    chosen: Sequence[PlannedCell],
    address: str | None,
    console: Console,
) -> Outcome | None:
    """Play the missing games of the ``chosen`` among all ``cells`` of a table.

    Returns None if no game is missing.  Other processes may play the same table: each first plays
    what it can claim in all runs, then waits for what the others have claimed.  Raises Refusal if a
    match cannot be played or a folder is not writable.
    """
    whole = {folder: [one.match for one in there] for folder, there in by_run(cells).items()}
    left = {folder: there for folder, there in by_run(chosen).items() if _lacks_games(there)}
    if not left:
        return None
    every = [cell for there in left.values() for cell in there]
    for cell in every:
        check_match(cell.match, cell.title)
    if len(left) == 1:
        resources = startup.prepare([cell.match for cell in every], None, address, console)
    else:
        startup.prepare([cell.match for cell in _ends(every)], None, address, console)
        resources = startup.resources([cell.match for cell in every], None, address, console)
    ended = None
    for waits in (False, True) if len(left) > 1 else (True,):
        first = 0
        for number, (folder, there) in enumerate(left.items(), 1):
            own = slice(first, first := first + len(there))
            if waits and len(left) > 1 and not _lacks_games(there):
                continue
            if there[0].cell.line:
                title = f"cell {number} of {len(left)}: {there[0].title}"
                console.print(title, soft_wrap=True)
            mine = replace(resources, workers=resources.workers[own], cpus=resources.cpus[own])
            runfolder.claim(folder, whole[folder], "games")
            matches = [cell.match for cell in there]
            ended = play_games(folder, matches, there[0].games, mine, console, waits)
            if ended.interrupted or ended.fault is not None:
                forget_runs()
                return ended
    forget_runs()
    return ended


def _lacks_games(cells: Sequence[PlannedCell]) -> bool:
    if not cells[0].begun:
        return True
    played = Results.resume(cells[0].folder, [cell.match for cell in cells])
    return not all(tally.has(cells[0].games) for tally in played.tallies)


def _ends(cells: Sequence[PlannedCell]) -> list[PlannedCell]:
    """Return the first and the last cell of each player, to be compiled first."""
    ends = [{cell.cell.player.label: cell for cell in order} for order in (cells[::-1], cells)]
    return list({cell.folder: cell for found in ends for cell in found.values()}.values())


def check_match(match: Match, name: str) -> None:
    """Raise `Refusal`, with the ``name`` of the match, if it cannot be played."""
    try:
        play.check(match)
    except ValueError as fault:
        raise Refusal(f"{name}: {fault}") from None


def play_games(
    folder: Path,
    matches: Sequence[Match],
    games: int,
    resources: Resources,
    console: Console,
    waits: bool = True,
) -> Outcome:
    """Play the missing of ``games`` games per match of a run, and write its summary.

    ``matches``: those to play, among those of the run in ``folder``; ``waits``: whether to wait for
    games that other processes play.
    """
    run = MatchRun(folder, matches, console=console)
    with run.join(), run.defer():
        ended = run.play(games, resources, waits=waits)
        return ended if ended.left or not run.lead() else _conclude(run, ended)


def _conclude(run: MatchRun, ended: Outcome) -> Outcome:
    """Write the summary of all games of the folder; Refusal if that fails."""
    folder = run.folder
    run.played = runfolder.load(folder)
    try:
        run.write_summary(run.summarise(ended, OmegaConf.create({})).to_json())
    except OSError as fault:
        if ended.fault is None:
            raise Refusal(
                f"cannot write to {folder}: {fault.strerror}; make room, and the same "
                "command resumes"
            ) from None
    return ended
