"""The strength baselines of compiled policies, beside what was measured elsewhere.

    python -m experiments.baselines
    python -m experiments.baselines --set blocking=false --only 'swift*'

`experiments.runs.references` has the set-ups and their references.  Nothing slow is imported at the
top.
"""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import closing
from dataclasses import fields
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.settings.commandline import Interrupted, Parser, Refusal, did_you_mean, enter

if TYPE_CHECKING:
    from rich.console import Console

    from experiments.runs.references import Baseline
    from sim.rules import Rules

NAME = "sleuth-baselines"

PIPED_WIDTH = 125
"""Columns of the tables where there is no terminal to fit."""


def main() -> None:
    """Run the command and exit with its code."""
    enter(NAME, lambda: run(_arguments()))


def _arguments() -> argparse.Namespace:
    parser = Parser(
        prog=NAME,
        description="Play compiled policies against each other, one against all others of a kind "
        "with its seat going round, and show the win rates beside those measured elsewhere.",
        epilog="Writes baselines.json, baselines.parquet, baselines.png and threshold.png, in "
        "place of those of an earlier run in the folder. Ctrl-C keeps the set-ups that are done.",
    )
    parser.add_argument(
        "--games", type=_positive, default=5000, metavar="N", help="games a set-up (5000)"
    )
    parser.add_argument(
        "--greedy-games",
        type=_positive,
        default=1000,
        metavar="N",
        help="games a set-up in which greedy plays, a hundred times as slow (1000)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="names deals and dice (0), from 0 on"
    )
    parser.add_argument("--rules", default="ledford", metavar="NAME", help="rule preset (ledford)")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="SWITCH=VALUE",
        help="change a switch of the rules, like blocking=false; may be given again",
    )
    parser.add_argument(
        "--only",
        metavar="PATTERN",
        help="only set-ups whose name has this in it, like greedy, or is it, like 'swift* v swift'",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("outputs/baselines"),
        metavar="PATH",
        help="where the results go (outputs/baselines)",
    )
    parser.add_argument(
        "--workers", type=_positive, metavar="N", help="threads (as many as there are cores)"
    )
    return parser.parse_args()


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def run(arguments: argparse.Namespace) -> None:
    """Play the set-ups that are asked for, write the results and print them.

    Raises
    ------
    Refusal
        Before the first game, if the request cannot be met.
    Interrupted
        On Ctrl-C, after the set-ups that are done have been written.
    """
    if not 0 <= arguments.seed < 2**63:
        raise Refusal(f"--seed {arguments.seed}: give a number from 0 to 2^63 - 1")
    rules = _rules(arguments.rules, arguments.set)
    chosen = _chosen(arguments, rules)
    try:
        arguments.folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise Refusal(f"--folder {arguments.folder}: {fault.strerror}") from None
    from rich.console import Console

    from experiments.baselines import report

    console = Console(highlight=False, width=None if sys.stdout.isatty() else PIPED_WIDTH)
    started = time.monotonic()
    found, stopped = _play(chosen, rules, arguments, console)
    if not found:
        raise Interrupted("interrupted before the first set-up was done")
    seconds = time.monotonic() - started
    try:
        report.write(found, rules, arguments.seed, arguments.folder, stopped, seconds)
    except OSError as fault:
        raise Refusal(f"cannot write to {arguments.folder}: {fault.strerror}") from None
    report.show(found, rules, console)
    console.print(f"{seconds:.0f} s; written to {arguments.folder}")
    if stopped:
        raise Interrupted(f"interrupted; what was done is kept in {arguments.folder}")


def _rules(name: str, switches: list[str]) -> Rules:
    """Return the rules asked for; values are read as the type that the switch has."""
    from sim.rules import Rules, preset

    types = {each.name: type(each.default) for each in fields(Rules) if each.name != "name"}
    values: dict[str, Any] = {}
    for each in switches:
        switch, equals, text = each.partition("=")
        if not equals:
            raise Refusal(f"--set {each}: write it as switch=value, like blocking=false")
        if switch not in types:
            raise Refusal(
                f"--set {each}: rules have no switch {switch!r}{did_you_mean(switch, types)}; "
                f"choose one of {', '.join(types)}"
            )
        values[switch] = _value(each, types[switch], text)
    try:
        return preset(name, **values)
    except ValueError as fault:
        raise Refusal(str(fault)) from None


def _value(given: str, kind: type, text: str) -> int | str | bool:
    if kind is bool:
        if text not in ("true", "false"):
            raise Refusal(f"--set {given}: the value is true or false")
        return text == "true"
    if kind is int:
        if not text.isdecimal():
            raise Refusal(f"--set {given}: the value is a whole number")
        return int(text)
    return text


def _chosen(arguments: argparse.Namespace, rules: Rules) -> list[tuple[Baseline, int]]:
    """Return the set-ups asked for, each with its number of games."""
    from experiments.runs.references import YARDSTICKS

    only = arguments.only or "*"
    pattern = only if set(only) & set("*?") else f"*{only}*"
    chosen = [
        (each, arguments.greedy_games if each.slow else arguments.games)
        for each in YARDSTICKS
        if fnmatch(each.name, pattern)
    ]
    if not chosen:
        names = ", ".join(each.name for each in YARDSTICKS)
        raise Refusal(f"--only {arguments.only}: no set-up is called so; there are {names}")
    least = min(games for _, games in chosen)
    if least < rules.players:
        raise Refusal(f"{least} games are too few for the {rules.players} seats to take turns")
    return chosen


def _play(
    chosen: list[tuple[Baseline, int]],
    rules: Rules,
    arguments: argparse.Namespace,
    console: Console,
) -> tuple[list[dict[str, Any]], bool]:
    """Play the set-ups; return the lines of those that are done, and whether Ctrl-C cut in."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from belief.evidence import EvidenceFull
    from experiments.baselines import games as baseline_games
    from experiments.matches.progress import stage
    from experiments.settings.config import cores
    from experiments.stats.intervals import win_rate

    found: list[dict[str, Any]] = []
    bar = Progress(
        "[progress.description]{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        "games",
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    )
    task = bar.add_task("", total=sum(games for _, games in chosen))

    def progress(baseline: Baseline, games: int) -> None:
        bar.update(task, advance=games, description=f"{baseline.name:24}")

    try:
        with stage(console, "loading the compiled policies (compiling them the first time)"):
            baseline_games.warm(rules)
        workers = arguments.workers or cores()
        rows = baseline_games.played(chosen, rules, arguments.seed, workers, progress)
        with bar, closing(rows):
            for baseline, games in rows:
                found += baseline_games.lines(baseline, games, rules.players)
                if not console.is_terminal:
                    rate = win_rate(int(games.won.sum()), len(games.won))
                    console.print(f"  {baseline.name}: won {rate} of {len(games.won)}")
    except EvidenceFull as fault:
        raise Refusal(str(fault)) from None
    except KeyboardInterrupt:
        return found, True
    return found, False


if __name__ == "__main__":
    main()
