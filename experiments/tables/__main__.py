"""The tables of the papers and of strength, each by one command that can be interrupted.

    python -m experiments.tables list
    python -m experiments.tables ledford_4_1
    python -m experiments.tables ledford_4_2 --games 300 --write docs/results
    python -m experiments.tables planners --only best,flat --show

All cells of a table are one run: the same command goes on where it stopped, and plays nothing if
all is there.  Nothing slow is imported at the top.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.provenance.files import write_json
from experiments.settings.commandline import (
    Interrupted,
    Parser,
    Refusal,
    ctrl_c,
    did_you_mean,
    enter,
)

if TYPE_CHECKING:
    from rich.console import Console

    from experiments.matches.match_loop import Outcome, Resources
    from experiments.matches.results import Results
    from experiments.matches.schedule import Match
    from experiments.tables.cells import Table

NAME = "sleuth-tables"
PLOT = "budget.png"
PIPED_WIDTH = 160
"""Columns where there is no terminal to fit."""


def main() -> None:
    """Run the command and exit with its code."""
    enter(NAME, _run)


def _arguments() -> argparse.Namespace:
    parser = Parser(
        prog=NAME,
        description=__doc__.partition("\n")[0],
        epilog="Games go to FOLDER/<run>, which tables of the same games share. Ctrl-C loses "
        "nothing: the same command goes on.",
    )
    parser.add_argument("table", metavar="NAME", help="of a table; list: tell which there are")
    parser.add_argument(
        "--games", type=_number, metavar="N", help="games a cell, in place of the usual"
    )
    parser.add_argument(
        "--simulations", type=_number, metavar="N", help="a decision, in place of the usual"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("outputs/tables"),
        metavar="FOLDER",
        help="where the runs lie (outputs/tables)",
    )
    parser.add_argument("--only", metavar="PLAYERS", help="play the cells of these alone: a,b,c")
    parser.add_argument(
        "--ray", metavar="ADDRESS", help="play on this Ray cluster: auto, or host:port"
    )
    parser.add_argument("--seed", type=int, default=7, metavar="N", help="of deals and dice (7)")
    parser.add_argument(
        "--show", action="store_true", help="show what was played so far and play nothing"
    )
    parser.add_argument(
        "--fast", action="store_true", help="a trial: few and short games, in a run of its own"
    )
    parser.add_argument(
        "--write", type=Path, metavar="FOLDER", help="write the table there as NAME.md and NAME.csv"
    )
    return parser.parse_args()


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def tables() -> dict[str, Table]:
    """Return all tables by name."""
    from experiments.tables.cells import STRENGTH
    from experiments.tables.ledford import TABLES

    return {each.name: each for each in (*TABLES, *STRENGTH)}


def _run() -> None:
    arguments = _arguments()
    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else PIPED_WIDTH)
    known = tables()
    if arguments.table == "list":
        _list(known, console)
        return
    if arguments.table not in known:
        raise Refusal(
            f"{arguments.table}: there is no such table{did_you_mean(arguments.table, known)}; "
            "list tells which there are"
        )
    _table(known[arguments.table], arguments, console)


def _list(known: dict[str, Table], console: Console) -> None:
    from rich.table import Table as Grid

    grid = Grid(title="Tables, with their usual games and about what they cost on two cores")
    for head in ("name", "what it is", "cells", "games", "hours"):
        grid.add_column(head, justify="left" if head in ("name", "what it is") else "right")
    for each in known.values():
        hours = f"{each.hours:,.0f}" if each.hours >= 10 else f"{each.hours:.1f}"
        hours = "seconds" if each.compiled else hours
        grid.add_row(each.name, each.about, str(len(each.cells)), f"{each.games:,}", hours)
    console.print(grid)


def _table(table: Table, arguments: argparse.Namespace, console: Console) -> None:
    """Play what is missing of ``table``, then show it and write it down."""
    from experiments.runs import runfolder
    from experiments.runs.runfolder import MATCHES_FILE
    from experiments.settings import config
    from experiments.tables import figures
    from experiments.tables import report as table_report
    from experiments.tables.cells import matches

    if arguments.seed < 0:
        raise Refusal(f"--seed {arguments.seed}: give a number from 0 on")
    if arguments.simulations is not None and table.simulations is None:
        raise Refusal(f"--simulations: the budgets of {table.name} are its own; leave it out")
    folder = arguments.folder / ((table.run or table.name) + ("_fast" if arguments.fast else ""))
    if arguments.show and not (folder / MATCHES_FILE).exists():
        raise Refusal(f"nothing was played in {folder}: leave out --show to play")
    planned = matches(table, arguments.simulations, arguments.seed, arguments.fast)
    chosen = _chosen(table, planned, arguments.only)
    runfolder.claim(folder, planned, "games", resume=True)
    ended = None
    if not arguments.show:
        games = _games(table, arguments)
        ended = _played(folder, planned, chosen, games, arguments.ray, console)
    run = figures.Measured(folder)
    report = table_report.make(table, run, arguments.fast)
    table_report.show(table, report, console)
    if any(each.simulations for each in table.cells):
        from experiments.tables import plot

        plot.by_budget(table, run, folder / PLOT)
    if arguments.write is not None:
        files = table_report.write(table, report, run, config.cores(), arguments.write)
        console.print(f"written to {' and '.join(map(str, files))}", soft_wrap=True)
    if ended is not None and ended.fault is not None:
        raise Refusal(f"{ended.fault}; {run.played.games} games are kept in {folder}")
    if ended is not None and ended.interrupted:
        raise Interrupted(
            f"interrupted after {run.played.games} games, kept in {folder}; "
            "the same command goes on"
        )


def _games(table: Table, arguments: argparse.Namespace) -> int:
    from experiments.tables.cells import FAST_COMPILED_GAMES, FAST_GAMES

    usual = table.games
    if arguments.fast:
        usual = FAST_COMPILED_GAMES if table.compiled else FAST_GAMES
    games = arguments.games or usual
    if games < 4:
        raise Refusal(f"--games {games}: give 4 or more, one for each seat")
    return games


def _chosen(table: Table, planned: list[Match], only: str | None) -> list[int]:
    """Return the numbers of the cells that are asked for."""
    if only is None:
        return list(range(len(planned)))
    players = [each.player for each in table.cells]
    for name in only.split(","):
        if name not in players:
            raise Refusal(f"--only {name}: this table has {', '.join(dict.fromkeys(players))}")
    return [i for i, player in enumerate(players) if player in only.split(",")]


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
    from experiments.matches.progress import stage
    from experiments.matches.results import Results

    played = Results.resumed(folder, [planned[i] for i in chosen])
    if all(tally.has(games) for tally in played.tallies):
        return None
    started = time.monotonic()
    with stage(console, "loading compiled code (compiling it the first time)"):
        for match in played.matches:
            try:
                play.check(match)
            except ValueError as fault:
                raise Refusal(f"{match.name}: {fault}") from None
            play.warm(match)
    resources = startup.resources(played.matches, None, address, console)
    ended = _contest(played, games, resources, console)
    _summarise(folder, planned, ended, time.monotonic() - started)
    return ended


def _contest(played: Results, games: int, resources: Resources, console: Console) -> Outcome:
    from experiments.matches import match_loop
    from experiments.matches.progress import GamesPlayed
    from experiments.stats import stopping

    with ctrl_c() as pressed, GamesPlayed(console, played.matches, games) as progress:

        def watch() -> bool:
            progress.update(played.tallies)
            return not pressed.is_set()

        return match_loop.play(played, games, stopping.parse("games"), resources, watch)


def _summarise(folder: Path, planned: list[Match], ended: Outcome, seconds: float) -> None:
    """Write the summary of the run, as `experiments.compare` does."""
    from experiments.provenance import provenance
    from experiments.runs import runfolder, summary
    from experiments.stats import stopping

    played = runfolder.loaded(folder)
    try:
        write_json(
            folder,
            {
                "seed": planned[0].seed,
                "stop": "games",
                **summary.figures(played, stopping.parse("games")),
                "interrupted": ended.interrupted or ended.fault is not None,
                "fault": ended.fault,
                "seconds": seconds,
                "run": {
                    "folder": str(folder),
                    "command": provenance.command(),
                    "configuration": {},
                    "versions": provenance.versions(),
                    "commit": provenance.commit(),
                    "machine": provenance.machine(),
                },
            },
        )
    except OSError as fault:
        if ended.fault is None:
            raise Refusal(f"cannot write to {folder}: {fault.strerror}") from None


if __name__ == "__main__":
    main()
