"""Play the missing games of a table, run by run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from experiments.matches import match_loop, play, startup
from experiments.matches.match_loop import Outcome, Resources
from experiments.matches.progress import GamesPlayed
from experiments.matches.results import Results
from experiments.matches.schedule import Match
from experiments.provenance.files import write_json
from experiments.run import Busy
from experiments.runs import runfolder, summary
from experiments.settings import signals
from experiments.settings.commandline import Refusal
from experiments.stats import stopping
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

    Returns None if no game is missing, or if other processes play them: cells of an ablation that
    another process plays are skipped with a message.  Raises Refusal if a match cannot be played
    or a folder is not writable.
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
    ended, first = None, 0
    for number, (folder, there) in enumerate(left.items(), 1):
        own = slice(first, first := first + len(there))
        title = there[0].title
        if there[0].cell.line:
            try:
                with runfolder.open_folder(folder).lock():  # the lock is free
                    pass
            except Busy:
                console.print(f"{title}: another process plays it, skipped", soft_wrap=True)
                continue
            console.print(f"cell {number} of {len(left)}: {title}", soft_wrap=True)
        mine = replace(resources, workers=resources.workers[own], cpus=resources.cpus[own])
        runfolder.claim(folder, whole[folder], "games", resume=True)
        played = Results.resume(folder, [cell.match for cell in there])
        ended = play_games(played, there[0].games, mine, console)
        if ended.interrupted or ended.fault is not None:
            break
    forget_runs()
    return ended


def _lacks_games(cells: Sequence[PlannedCell]) -> bool:
    """Return whether the cells of one run lack games."""
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


def play_games(played: Results, games: int, resources: Resources, console: Console) -> Outcome:
    """Play the missing of ``games`` games per match, and write the run's summary.

    ``played`` has the matches to play, among those of the run, and the finished games.
    """
    started = time.monotonic()
    with signals.defer() as wished, GamesPlayed(console, played.matches, games) as progress:

        def watch() -> bool:
            progress.update(played.tallies)
            return not wished.is_set()

        ended = match_loop.play(played, games, stopping.parse("games"), resources, watch)
    made = summary.describe(runfolder.load(played.folder), "games", ended, {})
    try:
        write_json(played.folder, replace(made, seconds=time.monotonic() - started).to_json())
    except OSError as fault:
        if ended.fault is None:
            raise Refusal(
                f"cannot write to {played.folder}: {fault.strerror}; make room, and the same "
                "command resumes"
            ) from None
    return ended
