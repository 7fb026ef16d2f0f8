"""Cells of tables of steps beside those of a table of a paper, and what their steps were worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from experiments.matches.schedule import Match
from experiments.runs import figures
from experiments.tables import cells
from experiments.tables.figures import WON, Measured, Quantity, simulations_of
from experiments.tables.forms import Table
from experiments.tables.stairs.form import ADDED, APART, CUMULATIVE, Steps
from experiments.tables.stairs.parts import Part, before, gained, parts

FEWEST = 20
"""Games of a cell that stands for a curve, if one has so many."""

LAST = "last"
"""Behind the name of a table, its last cumulative step and not its base."""


@dataclass(frozen=True)
class Tested:
    """A step of a staircase, and what it does to a figure.

    Attributes
    ----------
    table, step : where it stands
    about : in words
    side : 1 if the figure is more after the step, -1 if less, 0 if the interval leaves that open;
        None if it was not played
    """

    table: str
    step: str
    about: str
    side: int | None

    @property
    def key(self) -> str:
        """Its name, unlike that of any other."""
        return f"{self.table}/{self.step}"

    def __str__(self) -> str:
        return f"`{self.step}` of `{self.table}`: {self.about}."


class Joined(Measured):
    """The run in ``folder``, and cells of tables of steps under names of their own.

    Parameters
    ----------
    table : whose run it is, and which says what stands beside
    root : the folder of all tables
    fast : whether this is a trial

    Attributes
    ----------
    beside : by name, which is that of the match and of the table, and of a staircase's end `LAST`;
        only cells with games
    """

    def __init__(self, folder: Path, table: Table, root: Path, fast: bool) -> None:
        super().__init__(folder)
        self._stairs = {name: parts(_steps(name), root, fast=fast) for name in table.beside}
        self.beside: dict[str, Part] = {}
        for name, found in self._stairs.items():
            for setup in dict.fromkeys(part.setup for part in found):
                column = [part for part in found if part.setup == setup]
                ends = zip((name, f"{name}, {LAST}"), _ends(column), strict=True)
                self.beside |= {f"{setup}, {end}": part for end, part in ends if part}

    def _with(self, own: Mapping[str, Any], name: str) -> dict[str, Any]:
        """Return what runs have by match under ``name``, with that of the cells beside."""
        others = {
            key: getattr(part.measured, name)[part.setup] for key, part in self.beside.items()
        }
        return {**own, **others}

    @cached_property
    def lines(self) -> dict[str, dict[str, Any]]:
        """As those of `Measured`."""
        return self._with(super().lines, "lines")

    @cached_property
    def game_lengths(self) -> dict[str, figures.Lasting]:
        """As those of `Measured`."""
        return self._with(super().game_lengths, "game_lengths")

    @cached_property
    def games(self) -> dict[str, pl.DataFrame]:
        """As those of `Measured`."""
        return self._with(super().games, "games")

    @cached_property
    def suggestion_stats(self) -> dict[tuple[str, str], figures.Suggesting]:
        """As those of `Measured`."""
        found = dict(super().suggestion_stats)
        for key, part in self.beside.items():
            for (_, player), stats in part.measured.suggestion_stats.items():
                found[key, player] = stats
        return found

    def match(self, name: str) -> Match:
        """Return the match called ``name``, here or beside."""
        return self.beside[name].match if name in self.beside else super().match(name)

    def winner(self, match: str) -> np.ndarray:
        """As `Measured.winner`."""
        part = self.beside.get(match)
        return part.measured.winner(part.setup) if part else super().winner(match)

    def numbers(self, match: str) -> np.ndarray:
        """As `Measured.numbers`."""
        part = self.beside.get(match)
        return part.measured.numbers(part.setup) if part else super().numbers(match)

    def tested(
        self, name: str, setup: str, player: str, towards: int, quantity: Quantity
    ) -> list[Tested]:
        """Return what each step of table ``name`` does to ``quantity`` of a ``player``.

        Taken in turn, beside the step before it; where that leaves it open and it was played,
        taken last of all, beside all steps but it.  Where ``towards`` is -1 they are held the other
        way round.  Games won are held against each other on the same games, other figures by their
        intervals.
        """
        column = [part for part in self._stairs[name] if part.setup == setup]
        found: dict[str, Tested] = {}
        for way, sign in ((CUMULATIVE, towards), (ADDED, -towards)):
            for part in column:
                control = before(part, column)
                if part.line.way != way or control is None or control.folder == part.folder:
                    continue
                side = _side(part, control, player, quantity)
                step = Tested(name, part.line.step, part.line.about, side and sign * side)
                known = found.get(part.line.step)
                if known is None or (not known.side and side is not None):
                    found[part.line.step] = step
        return list(found.values())

    def about(self) -> list[str]:
        """Return what stands beside, a line each: the command, its games and its budgets."""
        return [
            f"Beside them `{cells.COMMAND} {name}`: {_about(found)}."
            for name, found in self._stairs.items()
        ]


def _steps(name: str) -> Steps:
    """Return the table called so with those lines alone that are asked for here."""
    found = cells.load(name)
    assert isinstance(found, Steps)
    return replace(found, ways=[way for way in found.ways if way in (CUMULATIVE, ADDED, APART)])


def _about(found: Sequence[Part]) -> str:
    """Return the games of a table: of the cells of a curve, or of all cells of a staircase."""
    played = [part for part in found if part.played]
    if not played:
        return "not played yet"
    if played[0].line.way == APART:
        setups = dict.fromkeys(part.setup for part in played)
        told = [_ends([part for part in played if part.setup == setup])[0] for setup in setups]
        games = "; ".join(
            f"{part.setup}, {part.played:,} games at {simulations_of(part.match):,} simulations"
            for part in told
        )
    else:
        numbers = sorted({part.played for part in played})
        games = " to ".join(f"{number:,}" for number in dict.fromkeys((numbers[0], numbers[-1])))
        budget = simulations_of(played[0].match)
        games += f" games a cell{f' at {budget:,} simulations' if budget else ''}"
    return f"{games}; seed {played[0].match.seed}"


def _ends(column: Sequence[Part]) -> tuple[Part | None, Part | None]:
    """Return base and last step of a staircase; of a curve the cell that stands for it.

    That is the last with all its games, or else the last with `FEWEST`, or with any.  None if
    nothing was played.
    """
    played = [part for part in column if part.played]
    if column[0].line.way == APART:
        whole = [part for part in played if part.played >= part.games]
        enough = [part for part in played if part.played >= FEWEST]
        return (whole or enough or played or [None])[-1], None
    climbed = [part for part in column if part.line.way == CUMULATIVE]
    base, last = climbed[0], climbed[-1]
    return base if base.played else None, last if last.played else None


def _side(part: Part, control: Part, player: str, quantity: Quantity) -> int | None:
    if not (part.played and control.played):
        return None
    if quantity is WON and player == part.column.player.label:
        found = gained(part, control)
        return found and int(found[0].low > 0) - int(found[0].high < 0)
    after, earlier = (quantity.measure(one.measured, one.setup, player) for one in (part, control))
    return after.side(earlier) if after and earlier else None
