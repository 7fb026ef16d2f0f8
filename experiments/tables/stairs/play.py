"""Playing the cells of a table of steps, one after another; nothing that was played is lost."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout
from rich.console import Console

from experiments.matches import play, startup
from experiments.matches.match_loop import LOCK, Outcome, Resources
from experiments.matches.results import Results
from experiments.runs import runfolder
from experiments.settings.commandline import Refusal
from experiments.tables import playing
from experiments.tables.stairs.parts import Part, forget


def missing(parts: Sequence[Part], address: str | None, console: Console) -> Outcome | None:
    """Play what is missing of ``parts``; None if nothing is, or others play all of it.

    Cells that another process plays are passed over, and told of.

    Raises
    ------
    Refusal
        If a match cannot be played, or a folder not be written to.
    """
    left = _left(parts)
    if not left:
        return None
    for part in left:
        try:
            play.check(part.match)
        except ValueError as fault:
            raise Refusal(f"{part.setup}, {part.line.called}: {fault}") from None
    startup.prepare([part.match for part in _different(left)], None, address, console)
    ready = startup.resources([part.match for part in left], None, address, console)
    ended = None
    for number, part in enumerate(left, 1):
        if part.folder.exists() and _locked(part.folder):
            told = f"{part.setup}, {part.line.called}: played by another process, passed over"
            console.print(told, soft_wrap=True)
            continue
        told = f"cell {number} of {len(left)}: {part.setup}, {part.line.called}"
        console.print(told, soft_wrap=True)
        at = slice(number - 1, number)
        mine = replace(ready, workers=ready.workers[at], cpus=ready.cpus[at])
        ended = _played(part, mine, console)
        if ended.interrupted or ended.fault is not None:
            break
    forget()
    return ended


def _left(parts: Sequence[Part]) -> list[Part]:
    """Return the cells that lack games, one of those that are the same."""
    found: dict[Path, Part] = {}
    for part in parts:
        if part.measured is None or not part.measured.played.tallies[0].has(part.games):
            most = found.get(part.folder, part)
            found[part.folder] = max(most, part, key=lambda one: one.games)
    return list(found.values())


def _different(parts: Sequence[Part]) -> list[Part]:
    """Return the first and the last cell of each player: what they run is compiled once."""
    found: dict[tuple[str, int], Part] = {}
    for step, order in enumerate((parts, parts[::-1])):
        for part in order:
            found.setdefault((part.column.player.label, step), part)
    return list({part.folder: part for part in found.values()}.values())


def _locked(folder: Path) -> bool:
    try:
        with FileLock(folder / LOCK, timeout=0):
            return False
    except Timeout:
        return True


def _played(part: Part, resources: Resources, console: Console) -> Outcome:
    """Play what is missing of one cell."""
    runfolder.claim(part.folder, [part.match], "games", resume=True)
    played = Results.resume(part.folder, [part.match])
    started = time.monotonic()
    ended = playing.games_played(played, part.games, resources, console)
    playing.summarise(part.folder, [part.match], ended, time.monotonic() - started)
    return ended
