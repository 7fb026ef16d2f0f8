"""How good every belief is in games among players of one kind: accuracy, calibration, speed.

    python -m experiments.beliefs --player heuristic --games 1000

Nothing slow is imported at the top: ``--help`` and a mistyped option should not wait for Numba.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.commandline import INTERRUPTED, Interrupted, Refusal, did_you_mean
from experiments.results import SUMMARY

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

    from sim.policies.table import Policy
    from sim.rules import Rules

NAME = "sleuth-beliefs"

MOMENTS = "moments.parquet"
ACCURACY, CALIBRATION = "accuracy.png", "calibration.png"

ASSUMED = ("uniform", "least_informative")
"""Names of the showing rules of `belief.evidence`, in the order of their numbers, which is also
that of the showing policies that they describe (`sim.policies.table.SHOWING`)."""


def main() -> None:
    """Run the command and exit with its code."""
    arguments = _parser().parse_args()
    try:
        run(arguments)
    except Refusal as fault:
        print(f"{NAME}: {fault}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt as stop:
        print(f"{NAME}: {str(stop) or 'interrupted before the first game'}", file=sys.stderr)
        sys.exit(INTERRUPTED)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=NAME,
        description="Play games among compiled players of one kind, hand every belief what one "
        "seat (in rotation) saw, and measure what it says of the envelope after 2, 4, 8, 12, 16, "
        "24 and 32 suggestions.",
        epilog=f"Writes {MOMENTS} (one row a belief, game and moment), {SUMMARY}, {CALIBRATION} "
        f"and {ACCURACY} to its folder. A belief is calibrated if its bias, entropy less log loss, "
        "is 0 within its interval. The same seed plays the same games. "
        "Example: %(prog)s --player uniform --games 2000 --beliefs exact,factored",
    )
    add = parser.add_argument
    add("--rules", default="ledford", metavar="NAME", help="a preset (default: %(default)s)")
    add("--players", type=int, metavar="N", help="3 to 6 (default: the preset's)")
    add(
        "--player",
        default="uniform",
        metavar="NAME",
        help="the policy in all seats (default: %(default)s)",
    )
    add(
        "--showing",
        default="random",
        metavar="RULE",
        help="how the seats show: random or least_informative (default: %(default)s)",
    )
    add(
        "--assume",
        metavar="RULE",
        help="how the beliefs take them to show: uniform or least_informative (default: as they "
        "do)",
    )
    add("--beliefs", default="all", metavar="A,B", help="names, or all (default: %(default)s)")
    add(
        "--games",
        type=int,
        default=200,
        metavar="N",
        help="particles take some 60 ms a game, the others 1 to 4 (default: %(default)s)",
    )
    add(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="of games, particles and intervals (default: %(default)s)",
    )
    add(
        "--bins",
        type=int,
        default=10,
        metavar="N",
        help="of the reliability diagram (default: %(default)s)",
    )
    add("--folder", type=Path, help="of the results (default: a new one in outputs)")
    return parser


def run(arguments: argparse.Namespace) -> None:
    """Measure, write and print.

    Raises
    ------
    Refusal
        If a value is none, or the folder holds results or cannot be written to.
    Interrupted
        On Ctrl-C, after what was measured has been written.
    """
    started = time.monotonic()
    for option, least in (("games", 1), ("bins", 1), ("seed", 0)):
        if getattr(arguments, option) < least:
            raise Refusal(f"--{option} must be at least {least}, got {getattr(arguments, option)}")
    if arguments.assume is not None and arguments.assume not in ASSUMED:
        raise Refusal(f"--assume must be one of {', '.join(ASSUMED)}, got {arguments.assume!r}")
    from rich.console import Console

    rules, policy, names, showing = _checked(arguments)
    folder = arguments.folder or Path("outputs") / (
        f"{time.strftime('%Y-%m-%d_%H-%M-%S')}_beliefs-{arguments.player}"
    )
    _claim(folder)
    console = Console(highlight=False)
    table, games = _measured(arguments, rules, policy, names, showing, console)
    from experiments import calibration
    from experiments.progress import stage

    with stage(console, "bootstrap"):
        figures = calibration.summarise(table, arguments.bins, arguments.seed)
    _write(folder, arguments, rules, showing, table, figures, games, time.monotonic() - started)
    _show(figures, f"{games} games, {_title(arguments, rules, showing)}", folder, console)
    if games < arguments.games:
        raise Interrupted(f"interrupted after {games} games, kept in {folder}")


def _checked(arguments: argparse.Namespace) -> tuple[Rules, Policy, list[str], int]:
    """Return rules, policy, names of beliefs and the assumed showing rule, after checking them."""
    from belief.table import BELIEFS
    from experiments.calibration import REFERENCE
    from sim.policies.table import SHOWING, Policy
    from sim.rules import preset

    switches = {} if arguments.players is None else {"players": arguments.players}
    try:
        rules = preset(arguments.rules, **switches)
        policy = Policy(arguments.player, showing=arguments.showing)
    except ValueError as fault:
        raise Refusal(str(fault)) from None
    if arguments.beliefs == "all":
        names = sorted(BELIEFS, key=lambda name: name != REFERENCE)
    else:
        names = list(dict.fromkeys(arguments.beliefs.split(",")))
    for name in names:
        if name not in BELIEFS:
            hint = did_you_mean(name, BELIEFS)
            raise Refusal(f"--beliefs: there is no {name!r}{hint}; choose of {', '.join(BELIEFS)}")
    if arguments.assume is None:
        return rules, policy, names, SHOWING.index(arguments.showing)
    return rules, policy, names, ASSUMED.index(arguments.assume)


def _claim(folder: Path) -> None:
    """Make the folder; refuse one with results or one that cannot be written to."""
    if (folder / SUMMARY).exists() or (folder / MOMENTS).exists():
        raise Refusal(f"{folder} holds the results of another run: choose another --folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".probe").write_bytes(b"")
        (folder / ".probe").unlink()
    except OSError as fault:
        raise Refusal(f"cannot write to {folder}: {fault.strerror}; set --folder") from None


def _measured(
    arguments: argparse.Namespace,
    rules: Rules,
    policy: Policy,
    names: list[str],
    showing: int,
    console: Console,
) -> tuple[pa.Table, int]:
    """Return the rows of all games and how many were played, fewer if Ctrl-C was pressed."""
    import pyarrow as pa
    from rich.progress import track

    from experiments.accuracy import MOMENTS as moments
    from experiments.accuracy import ROW, measure, play
    from experiments.progress import stage

    seats = [policy] * rules.players
    with stage(console, "compiling, or loading what is compiled"):
        for game in play(rules, seats, arguments.seed, [0], max(moments)):
            measure(game, rules, showing, names, arguments.seed)
    rows: list[dict[str, Any]] = []
    games = 0
    numbers = range(arguments.games)
    try:
        played = play(rules, seats, arguments.seed, numbers, max(moments))
        for game in track(played, "games", arguments.games, console=console):
            rows += measure(game, rules, showing, names, arguments.seed)
            games += 1
    except KeyboardInterrupt:
        if not rows:
            raise
    if not rows:
        raise Refusal("no game lasted two suggestions: measure more games")
    return pa.Table.from_pylist(rows, ROW), games


def _write(
    folder: Path,
    arguments: argparse.Namespace,
    rules: Rules,
    showing: int,
    table: pa.Table,
    figures: dict[str, Any],
    games: int,
    seconds: float,
) -> None:
    """Write rows, pictures and, last, the summary."""
    from dataclasses import asdict

    import pyarrow.parquet as pq

    from experiments import belief_plots, provenance, summary

    pq.write_table(table, folder / MOMENTS)
    title = f"{_title(arguments, rules, showing)}; {games} games"
    belief_plots.accuracy_plot(figures, title, folder / ACCURACY)
    belief_plots.calibration_plot(figures, title, folder / CALIBRATION)
    given = {key: str(value) if isinstance(value, Path) else value
             for key, value in vars(arguments).items()}  # fmt: skip
    described = {
        "games": games,
        "interrupted": games < arguments.games,
        "seconds": seconds,
        "beliefs": figures,
        "run": {
            "folder": str(folder),
            "command": provenance.command(),
            "arguments": given,
            "rules": asdict(rules),
            "assumed_showing": ASSUMED[showing],
            "versions": provenance.versions(),
            "commit": provenance.commit(),
            "machine": provenance.machine(),
        },
    }
    summary.write(folder, described)


def _title(arguments: argparse.Namespace, rules: Rules, showing: int) -> str:
    """Return who plays and what is assumed, in a few words."""
    what = f"{rules.players} {arguments.player} players, {rules.name}, showing {arguments.showing}"
    if showing != ASSUMED.index(_described(arguments.showing)):
        what += f" (assumed: {ASSUMED[showing]})"
    return what


def _described(showing: str) -> str:
    return "uniform" if showing == "random" else showing


def _show(figures: dict[str, Any], title: str, folder: Path, console: Console) -> None:
    """Print the table, for a terminal of 80 columns."""
    from rich import box
    from rich.table import Table

    table = Table(
        title=title,
        caption="bits, with half of the 95 % interval, by game; us: microseconds an update",
        box=box.SIMPLE,
        padding=(0, 1, 0, 0),
    )
    table.add_column("belief")
    for column in ("log loss", "above exact", "bias", "zeros", "failed", "us"):
        table.add_column(column, justify="right")
    for name, each in figures.items():
        took = each["microseconds"]
        table.add_row(
            name,
            _interval(each["log_loss"]),
            _interval(each.get("excess"), "+"),
            _interval(each["bias"], "+"),
            "" if each["zeros"] is None else f"{each['zeros']:.2%}",
            str(sum(each["raised"].values())),
            "" if took is None else f"{took:.2f}",
        )
    console.print(table)
    console.print(f"Written to {folder}", soft_wrap=True)


def _interval(mean: dict[str, float] | None, sign: str = "") -> str:
    if mean is None:
        return ""
    return f"{mean['value']:{sign}.3f} ± {(mean['high'] - mean['low']) / 2:.3f}"


if __name__ == "__main__":
    main()
