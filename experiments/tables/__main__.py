"""Play and show the tables of the papers and of strength; each command can be interrupted.

    python -m experiments.tables
    python -m experiments.tables ledford_4_1
    python -m experiments.tables table=ledford_4_2 games=300 write=docs/results
    python -m experiments.tables planners only=[best,flat]

The same command resumes where it stopped and plays nothing if no game is missing.  Slow modules
are imported late.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from hydra.core.hydra_config import HydraConfig
from omegaconf import MISSING, DictConfig

from experiments.settings import config, schemas
from experiments.settings.command import Command
from experiments.settings.commandline import Aside, Interrupted, Refusal, attempt, leave
from experiments.settings.limits import GAMES, as_option, between, place, seed
from experiments.tables import catalog
from experiments.tables.schema import Computed, Table
from mcts.options import Budget

if TYPE_CHECKING:
    from rich.console import Console

PIPED_WIDTH = 160
"""Width of the output without a terminal, in columns."""

LIST = "list"
"""The name that lists all tables."""


@dataclass
class Tables:
    """The schema of the configuration; ``table`` is a `schema.Table`, or null."""

    table: Any = None
    games: int | None = between(4, GAMES)
    simulations: int | None = as_option(Budget, "simulations")
    seed: int | None = seed()
    only: list[str] | None = MISSING
    show: bool = MISSING
    write: str | None = place()
    folder: str = place()
    ray: schemas.Ray = field(default_factory=schemas.Ray)


def job(settings: DictConfig, _: Path) -> None:
    """List the tables, or play the missing games of one, then show and write its results.

    Raises Refusal if the request cannot be met, if a game raised an exception, or if results could
    not be written.  Raises Interrupted if the user stops it.  Finished games are saved first.
    """
    from experiments import terminal

    console = terminal.console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    if settings.table is None:
        _list_tables(settings, console)
        return
    table = catalog.read(settings.table, HydraConfig.get().runtime.choices["table"])
    if not isinstance(table, Computed):
        _run_table(table, settings, console)
        return
    from experiments.tables import computed

    if not settings.show:
        computed.compute(table, settings, console)
    _show(table, settings, console)


def _list_tables(settings: DictConfig, console: Console) -> None:
    """Print the tables, each with its cost for the games in ``settings``."""
    from experiments import tabular

    cores = config.cores()
    rows: list[list[Any]] = []
    for table in map(catalog.outline, catalog.names()):
        if isinstance(table, Computed):
            rows.append([table.name, table.about, None, None, table.seconds / 3600])
            continue
        hours = table.hours(settings.games, table.simulations and settings.simulations, cores)
        games = settings.games or table.games
        rows.append([table.name, table.about, len(table.cells), games, hours])
    columns = (
        tabular.words("name"),
        tabular.words("about"),
        tabular.count("cells"),
        tabular.count("games"),
        tabular.Column("hours", _format_hours),
    )
    title = f"Tables, with games per cell and the estimated hours on {cores} cores"
    tabular.show(tabular.Table(title, columns, rows), console)


def _format_hours(hours: float) -> str:
    if hours < 0.1:
        return "< 0.1"
    return f"{hours:,.0f}" if hours >= 10 else f"{hours:.1f}"


def _run_table(table: Table, settings: DictConfig, console: Console) -> None:
    """Play the missing games of ``table``, then show, draw and write the results."""
    from experiments.runs import runfolder
    from experiments.tables import cells, play

    if settings.simulations is not None and table.simulations is None:
        raise Refusal(f"simulations: {table.name} sets its own budgets; leave it out")
    root = Path(settings.folder)
    folder = root / table.folder
    asked = settings.games, settings.simulations, settings.seed
    found = cells.cells_of(table, root, *asked)
    numbers = cells.choose([one.cell.choices for one in found], settings.only)
    begun = {path: runs for path, runs in play.by_run(found).items() if runs[0].begun}
    if settings.show and not begun:
        raise Refusal(f"no games in {folder}: leave out show=true to play")
    for path, runs in begun.items():
        runfolder.claim(path, [one.match for one in runs], "games")
    ended = None
    if not settings.show:
        chosen = [found[number] for number in numbers]
        ended = play.play_missing(found, chosen, settings.ray.address, console)
    _show(table, settings, console, folder)
    if ended is None or not (ended.interrupted or ended.fault):
        return
    games = sum(runfolder.tallies(one).games for one in {one.folder for one in found if one.begun})
    if ended.fault is not None:
        raise Refusal(f"{ended.fault}; {games} games are kept in {folder}")
    raise Interrupted(
        f"interrupted after {games} games, kept in {folder}; the same command continues"
    )


def _show(
    table: Table | Computed, settings: DictConfig, console: Console, folder: Path | None = None
) -> None:
    """Show the results of ``table``, draw them to ``folder``, and write them if requested."""
    from experiments import tabular
    from experiments.tables import page
    from experiments.tables.report import store

    asked = {key: settings[key] for key in page.ASKED}
    made = page.read(table, Path(settings.folder), asked)
    tabular.show(made.report.shown, console)
    for name in made.needs:
        console.print(f"a column is left out, it needs: {catalog.COMMAND} {name}", soft_wrap=True)
    if folder is not None:
        Aside("the picture is missing").do(lambda: made.draw(folder))
    if settings.write is not None:
        files = store(table.name, made.report, made.heading(), Path(settings.write))
        console.print(f"written to {' and '.join(map(str, files))}", soft_wrap=True)


COMMAND = Command("tables", Tables, job, bare="table", multirun=False, lasting=True)


def main() -> NoReturn:
    """Run the command and exit with its code."""
    catalog.register()
    sys.argv[1:] = [typed for typed in sys.argv[1:] if typed not in (LIST, f"table={LIST}")]
    if code := attempt(COMMAND.title, _check_file):
        leave(code)
    COMMAND.main()


def _check_file() -> None:
    """Refuse a table whose file is invalid, in a message that names the file."""
    for name in {typed.removeprefix("table=") for typed in sys.argv[1:]} & {*catalog.names()}:
        catalog.load(name)


if __name__ == "__main__":
    main()
