"""The difference between two players, measured on the same games.

    python -m experiments.paired RUN_A RUN_B

Reads the folders of two runs of `experiments.compare` with the same seed, seats, opponents and
rules; prints both win rates and how much oftener the second player won, with its 95 % interval.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.table import Table

from experiments import results
from experiments.commandline import Refusal
from experiments.statistics import paired_difference, win_rate

NAME = "sleuth-paired"

SAME = ("seed", "rules", "opponent", "match.focal_seats")
"""Settings that make game *k* of two runs the same game."""


def main() -> None:
    """Run the command and exit with its code."""
    parser = argparse.ArgumentParser(prog=NAME, description=__doc__.partition("\n")[0])
    parser.add_argument("first", type=Path, help="run folder of the player to compare with")
    parser.add_argument("second", type=Path, help="run folder of the player of interest")
    arguments = parser.parse_args()
    try:
        show(arguments.first, arguments.second, Console(highlight=False))
    except Refusal as fault:
        print(f"{NAME}: {fault}", file=sys.stderr)
        sys.exit(1)


def show(first: Path, second: Path, console: Console) -> None:
    """Print the comparison of the runs in two folders.

    Raises
    ------
    Refusal
        If they are not runs, or did not play the same games.
    """
    settings = [_settings(folder) for folder in (first, second)]
    for key in SAME:
        one, other = (_look_up(each, key) for each in settings)
        if one != other:
            raise Refusal(f"the runs differ in {key} ({one} and {other}): play both with the same")
    tables = [results.focal_rows(results.read(folder)) for folder in (first, second)]
    _check_games(*tables)
    won = [table["won"].to_numpy() for table in tables]
    table = Table(title=f"{len(won[0])} games of seed {settings[0]['seed']}")
    for column in ("run", "player", "wins", "win rate, 95 %"):
        table.add_column(column, justify="right" if column.startswith("win") else "left")
    for folder, each, wins in zip((first, second), settings, won, strict=True):
        total = int(wins.sum())
        rate = win_rate(total, len(wins))
        table.add_row(str(folder), each["player"]["name"], str(total), str(rate))
    console.print(table)
    console.print(f"difference, second less first, on the same games: {paired_difference(*won)}")


def _settings(folder: Path) -> dict[str, Any]:
    try:
        return json.loads((folder / results.SUMMARY).read_text())["run"]["configuration"]
    except (OSError, ValueError, KeyError):
        raise Refusal(
            f"{folder} holds no {results.SUMMARY} of a run: give the folder of a finished run"
        ) from None


def _look_up(settings: dict[str, Any], key: str) -> Any:
    value: Any = settings
    for part in key.split("."):
        value = value[part]
    return value


def _check_games(one: pa.Table, other: pa.Table) -> None:
    for column in ("game", "seat"):
        if not one[column].equals(other[column]):
            raise Refusal(
                f"the runs hold different games ({one.num_rows} and {other.num_rows}), or the "
                "same in different seats: play both with the same match.games"
            )


if __name__ == "__main__":
    main()
