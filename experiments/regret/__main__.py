"""What players lose in late positions whose values are exact, by their budget of simulations.

    python -m experiments.regret --players bmcts,swift --simulations 50,200,1000

A position (`sim.endgame`) is put to every player with every budget and seed: it decides a whole
turn, which is to accuse, or a room and then a suggestion there.  Its regret is the value of the
best turn less that of the one chosen, both followed by best play.  Nothing slow is imported at the
top.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.settings import config
from experiments.settings.commandline import Interrupted, Parser, Refusal, enter, explain

if TYPE_CHECKING:
    from rich.console import Console

    from sim.endgame.positions import Endgame
    from sim.players.player import Player

NAME = "sleuth-regret"

SEATS = range(3, 7)
"""Numbers of players at the table."""

PIPED_WIDTH = 100
"""Columns of the table where there is no terminal to fit."""


def main() -> None:
    """Run the command and exit with its code."""
    enter(NAME, lambda: run(_parser().parse_args()))


def _parser() -> Parser:
    parser = Parser(
        prog=NAME,
        description="Put late positions with exact values to players and report what their choices "
        "lose, with 95 % intervals over positions.",
        epilog="Writes regret.json, regret.csv (a row a turn) and regret.png, in place of those of "
        "an earlier run in the folder. Ctrl-C keeps the positions that are done. "
        "Example: %(prog)s --players bmcts,swift --set actions.candidates=3",
    )
    add = parser.add_argument
    add(
        "--players",
        type=lambda text: list(dict.fromkeys(text.split(","))),
        default=["bmcts"],
        metavar="A,B",
        help="presets of conf/player, with changes of their own as in bmcts+belief=factored; "
        "budgets are for those that search (bmcts)",
    )
    add(
        "--simulations",
        type=_budgets,
        default=[50, 200, 1000],
        metavar="N,M",
        help="budgets of a decision (50,200,1000)",
    )
    add("--positions", type=_positive, default=20, metavar="N", help="from 2 on (20)")
    add("--seeds", type=_positive, default=5, metavar="N", help="searches of each position (5)")
    add("--seats", type=_positive, default=4, metavar="N", help="players at the table, 3 to 6 (4)")
    add(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change every searching player, like search.exploration=0.5; may be given again",
    )
    add("--seed", type=int, default=0, metavar="N", help="of positions and searches (0), from 0 on")
    add(
        "--folder",
        type=Path,
        default=Path("outputs/regret"),
        metavar="PATH",
        help="where the results go (outputs/regret)",
    )
    return parser


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def _budgets(text: str) -> list[int]:
    return sorted({_positive(each) for each in text.split(",")})


@dataclass(frozen=True)
class Contestant:
    """Who decides: ``spec`` as `sim.players.registry.make` takes it; no ``simulations`` if none are
    made."""

    label: str
    spec: Mapping[str, Any]
    simulations: int | None


def run(arguments: argparse.Namespace) -> None:
    """Measure, write the results and print them.

    Raises
    ------
    Refusal
        Before the first position, if the request cannot be met.
    Interrupted
        On Ctrl-C, after the positions that are done have been written.
    """
    if not 0 <= arguments.seed < 2**63:
        raise Refusal(f"--seed {arguments.seed}: give a number from 0 to 2^63 - 1")
    if arguments.positions < 2:
        raise Refusal("--positions 1: an interval needs two")
    if arguments.seats not in SEATS:
        raise Refusal(f"--seats {arguments.seats}: a table has {SEATS[0]} to {SEATS[-1]}")
    specs = {}
    for each in arguments.players:
        name, *changes = each.split("+")
        specs[each] = preset(name, [*arguments.set, *changes])
    entered = list(contestants(specs, arguments.simulations))
    players = _players(entered, arguments.seats)
    try:
        arguments.folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise Refusal(f"--folder {arguments.folder}: {fault.strerror}") from None
    from rich.console import Console

    from experiments.matches.progress import stage
    from experiments.regret import report

    console = Console(highlight=False, width=None if sys.stdout.isatty() else PIPED_WIDTH)
    started = time.monotonic()
    with stage(console, "finding positions"):
        positions = _positions(arguments)
    rows, stopped = _measured(entered, players, positions, arguments, console)
    done = len({row["position"] for row in rows})
    if done < 2:
        raise Interrupted("interrupted before two positions were done")
    described = {
        "seats": arguments.seats,
        "positions": done,
        "seeds": arguments.seeds,
        "seed": arguments.seed,
        "players": specs,
        "references": report.references(positions[:done]),
        "figures": report.figures(rows, arguments.seed),
        "interrupted": stopped,
        "seconds": time.monotonic() - started,
    }
    try:
        report.write(described, rows, arguments.folder)
    except OSError as fault:
        raise Refusal(f"cannot write to {arguments.folder}: {fault.strerror}") from None
    report.show(described, console)
    console.print(f"{described['seconds']:.0f} s; written to {arguments.folder}")
    if stopped:
        raise Interrupted(f"interrupted; {done} positions are kept in {arguments.folder}")


def preset(name: str, changes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the player that the preset ``name`` of conf/player describes.

    ``changes`` (``key=value``) are made to those that search.

    Raises
    ------
    Refusal
        If there is no such preset, key or value.
    """
    from hydra import compose, initialize_config_module
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    config.register()
    try:
        with initialize_config_module("conf", version_base="1.3"):
            composed = compose("compare", overrides=[f"player={name}"])
            if "budget" in composed.player:
                made = [f"player.{each}" for each in changes]
                composed = compose("compare", overrides=[f"player={name}", *made])
    except (HydraException, OmegaConfBaseException) as fault:
        raise Refusal(explain(fault)) from None
    config.check(composed)
    return OmegaConf.to_container(composed.player, resolve=True)


