"""Tables of strength that can be interrupted: every cell goes on where it stopped.

    python -m experiments.strength main
    python -m experiments.strength planners --games 100 --folder outputs/strength
    python -m experiments.strength planners_5000      # a machine's week-end

Each cell is a folder of Parquet parts with its configuration.  A complete one is not played
again; the table at the end is made from what is there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

from experiments import config, provenance, results
from experiments.commandline import Parser, Refusal, enter
from experiments.strength_tables import TABLES, Cell, cells

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from experiments.schedule import Match

NAME = "sleuth-strength"
CELL, PLOT = "cell.json", "strength.png"

_KEPT = ("rules", "player", "opponent", "seed")
"""Parts of the configuration that make a cell what it is."""

CONTROLS = ("flat", "one", "best")
"""Players that the others of a table are compared with, in the same games: the first it has."""


def main() -> None:
    """Run the command and exit with its code."""
    enter(NAME, _run)


def _run() -> None:
    parser = Parser(
        prog=NAME,
        description=__doc__.partition("\n")[0],
        epilog="Tables: "
        + ", ".join(f"{name} ({TABLES[name][1]} games a cell)" for name in TABLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("table", choices=TABLES, metavar="TABLE", help="which table to play")
    parser.add_argument(
        "--games", type=int, metavar="N", help="games a cell, in place of the usual"
    )
    parser.add_argument("--folder", type=Path, default=Path("outputs/strength"), metavar="FOLDER")
    parser.add_argument("--only", metavar="PLAYERS", help="play the cells of these alone: a,b,c")
    parser.add_argument("--seed", type=int, default=7, metavar="N", help="of deals and dice (7)")
    parser.add_argument(
        "--show", action="store_true", help="show what was played so far and play nothing"
    )
    arguments = parser.parse_args()
    if arguments.games is not None and arguments.games < 4:
        raise Refusal("--games must be 4 or more")
    chosen = cells(arguments.table, arguments.games)
    if arguments.only:
        names = arguments.only.split(",")
        known = {cell.player for cell in chosen}
        for name in names:
            if name not in known:
                raise Refusal(f"--only {name}: this table has {', '.join(sorted(known))}")
    else:
        names = [cell.player for cell in chosen]
    folder = arguments.folder / arguments.table
    console = Console(highlight=False)
    if not arguments.show:
        asked = [cell for cell in chosen if cell.player in names]
        _play_all(asked, folder, arguments.seed, console)
    _show(chosen, folder, arguments.seed, console)


def _play_all(chosen: list[Cell], folder: Path, seed: int, console: Console) -> None:
    """Play what is missing of all cells."""
    from experiments import runner

    alone = False
    runner.start(None, config.cores())
    for number, cell in enumerate(chosen, 1):
        into = folder / cell.name
        try:
            into.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise Refusal(f"--folder {folder}: {fault.strerror}") from None
        match, settings = _match(cell, seed)
        _claim(into, match)
        played = results.Results.resumed(into)
        missing = [game for game in range(cell.games) if game not in played.numbers]
        if missing:
            rooted = config.rooted(settings)
            if alone or rooted:  # the workers of other trees must not hold the cores
                runner.ray.shutdown()
                runner.start(None, config.cores())
            alone = rooted
            console.print(f"{number} of {len(chosen)}: {cell.player} against {cell.opponent}")
            _play(match, settings, played, missing, console)


def _match(cell: Cell, seed: int) -> tuple[Match, DictConfig]:
    """Return the match of ``cell`` and its settings; Refusal if they cannot be met."""
    from hydra import compose, initialize_config_module
    from omegaconf import OmegaConf

    from experiments.schedule import Match

    config.register()
    with initialize_config_module("conf", version_base=None):
        settings = compose("compare", overrides=[*cell.settings, f"seed={seed}"])
    config.check(settings)
    plain: dict[str, Any] = OmegaConf.to_container(settings, resolve=True)
    players = plain["rules"]["players"]
    kept = {key: plain[key] for key in _KEPT}
    match = Match(**kept, players=players, focal_seats=tuple(range(players)))
    return match, settings


def _claim(folder: Path, match: Match) -> None:
    """Write down what the cell plays; refuse a folder that holds another."""
    described = folder / CELL
    plain = {key: getattr(match, key) for key in _KEPT}
    if described.exists():
        if _settings(folder) != plain:
            raise Refusal(f"{folder} was played with other settings: choose another --folder")
        return
    about = {
        "settings": plain,
        "command": provenance.command(),
        "versions": provenance.versions(),
        "commit": provenance.commit(),
    }
    half = described.with_suffix(".part")
    half.write_text(json.dumps(about, indent=1))
    half.rename(described)


def _play(
    match: Match,
    settings: DictConfig,
    played: results.Results,
    missing: list[int],
    console: Console,
) -> None:
    """Play the games ``missing``, keeping all that end whatever happens."""
    from experiments import play
    from experiments.progress import GamesPlayed
    from experiments.runner import GameRaised, WorkersLost, finished
    from experiments.schedule import Portions

    play.warm(match)
    threads = config.threads(settings)
    # Ray's workers of a tree reserve their own cores.
    cpus = 0.0 if config.rooted(settings) else float(threads)
    workers = max(1, config.cores() // threads)
    portions = Portions(len(missing), match.compiled, missing)
    total = len(missing) + played.games
    try:
        with (
            GamesPlayed(console, total) as progress,
            closing(finished(match, portions, workers, cpus)) as batches,
        ):
            for parts in batches:
                for each in parts:
                    played.add(each.rows)
                progress.update(played.games, played.wins)
    except (GameRaised, WorkersLost) as fault:
        raise Refusal(f"{fault}; {played.games} games are kept in {played.folder}") from None
    finally:
        played.flush()


def _settings(folder: Path) -> dict[str, Any]:
    """Return with what the cell in ``folder`` was played."""
    return json.loads((folder / CELL).read_text())["settings"]


def _show(chosen: list[Cell], folder: Path, seed: int, console: Console) -> None:
    """Print the table of what was played with ``seed``, and write it beside the cells."""
    from experiments.statistics import paired_difference, win_rate

    table = Table(title=folder.name)
    for column in ("player", "opponents", "games", "win rate, 95 %", "wrong", "ms a decision"):
        table.add_column(column, justify="left" if column in ("player", "opponents") else "right")
    won, lines = {}, []
    for cell in chosen:
        into = folder / cell.name
        if not any(into.glob("games-*.parquet")) or _settings(into)["seed"] != seed:
            continue
        rows = results.focal_rows(results.read(into))
        of_game = dict(zip(rows["game"].to_pylist(), rows["won"].to_pylist(), strict=True))
        won[cell.player, cell.opponent] = of_game
        wins, games = sum(of_game.values()), len(of_game)
        decisions = sum(rows["decisions"].to_pylist())
        line = {
            "player": cell.player,
            "opponent": cell.opponent,
            "games": games,
            "wins": wins,
            "win_rate": str(win_rate(wins, games)),
            "wrong": sum(rows["out"].to_pylist()),
            "ms": 1000 * sum(rows["search_seconds"].to_pylist()) / max(decisions, 1),
        }
        lines.append(line)
        table.add_row(
            cell.player,
            cell.opponent,
            str(games),
            line["win_rate"],
            str(line["wrong"]),
            f"{line['ms']:.1f}",
        )
    console.print(table)
    differences = []
    for player, opponent in won:
        control = next((each for each in CONTROLS if (each, opponent) in won), player)
        if player != control:
            one, other = won[control, opponent], won[player, opponent]
            both = sorted(one.keys() & other.keys())
            pairs = ([each[game] for game in both] for each in (one, other))
            found = str(paired_difference(*map(np.array, pairs)))
            differences.append({"player": player, "opponent": opponent, f"less_{control}": found})
            console.print(
                f"{player} less {control} against {opponent}, same {len(both)} games: {found}"
            )
    _draw(chosen, won, folder)
    written = {"made": time.strftime("%Y-%m-%d"), "cells": lines, "differences": differences}
    if lines:
        (folder / "table.json").write_text(json.dumps(written, indent=1))


def _draw(chosen: list[Cell], won: Mapping[tuple[str, str], dict[int, bool]], folder: Path) -> None:
    """Draw win rates by budget, if that is what tells the cells apart."""
    played = [cell for cell in chosen if (cell.player, cell.opponent) in won and cell.simulations]
    if len(played) < 2:
        return
    from experiments import strength_plot
    from experiments.statistics import win_rate

    rates, games = {}, set()
    for cell in played:
        found = won[cell.player, cell.opponent]
        rates[cell.simulations] = win_rate(sum(found.values()), len(found))
        games.add(len(found))
    title = f"best against three {played[0].opponent}, {min(games)} games a point"
    strength_plot.draw(rates, 0.25, title, folder / PLOT)


if __name__ == "__main__":
    sys.exit(main())
