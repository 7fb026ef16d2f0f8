"""The tables of the papers and of strength, each by one command that can be interrupted.

    python -m experiments.tables
    python -m experiments.tables ledford_4_1
    python -m experiments.tables table=ledford_4_2 games=300 write=docs/results
    python -m experiments.tables planners only=[best,flat]

All cells of a table are one run: the same command continues where it stopped, and plays nothing if
all is there.  Nothing slow is imported at the top.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from hydra.core.hydra_config import HydraConfig
from omegaconf import MISSING, DictConfig

from experiments.settings import config, schemas
from experiments.settings.aside import Aside
from experiments.settings.command import Command
from experiments.settings.commandline import Interrupted, Refusal, attempt, leave
from experiments.settings.limits import GAMES, as_option, between, place, seed
from mcts.options import Budget

if TYPE_CHECKING:
    from rich.console import Console

    from experiments.matches.match_loop import Outcome
    from experiments.matches.schedule import Match
    from experiments.tables.ablation.schema import Ablation
    from experiments.tables.schema import Computed, Table

PIPED_WIDTH = 160
"""Columns where there is no terminal to fit."""

LIST = "list"
"""In place of a table: list all."""


@dataclass
class Tables:
    """The schema of the configuration; ``table`` is a `schema.Table`, or null."""

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
    """List the tables, or play the missing games of one, show it and write it down.

    Raises Refusal if the request cannot be met; at the end, if a game raised an exception or
    results could not be written.  The games are saved before.  Raises Interrupted if the user asks
    to stop; the games are saved before.
    """
    from experiments import terminal
    from experiments.tables import catalog
    from experiments.tables.ablation.schema import Ablation
    from experiments.tables.schema import Computed

    console = terminal.console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    if settings.table is None:
        _list_tables(settings, console)
        return
    table = catalog.read(settings.table, HydraConfig.get().runtime.choices["table"])
    if isinstance(table, Computed):
        _run_computed(table, settings, console)
        return
    if settings.simulations is not None and table.simulations is None:
        raise Refusal(f"simulations: the budgets of {table.name} are its own; leave it out")
    if isinstance(table, Ablation):
        _run_ablation(table, settings, console)
    else:
        _run_table(table, settings, console)


def _list_tables(settings: DictConfig, console: Console) -> None:
    """Print the tables, with the cost of each for the games that ``settings`` ask for."""
    from experiments import tabular
    from experiments.tables import catalog
    from experiments.tables.schema import Computed

    cores = config.cores()
    rows: list[list[Any]] = []
    for name in catalog.names():
        table = catalog.load(name)
        if isinstance(table, Computed):
            rows.append([name, table.about, None, None, table.seconds / 3600])
            continue
        games = settings.games or table.games
        hours = table.hours(games, table.simulations and settings.simulations, cores)
        rows.append([name, table.about, len(table.cells), games, hours])
    columns = (
        tabular.words("name"),
        tabular.words("about"),
        tabular.count("cells"),
        tabular.count("games"),
        tabular.Column("hours", _format_hours),
    )
    title = f"Tables, with games per cell and the hours that they take on {cores} cores, estimated"
    tabular.show(tabular.Table(title, columns, rows), console)


def _format_hours(hours: float) -> str:
    if hours < 0.1:
        return "< 0.1"
    return f"{hours:,.0f}" if hours >= 10 else f"{hours:.1f}"


def _run_computed(table: Computed, settings: DictConfig, console: Console) -> None:
    """Compute ``table``, then show it and write it down."""
    from experiments.tables import computed

    computed.compute_missing(table, settings, console)
    _show(table, settings, console)


def _show(
    table: Table | Computed, settings: DictConfig, console: Console, folder: Path | None = None
) -> None:
    """Show what there is of ``table``, draw it to ``folder``, and write it down if so asked."""
    from experiments import tabular
    from experiments.tables import page
    from experiments.tables.report import store

    asked = {key: settings[key] for key in page.ASKED}
    made = page.read(table, Path(settings.folder), asked, settings.fast)
    tabular.show(made.report.shown, console)
    if folder is not None:
        Aside("the picture is missing").do(lambda: made.draw(folder))
    if settings.write is not None:
        files = store(table.name, made.report, made.heading(), Path(settings.write))
        console.print(f"written to {' and '.join(map(str, files))}", soft_wrap=True)


def _run_ablation(table: Ablation, settings: DictConfig, console: Console) -> None:
    """Play the missing games of ``table``, then show it, draw it and write it down."""
    from experiments.tables.ablation import cells, play

    root = Path(settings.folder)
    folder = cells.root_folder(table, root, settings.fast)
    asked = settings.games, settings.simulations, settings.seed, settings.fast
    found = cells.cells_of(table, root, *asked)
    chosen = cells.choose(found, settings.only)
    _check_played(settings, any(cell.played for cell in found), folder)
    ended = None if settings.show else play.play_missing(chosen, settings.ray.address, console)
    _show(table, settings, console, folder)
    games = {cell.folder: cell.played for cell in found}
    _finish(ended, sum(games.values()), folder)


def _run_table(table: Table, settings: DictConfig, console: Console) -> None:
    """Play the missing games of ``table``, then show it, draw it and write it down."""
    from experiments.matches.row_provenance import MATCHES_FILE
    from experiments.runs import runfolder
    from experiments.tables import choice
    from experiments.tables.matches import matches

    root = Path(settings.folder)
    folder = root / (table.folder + ("_fast" if settings.fast else ""))
    _check_played(settings, (folder / MATCHES_FILE).exists(), folder)
    seed = table.seed if settings.seed is None else settings.seed
    planned = matches(table, settings.simulations, seed, settings.fast)
    chosen = choice.choose([cell.choices for cell in table.cells], settings.only)
    runfolder.claim(folder, planned, "games", resume=True)
    ended = None
    if not settings.show:
        ended = _play(folder, [planned[i] for i in chosen], table, settings, console)
    _show(table, settings, console, folder)
    _finish(ended, runfolder.tallies(folder).games, folder)


def _check_played(settings: DictConfig, played: bool, folder: Path) -> None:
    if settings.show and not played:
        raise Refusal(f"nothing was played in {folder}: leave out show=true to play")


def _finish(ended: Outcome | None, games: int, folder: Path) -> None:
    """Raise the fault or the interruption by which playing ``ended``, if there was one."""
    if ended is not None and ended.fault is not None:
        raise Refusal(f"{ended.fault}; {games} games are kept in {folder}")
    if ended is not None and ended.interrupted:
        raise Interrupted(
            f"interrupted after {games} games, kept in {folder}; the same command continues"
        )


def _play(
    folder: Path, chosen: list[Match], table: Table, settings: DictConfig, console: Console
) -> Outcome | None:
    """Play the missing games of the matches ``chosen``; return None if there are none."""
    from experiments.matches import startup
    from experiments.matches.results import Results
    from experiments.tables import play
    from experiments.tables.matches import FAST_COMPILED_GAMES, FAST_GAMES

    usual = table.games
    if settings.fast:
        usual = FAST_COMPILED_GAMES if table.compiled else FAST_GAMES
    games = settings.games or usual
    played = Results.resume(folder, chosen)
    if all(tally.has(games) for tally in played.tallies):
        return None
    for match in chosen:
        play.check_match(match, match.name)
    resources = startup.prepare(chosen, None, settings.ray.address, console)
    return play.play_games(played, games, resources, console)


COMMAND = Command("tables", Tables, job, bare="table", multirun=False, lasting=True)


def main() -> NoReturn:
    """Run the command and exit with its code."""
    from experiments.tables import catalog

    catalog.register()
    sys.argv[1:] = [typed for typed in sys.argv[1:] if typed not in (LIST, f"table={LIST}")]
    if code := attempt(COMMAND.title, _check_file):
        leave(code)
    COMMAND.main()


def _check_file() -> None:
    """Refuse a table whose file is faulty by itself, so that the message names the file."""
    from experiments.tables import catalog

    for name in {typed.removeprefix("table=") for typed in sys.argv[1:]} & {*catalog.names()}:
        catalog.load(name)


if __name__ == "__main__":
    main()