def contestants(
    specs: Mapping[str, Mapping[str, Any]], simulations: Sequence[int]
) -> Iterator[Contestant]:
    """Yield the players of ``specs`` (by label), those that search once for each budget."""
    for label, spec in specs.items():
        if "budget" not in spec:
            yield Contestant(label, spec, None)
            continue
        for budget in simulations:
            allowed = {**spec["budget"], "simulations": budget, "seconds": None}
            yield Contestant(label, {**spec, "budget": allowed}, budget)


def _positions(arguments: argparse.Namespace) -> list[Endgame]:
    from sim.endgame.finding import endgames

    return list(islice(endgames(arguments.seed, arguments.seats), arguments.positions))


def _players(entered: Sequence[Contestant], seats: int) -> list[Player]:
    """Return the players; Refusal if one cannot be made."""
    from sim import rules
    from sim.players import registry

    try:
        return [registry.make(each.spec, rules.preset("speed", players=seats)) for each in entered]
    except ValueError as fault:
        raise Refusal(str(fault)) from None


def _measured(
    entered: Sequence[Contestant],
    players: Sequence[Player],
    positions: Sequence[Endgame],
    arguments: argparse.Namespace,
    console: Console,
) -> tuple[list[dict[str, Any]], bool]:
    """Return the rows of all positions that were done, and whether Ctrl-C was pressed."""
    from rich.progress import Progress

    from experiments.matches.progress import COMPILING, stage

    rows: list[dict[str, Any]] = []
    with stage(console, COMPILING):
        for player in players:
            turn(positions[0], player, 0)
    with Progress(console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("positions", total=len(positions))
        for number, position in enumerate(positions):
            try:
                of_it = list(_rows(number, position, entered, players, arguments))
            except KeyboardInterrupt:
                return rows, True
            rows += of_it
            bar.update(task, advance=1)
    return rows, False


def _rows(
    number: int,
    position: Endgame,
    entered: Sequence[Contestant],
    players: Sequence[Player],
    arguments: argparse.Namespace,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each turn at one position; all contestants search with the same keys."""
    import numpy as np

    from mcts.kernel.rng import fold
    from sim.chance import search_key

    named = np.uint64(search_key(arguments.seed, number, position.seat))
    for contestant, player in zip(entered, players, strict=True):
        for seed in range(arguments.seeds):
            made, lost = turn(position, player, int(fold(named, seed)))
            yield {
                "player": contestant.label,
                "simulations": contestant.simulations,
                "position": number,
                "seed": seed,
                "first": made[0],
                "second": made[1] if len(made) > 1 else None,
                "first_regret": lost[0],
                "regret": sum(lost),
                "best": position.best,
                "search_seconds": player.search_seconds,
            }


def turn(position: Endgame, player: Player, key: int) -> tuple[list[int], list[float]]:
    """Return the decisions of ``player`` in one turn, one or two, and what each loses.

    ``key`` names its chance.
    """
    from sim.state import PASSAGE

    position.sit(player, key)
    made = [position.choice(player, key)]
    lost = [position.regret(made[0])]
    if made[0] < PASSAGE:
        then = position.after(made[0])
        made.append(then.choice(player, key))
        lost.append(then.regret(made[1]))
    return made, lost


if __name__ == "__main__":
    main()
