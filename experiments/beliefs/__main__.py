"""How good every belief is in games among players of one kind: accuracy, calibration, speed.

    python -m experiments.beliefs --player heuristic --games 1000

Nothing slow is imported at the top: ``--help`` and a mistyped option should not wait for Numba.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.provenance.files import SUMMARY, write_json
from experiments.settings.commandline import Interrupted, Parser, Refusal, did_you_mean, enter

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
    enter(NAME, lambda: run(_parser().parse_args()))


def _parser() -> Parser:
    parser = Parser(
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
        help="particles take some 35 ms a game, the others 1 to 3 (default: %(default)s)",
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

    setup = _setup(arguments)
    when = time.strftime("%Y-%m-%d_%H-%M-%S")
    folder = arguments.folder or Path("outputs") / f"{when}_beliefs-{arguments.player}"
    _claim(folder)
    console = Console(highlight=False)
    table, games = _measured(setup, arguments.games, arguments.seed, console)
    from experiments.beliefs import calibration
    from experiments.matches.progress import stage

    with stage(console, "bootstrap"):
        figures = calibration.summarise(table, arguments.bins, arguments.seed)
    _draw(folder, f"{setup.title}; {games} games", table, figures)

    described = {
        "games": games,
        "interrupted": games < arguments.games,
        "seconds": time.monotonic() - started,
        "beliefs": figures,
        "run": {**setup.described, **_provenance(arguments, folder)},
    }
    write_json(folder, described)
    _show(figures, f"{setup.title}; {games} games", folder, console)
    if games < arguments.games:
        raise Interrupted(f"interrupted after {games} games, kept in {folder}")


@dataclass(frozen=True)
class _Setup:
    """What is measured: ``showing`` is the place in `ASSUMED` of what the beliefs assume."""

    rules: Rules
    policy: Policy
    beliefs: tuple[str, ...]
    showing: int

    @property
    def title(self) -> str:
        """Who plays and what is assumed, in a few words."""
        from sim.policies.table import SHOWING

        shown, rules = self.policy.showing, self.rules
        wrong = "" if SHOWING.index(shown) == self.showing else f" (assumed: {self.assumed})"
        return f"{rules.players} {self.policy.name} players, {rules.name}, showing {shown}{wrong}"

    @property
    def assumed(self) -> str:
        """The showing rule that the beliefs assume."""
        return ASSUMED[self.showing]

    @property
    def described(self) -> dict[str, Any]:
        """The part of the summary that says what was played, after all defaults."""
        played = {"rules": asdict(self.rules), "policy": asdict(self.policy)}
        return {**played, "assumed_showing": self.assumed}


def _setup(arguments: argparse.Namespace) -> _Setup:
    """Return what to measure.

    Raises
    ------
    Refusal
        If there is no such thing.
    """
    from belief.beliefs.registry import BELIEFS
    from experiments.beliefs.calibration import REFERENCE
    from sim.policies.table import SHOWING, Policy
    from sim.rules import preset

    switches = {} if arguments.players is None else {"players": arguments.players}
    try:
        rules = preset(arguments.rules, **switches)
        policy = Policy(arguments.player, showing=arguments.showing)
    except ValueError as fault:
        raise Refusal(str(fault)) from None
    names = dict.fromkeys(arguments.beliefs.split(","))
    if arguments.beliefs == "all":
        names = sorted(BELIEFS, key=lambda name: name != REFERENCE)
    for name in names:
        if name not in BELIEFS:
            hint = did_you_mean(name, BELIEFS)
            raise Refusal(f"--beliefs: there is no {name!r}{hint}; choose of {', '.join(BELIEFS)}")
    if arguments.assume is None:
        showing = SHOWING.index(arguments.showing)
    else:
        showing = ASSUMED.index(arguments.assume)
    return _Setup(rules, policy, tuple(names), showing)


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


def _measured(setup: _Setup, games: int, seed: int, console: Console) -> tuple[pa.Table, int]:
    """Return the rows of all games and how many were played, fewer if Ctrl-C was pressed."""
    import pyarrow as pa
    from rich.progress import track

    from belief.evidence import EvidenceFull
    from experiments.beliefs import accuracy
    from experiments.matches.progress import stage

    seats = [setup.policy] * setup.rules.players
    longest = max(accuracy.MOMENTS)
    rows: list[dict[str, Any]] = []
    measured = 0
    try:
        with stage(console, "compiling, or loading what is compiled"):
            for game in accuracy.play(setup.rules, seats, seed, [0], longest):
                accuracy.measure(game, setup.rules, setup.showing, setup.beliefs, seed)
        played = accuracy.play(setup.rules, seats, seed, range(games), longest)
        for game in track(played, "games", games, console=console):
            rows += accuracy.measure(game, setup.rules, setup.showing, setup.beliefs, seed)
            measured += 1
    except EvidenceFull as fault:
        raise Refusal(str(fault)) from None
    except KeyboardInterrupt:
        if not rows:
            raise
    if not rows:
        raise Refusal("no game lasted two suggestions: measure more games")
    return pa.Table.from_pylist(rows, accuracy.ROW), measured


def _draw(folder: Path, title: str, table: pa.Table, figures: dict[str, Any]) -> None:
    """Write the rows and the pictures."""
    import pyarrow.parquet as pq

    from experiments.beliefs import plots  # Matplotlib takes a second to import

    pq.write_table(table, folder / MOMENTS)
    plots.accuracy_plot(figures, title, folder / ACCURACY)
    plots.calibration_plot(figures, title, folder / CALIBRATION)


def _provenance(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Return the part of the summary that says where the figures come from."""
    from experiments.provenance import provenance

    return {
        "arguments": {**vars(arguments), "folder": str(folder)},
        "command": provenance.command(),
        "versions": provenance.versions(),
        "commit": provenance.commit(),
        "machine": provenance.machine(),
    }


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
            "" if each["zeros"] is None else f"{each['zeros']:.1%}",
            str(sum(each["raised"].values())),
            "" if took is None else f"{took:.{0 if took > 10 else 2}f}",
        )
    console.print(table)
    console.print(f"Written to {folder}", soft_wrap=True)


def _interval(mean: dict[str, float] | None, sign: str = "") -> str:
    if mean is None:
        return ""
    return f"{mean['value']:{sign}.3f} ±{(mean['high'] - mean['low']) / 2:.3f}"


if __name__ == "__main__":
    main()
