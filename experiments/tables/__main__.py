"""The tables of the papers and of strength, each by one command that can be interrupted.

    python -m experiments.tables
    python -m experiments.tables ledford_4_1
    python -m experiments.tables table=ledford_4_2 games=300 write=docs/results
    python -m experiments.tables planners only=[best,flat] show=true

All cells of a table are one run: the same command goes on where it stopped, and plays nothing if
all is there.  Nothing slow is imported at the top.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from hydra.core.hydra_config import HydraConfig
from omegaconf import MISSING, DictConfig

from experiments.settings import config, schemas
from experiments.settings.command import Command
from experiments.settings.commandline import Interrupted, Refusal
from experiments.settings.limits import GAMES, as_option, between, place, seed
from mcts.options import Budget

if TYPE_CHECKING:
    from rich.console import Console

    from experiments.matches.match_loop import Outcome
    from experiments.matches.schedule import Match
    from experiments.tables.figures import Measured
    from experiments.tables.forms import Computed, Table
    from experiments.tables.stairs.form import Steps

PLOT = "budget.png"
PIPED_WIDTH = 160
"""Columns where there is no terminal to fit."""

LIST = "list"
"""In place of a table: tell which there are."""


@dataclass
class Tables:
    """The schema of the configuration.  ``table`` is a `cells.Table`, or null."""

    table: Any = None
    games: int | None = between(4, GAMES)
    simulations: int | None = as_option(Budget, "simulations")
    seed: int | None = seed()
    only: list[str] | None = MISSING
    show: bool = MISSING
    fast: bool = MISSING
    write: str | None = place()
    folder: str = place()
    ray: schemas.Ray = field(default_factory=schemas.Ray)


def job(settings: DictConfig, folder: Path) -> None:
    """List the tables, or play what is missing of one, show it and write it down.

    Raises
    ------
    Refusal
        If the request cannot be met; at the end, if a game raised an exception or results could
        not be written.  What was played is saved before.
    Interrupted
        If the user wishes an end, after what was played has been saved.
    """
    from experiments import terminal
    from experiments.tables import cells

    console = terminal.console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    if settings.table is None:
        _list(settings, console)
    else:
        name = HydraConfig.get().runtime.choices.table
        table = cells.read(settings.table, name)
        if isinstance(table, cells.Steps):
            _steps(table, settings, console)
        elif isinstance(table, cells.Computed):
            _computed(table, settings, console)
        else:
            _table(table, settings, console)


def _list(settings: DictConfig, console: Console) -> None:
    """Tell which tables there are, and what each costs as often as ``settings`` say."""
    from experiments import tabular
    from experiments.tables import cells

    cores = config.cores()
    rows: list[list[Any]] = []
    for name in cells.names():
        table = cells.load(name)
        if isinstance(table, cells.Computed):
            rows.append([name, table.about, None, None, table.seconds / 3600])
            continue
        games = settings.games or table.games
        hours = table.hours(games, table.simulations and settings.simulations, cores)
        rows.append([name, table.about, len(table.cells), games, hours])
    columns = (
        tabular.words("name"),
        tabular.words("what it is"),
        tabular.count("cells"),
        tabular.count("games"),
        tabular.Column("hours", _hours),
    )
    title = f"Tables, with games a cell and about the hours they take on {cores} cores"
    tabular.show(tabular.Table(title, columns, rows), console)


def _hours(hours: float) -> str:
    if hours < 0.1:
        return "< 0.1"
    return f"{hours:,.0f}" if hours >= 10 else f"{hours:.1f}"


def _computed(table: Computed, settings: DictConfig, console: Console) -> None:
    """Compute ``table``, then show it and write it down."""
    from experiments.tables import computed, papers
    from experiments.tables import report as table_report

    paper = papers.of(table.name)
    run = computed.figures(table, paper.computed[table.name], settings, console)
    title = f"{table.name}: {table.about}"
    report = table_report.published(table.name, title, run, paper)
    report = table_report.tried(report) if settings.fast else report
    table_report.show(report, console)
    if settings.write is not None:
        heading = computed.heading(table, run, settings.fast)
        files = table_report.store(table.name, report, heading, Path(settings.write))
        console.print(f"written to {' and '.join(map(str, files))}", soft_wrap=True)


def _steps(table: Steps, settings: DictConfig, console: Console) -> None:
    """Play what is missing of ``table``, then show it and write it down."""
    from experiments.tables.stairs import command

    _check_budget(table, settings)
    command.tell(table, settings, console)


def _check_budget(table: Table, settings: DictConfig) -> None:
    if settings.simulations is not None and table.simulations is None:
        raise Refusal(f"simulations: the budgets of {table.name} are its own; leave it out")


def _table(table: Table, settings: DictConfig, console: Console) -> None:
    """Play what is missing of ``table``, then show it and write it down."""
    from experiments.runs import runfolder
    from experiments.runs.runfolder import MATCHES_FILE
    from experiments.tables import figures
    from experiments.tables import report as table_report
    from experiments.tables.cells import matches
    from experiments.tables.stairs import beside

    _check_budget(table, settings)
    folder = Path(settings.folder) / (table.folder + ("_fast" if settings.fast else ""))
    if settings.show and not (folder / MATCHES_FILE).exists():
        raise Refusal(f"nothing was played in {folder}: leave out show=true to play")
    seed = table.seed if settings.seed is None else settings.seed
    planned = matches(table, settings.simulations, seed, settings.fast)
    chosen = _chosen(table, settings.only)
    runfolder.claim(folder, planned, "games", resume=True)
    ended = None
    if not settings.show:
        games = _games(table, settings)
        ended = _played(folder, planned, chosen, games, settings.ray.address, console)
    run = (
        beside.Joined(folder, table, Path(settings.folder), settings.fast)
        if table.beside
        else figures.Measured(folder)
    )
    report = table_report.make(table, run, settings.fast)
    table_report.show(report, console)
    _draw(table, run, folder)
    if settings.write is not None:
        files = table_report.write(table, report, run, Path(settings.write))
        console.print(f"written to {' and '.join(map(str, files))}", soft_wrap=True)
    if ended is not None and ended.fault is not None:
        raise Refusal(f"{ended.fault}; {run.played.games} games are kept in {folder}")
    if ended is not None and ended.interrupted:
        raise Interrupted(
            f"interrupted after {run.played.games} games, kept in {folder}; "
            "the same command goes on"
        )


def _draw(table: Table, run: Measured, folder: Path) -> None:
    """Draw to ``folder`` the pictures that ``run`` has enough games for."""
    from experiments.tables import field, papers, plot

    paper = papers.of(table.name)
    if paper is not None:
        plot.beside_published(paper, table.name, run, folder / f"{table.name}.png")
    elif table.robin:
        plot.ratings(field.standings(table, run), table.about, folder / f"{table.name}.png")
    elif table.axis is not None:
        plot.by_setting(table.axis, run, folder / f"{table.name}.png")
    elif table.simulations is None and not table.compiled:
        plot.by_budget(run, folder / PLOT)


def _games(table: Table, settings: DictConfig) -> int:
    from experiments.tables.cells import FAST_COMPILED_GAMES, FAST_GAMES

    usual = table.games
    if settings.fast:
        usual = FAST_COMPILED_GAMES if table.compiled else FAST_GAMES
    return settings.games or usual


def _chosen(table: Table, only: list[str] | None) -> list[int]:
    """Return the numbers of the cells that are asked for."""
    names = [cell.called for cell in table.cells]
    for name in only or ():
        if name not in names:
            raise Refusal(f"only={name}: this table has {', '.join(dict.fromkeys(names))}")
    return [number for number, name in enumerate(names) if only is None or name in only]


def _played(
    folder: Path,
    planned: list[Match],
    chosen: list[int],
    games: int,
    address: str | None,
    console: Console,
) -> Outcome | None:
    """Play what is missing of the cells ``chosen``, on the cluster at ``address`` if there is one.

    None if nothing is.
    """
    from experiments.matches import play, startup
    from experiments.matches.results import Results
    from experiments.tables import playing

    played = Results.resume(folder, [planned[i] for i in chosen])
    if all(tally.has(games) for tally in played.tallies):
        return None
    started = time.monotonic()
    for match in played.matches:
        try:
            play.check(match)
        except ValueError as fault:
            raise Refusal(f"{match.name}: {fault}") from None
    resources = startup.prepare(played.matches, None, address, console)
    ended = playing.games_played(played, games, resources, console)
    playing.summarise(folder, planned, ended, time.monotonic() - started)
    return ended


COMMAND = Command("tables", Tables, job, bare="table", multirun=False, lasting=True)


def main() -> NoReturn:
    """Run the command and exit with its code."""
    from experiments.tables import cells

    cells.register()
    sys.argv[1:] = [typed for typed in sys.argv[1:] if typed not in (LIST, f"table={LIST}")]
    COMMAND.main()


if __name__ == "__main__":
    main()
