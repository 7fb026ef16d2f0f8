"""The cells of a table of steps as matches, each in a folder of its own, and what was played there.

A folder is named after what is played in it.  So cells that are the same are played once, a step
may come or go without touching the others, and two processes may play different cells.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from experiments.matches.schedule import Match
from experiments.runs.runfolder import MATCHES_FILE
from experiments.settings.commandline import Refusal, did_you_mean
from experiments.stats.intervals import Estimate, paired_difference
from experiments.tables import cells
from experiments.tables.figures import Measured, simulations_of
from experiments.tables.forms import Cell, columns
from experiments.tables.stairs.form import Line, Steps, in_column
from experiments.texts import file_name

FAST_SHARE = 100
"""In a trial budgets of the steps' own are so many times smaller."""


@dataclass(frozen=True)
class Part:
    """A cell.

    Attributes
    ----------
    column : whose it is
    line : in which it stands
    match : what is played
    games : of it
    folder : where they lie
    """

    column: Cell
    line: Line
    match: Match
    games: int
    folder: Path

    @property
    def names(self) -> tuple[str, str, str, str]:
        """What it may be chosen by: player, layout, way and step."""
        return self.column.player.label, self.column.layout, self.line.way, self.line.step

    @property
    def setup(self) -> str:
        """Who plays whom."""
        return self.match.name

    @property
    def measured(self) -> Measured | None:
        """What was played of it; None if nothing was."""
        return _measured(self.folder)

    @property
    def played(self) -> int:
        """The games that were played of it."""
        return self.measured.played.games if self.measured else 0


def folder_of(table: Steps, root: Path, fast: bool) -> Path:
    """Return where the folders of the cells of ``table`` lie, below ``root``."""
    return root / (table.folder + ("_fast" if fast else ""))


def parts(
    table: Steps,
    root: Path,
    games: int | None = None,
    simulations: int | None = None,
    seed: int | None = None,
    fast: bool = False,
) -> list[Part]:
    """Return the cells of ``table``, column by column.

    Parameters
    ----------
    root : the folder of all tables
    games, simulations, seed : of all cells and decisions, in place of the usual; None for those
    fast : whether this is a trial

    Raises
    ------
    Refusal
        If the settings cannot be met.
    """
    usual = table.games
    if fast:
        usual = cells.FAST_COMPILED_GAMES if table.compiled else cells.FAST_GAMES
    places = [(column, line) for column in columns(table) for line, _ in in_column(table, column)]
    matches = cells.matches(table, simulations, table.seed if seed is None else seed, fast)
    folder = folder_of(table, root, fast)
    found = []
    for (column, line), match in zip(places, matches, strict=True):
        if fast and table.simulations is None:
            match = _smaller(match)
        match = replace(match, name=match.name.removesuffix(f", {line.called}"))
        number = games or (usual if fast else line.games or usual)
        found.append(Part(column, line, match, number, folder / _slug(match)))
    return found


def _smaller(match: Match) -> Match:
    """Return ``match`` with the measured player's budget for a trial."""
    player, *others = match.entrants
    budget = simulations_of(match)
    if budget is None:
        return match
    less = {**player["budget"], "simulations": max(1, budget // FAST_SHARE)}
    return replace(match, entrants=({**player, "budget": less}, *others))


def _slug(match: Match) -> str:
    """Return the name of the folder of ``match``, unlike that of any other."""
    text = json.dumps(asdict(match), sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{file_name(match.name.replace(' ', '_'))}-{digest[:10]}"


def chosen(found: Sequence[Part], only: Sequence[str] | None) -> list[Part]:
    """Return those of ``found`` that are asked for.

    Of names of one kind (`Part.names`) one must fit, and so for each kind that is named.

    Raises
    ------
    Refusal
        If nothing is called so.
    """
    kinds = [dict.fromkeys(names) for names in zip(*(part.names for part in found), strict=True)]
    known = [name for kind in kinds for name in kind]
    wanted: dict[int, set[str]] = {}
    for name in only or ():
        kind = next((number for number, kind in enumerate(kinds) if name in kind), None)
        if kind is None:
            raise Refusal(
                f"only={name}: this table has {', '.join(known)}{did_you_mean(name, known)}"
            )
        wanted.setdefault(kind, set()).add(name)
    fitting = [
        part for part in found if all(part.names[kind] in names for kind, names in wanted.items())
    ]
    if not fitting:
        raise Refusal(f"only=[{','.join(only)}]: no cell is all of that")
    return fitting


def before(part: Part, found: Sequence[Part]) -> Part | None:
    """Return the cell that ``part`` is held against; None if there is none."""
    return next(
        (one for one in found if one.column == part.column and one.line is part.line.before), None
    )


def gained(part: Part, control: Part) -> tuple[Estimate, int] | None:
    """Return how much oftener ``part`` was won than ``control``, and the games that both have.

    Paired by the number of the game, which is the same deal with the same dice.  None if they have
    no game in common, or are the same cell.
    """
    if part.folder == control.folder or not (part.measured and control.measured):
        return None
    ours, theirs = part.measured, control.measured
    both = np.intersect1d(ours.numbers(part.match.name), theirs.numbers(control.match.name))
    if not len(both):
        return None
    won, without = (
        one.match.wins_of(run.winner(one.match.name), 0)[both]
        for one, run in ((part, ours), (control, theirs))
    )
    return paired_difference(without, won), len(both)


@cache
def _measured(folder: Path) -> Measured | None:
    if not (folder / MATCHES_FILE).exists():
        return None
    run = Measured(folder)
    return run if run.played.games else None


def forget() -> None:
    """Forget what was read, since more has been played."""
    _measured.cache_clear()
