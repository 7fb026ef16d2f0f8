"""The page of a table from its folder: figures, the lines above them, pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from experiments import palette, plotting
from experiments.runs import runfolder
from experiments.settings.commandline import Refusal
from experiments.tables import cells, comparison, field, ladder, matrix
from experiments.tables.catalog import COMMAND
from experiments.tables.computed import ComputedFigures
from experiments.tables.joined import Joined
from experiments.tables.measured import Measured, simulations_of
from experiments.tables.quantities import QUANTITIES
from experiments.tables.report import Report, above, describe_games, strength
from experiments.tables.schema import Computed, Table
from experiments.tables.steps import Ablation

ASKED = ("games", "simulations", "seed")
"""Settings that replace a table's own."""


@dataclass(frozen=True)
class Page:
    """Contents of the page of a table.

    ``report``: the table; ``heading``: the Markdown above it; raises `Refusal` without games;
    ``draw``: draws its pictures, if any, to a folder; ``needs``: tables without games whose cells
    are columns of this one.
    """

    report: Report
    heading: Callable[[], list[str]]
    draw: Callable[[Path], None]
    needs: Sequence[str] = ()


def read(table: Table | Computed, root: Path, asked: Mapping[str, Any]) -> Page:
    """Return the page of ``table`` from its results so far.

    ``root`` is the folder of all tables.  ``asked`` has `ASKED`, each a number, or None for the
    table's own.  Raises Refusal if results are missing or unreadable.
    """
    if isinstance(table, Computed):
        figures = ComputedFigures(root / table.folder)
        title = f"{table.name}: {table.about}"
        report = comparison.compare_published(title, figures, table.published)
        return Page(report, lambda: figures.heading(table), lambda _: None)
    if isinstance(table, Ablation):
        found = cells.cells_of(table, root, **{key: asked.get(key) for key in ASKED})
        return Page(
            ladder.make(table, found),
            lambda: ladder.heading(table, found),
            lambda folder: ladder.draw(table, found, folder / f"{table.name}.png"),
        )
    run = Joined(table, root) if table.beside else Measured(root / table.folder)
    beside = run.ablations.items() if isinstance(run, Joined) else ()
    needs = [name for name, of in beside if not any(cell.played for cell in of)]
    drawn = partial(draw, table, run)
    return Page(make(table, run), lambda: heading(table, run), drawn, needs)


def make(table: Table, run: Measured) -> Report:
    """Return the report of ``table`` from its run."""
    title = f"{table.name}: {table.about}"
    if table.simulations is not None:  # the same in all cells
        title += f", at {_simulations(run):,} simulations"
    if table.robin:
        return Report(*field.make(title, table, run))
    if table.matrix is not None:
        return Report(*matrix.make(title, table, run))
    if table.published:
        return comparison.compare_published(title, run, table.published)
    return strength(title, run, table.controls)


def heading(table: Table, run: Measured) -> list[str]:
    """Return the Markdown above the table: command, budget, machine and versions.

    Raises Refusal without games.
    """
    if not run.lines:
        raise Refusal(f"{run.folder} holds no games of {table.name}: play some first")
    games = [tally.games for tally in run.played.tallies if tally.games]
    budget = None if table.simulations is None else _simulations(run)
    command = f"{COMMAND} {table.name} games={max(games)}"
    command += "" if budget is None else f" simulations={budget}"
    command += f" seed={run.played.matches[0].seed}"
    sentence = describe_games(games, budget, run.played.matches)
    joined = run.describe() if isinstance(run, Joined) else []
    return [
        *above(command, sentence, [runfolder.about(run.folder)]),
        *(line for sentence in joined for line in ("", sentence)),
    ]


def _simulations(run: Measured) -> int:
    return next(filter(None, map(simulations_of, run.played.matches)))


def draw(table: Table, run: Measured, folder: Path) -> None:
    """Draw to ``folder`` the pictures for which ``run`` has enough games."""
    picture = folder / f"{table.name}.png"
    if table.published:
        comparison.draw(table.published, table.about, run, picture)
    elif table.robin:
        field.draw(field.standings(table, run), picture)
    elif table.matrix is not None:
        matrix.draw(table, run, picture)
    if table.axis is not None:
        by_setting = folder / f"{table.name}_{table.axis}.png"
        draw_by_setting(table.axis, run, by_setting if table.published else picture)


_SETTINGS = {"hiding": "the price of hiding", "threshold": "the threshold of accusation"}
"""Settings in words."""


def draw_by_setting(setting: str, run: Measured, path: Path) -> None:
    """Draw wins by a setting of the measured player: a line per opponents and variant.

    The x axis has the values of the setting; the y axis the share of games won minus that of the
    first value, on the same games.  Of players with equal values the first counts.  Opponents with
    fewer than two values are left out; nothing is drawn if all are.
    """
    met: dict[str, dict[float, str]] = {}
    for match in run.played.matches:
        value = match.entrants[0].get(setting)
        if value is not None and match.name in run.begun:
            opponents = match.labels[1].removesuffix(" (opponent)")  # a player against its own kind
            variant = match.name.partition(", ")[2]
            line = f"{opponents}, {variant}" if variant else opponents
            met.setdefault(line, {}).setdefault(float(value), match.name)
    met = {opponent: names for opponent, names in met.items() if len(names) > 1}
    if not met:
        return
    games = max(tally.games for tally in run.played.tallies)
    said = _SETTINGS.get(setting, setting)
    title = f"Games won by {said}, less those at the first value: {games:,} a mark, 95 %"
    with plotting.picture(path, title, (plotting.WIDTH, 4)) as (_, ((axes,),)):
        plotting.reference_line(axes, 0.0)
        for series, (opponent, names) in zip(palette.tell_apart(met), met.items(), strict=True):
            first = next(iter(names.values()))
            gained = {
                value: found.estimate
                for value, name in names.items()
                if (found := QUANTITIES["gained"].of(run, name, first))
            }
            values = list(gained.values())
            label = palette.say(opponent)
            plotting.intervals(axes, [*gained], values, series, linestyle="-", label=label)
        axes.set(xlabel=said, ylabel="games won, difference")
        plotting.shares(axes.yaxis, 0)
        plotting.label_ends(axes)
