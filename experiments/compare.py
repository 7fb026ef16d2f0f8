"""The main job: one player against opponents of one kind, over many games.

    python -m experiments.compare player=bmcts player@opponent=heuristic match.games=200

Nothing slow is imported at the top: ``--help`` and a mistyped setting should not wait for Numba,
Ray and MLflow.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from experiments import commandline, config
from experiments.commandline import Interrupted, Refusal

if TYPE_CHECKING:
    from experiments.results import Results
    from experiments.schedule import Match
    from experiments.startup import Ready

NAME = "sleuth-compare"

ERROR = "error.txt"
"""File in the run folder with the traceback of a game that raised an exception."""


def main() -> None:
    """Run the command and exit with its code."""
    config.register()
    code = commandline.run(job, "compare", NAME)
    if code == commandline.INTERRUPTED:
        # All is saved.  An orderly end would wait seconds for Ray and for a compiler in its thread;
        # Ray's processes end with this one.
        sys.stdout.flush()
        os._exit(code)
    sys.exit(code)


def job(settings: DictConfig, folder: Path) -> None:
    """Check the configuration, play the match, and leave results, summary, plot and record.

    Raises
    ------
    Refusal
        Before the first game, if the configuration cannot be met; at the end, if a game raised an
        exception (`ERROR` has the traceback), workers died too often or the record could not be
        completed.  What was played is saved before.
    Interrupted
        On Ctrl-C, after what was played has been saved.
    """
    started = time.monotonic()
    config.check(settings)
    match = _match(settings)
    from experiments import results, startup

    results.claim(folder)
    console = Console(highlight=False)
    ready = startup.prepare(settings, match, folder, console)
    OmegaConf.save(settings, folder / "config.yaml", resolve=True)
    played = results.Results(folder)
    with _ctrl_c() as pressed:
        try:
            fault = _play(settings, match, played, ready, console, pressed)
        except Exception:
            played.flush()
            if ready.tracker is not None:
                ready.tracker.finish("FAILED", {}, played.games, [])
            raise
        played.flush()
        stopped = pressed.is_set() and played.games < settings.match.games
        _conclude(settings, match, played, ready, console, started, stopped, fault)
    games = f"{played.games} of {settings.match.games} games"
    if stopped:
        raise Interrupted(f"interrupted after {games}, kept in {folder}")
    if fault is not None:
        raise Refusal(f"{fault}; {games} were played, kept in {folder}")
    if ready.tracker is not None and ready.tracker.fault is not None:
        raise Refusal(
            f"the MLflow record is incomplete ({ready.tracker.fault}); all results are in {folder}"
        )


def _match(settings: DictConfig) -> Match:
    """Return the match to be played, after making its players once to see whether they can be."""
    from experiments import play
    from experiments.schedule import Match

    plain: dict[str, Any] = OmegaConf.to_container(settings, resolve=True)
    players = plain["rules"]["players"]
    match = Match(
        rules=plain["rules"],
        player=plain["player"],
        opponent=plain["opponent"],
        players=players,
        focal_seats=tuple(plain["match"]["focal_seats"] or range(players)),
        seed=plain["seed"],
        records=plain["run"]["records"],
    )
    try:
        play.check(match)
    except ValueError as fault:
        raise Refusal(str(fault)) from None
    return match


@contextmanager
def _ctrl_c() -> Iterator[Event]:
    """Turn the first Ctrl-C into an event, so that it never hits a file half written.

    A second one is the ordinary `KeyboardInterrupt`.
    """
    pressed = Event()

    def press(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        pressed.set()

    before = signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _play(
    settings: DictConfig,
    match: Match,
    played: Results,
    ready: Ready,
    console: Console,
    pressed: Event,
) -> str | None:
    """Play until all games are done or Ctrl-C is pressed; return why not, if games failed."""
    from experiments.progress import GamesPlayed
    from experiments.runner import GameRaised, WorkersLost, finished
    from experiments.schedule import Portions

    total = settings.match.games
    portions = Portions(total, match.compiled)
    try:
        with (
            GamesPlayed(console, total) as progress,
            closing(finished(match, portions, ready.workers, ready.cpus)) as batches,
        ):
            for parts in batches:
                for each in parts:
                    played.add(each.rows, each.records)
                progress.update(played.games, played.wins)
                if parts and ready.tracker is not None:
                    ready.tracker.record(
                        played.games, games=played.games, win_rate=played.wins / played.games
                    )
                if pressed.is_set():
                    break
    except WorkersLost as fault:
        return str(fault)
    except GameRaised as fault:
        (played.folder / ERROR).write_text(fault.traceback)
        return f"{fault} (traceback in {ERROR})"
    return None


def _conclude(
    settings: DictConfig,
    match: Match,
    played: Results,
    ready: Ready,
    console: Console,
    started: float,
    stopped: bool,
    fault: str | None,
) -> None:
    """Write the summary, draw the plot, complete the record and print the table."""
    from experiments import report
    from experiments.summary import write

    folder, table = played.folder, played.read()
    cut_short = stopped or fault is not None
    summary = report.describe(settings, match, folder, table, cut_short, fault)
    files = [folder / "config.yaml"]
    if (folder / ERROR).exists():
        files.append(folder / ERROR)
    if not cut_short:  # Ctrl-C does not wait for Matplotlib
        files.append(report.draw(summary, match, folder, table))
    summary["seconds"] = time.monotonic() - started
    files.append(write(folder, summary))
    if ready.tracker is not None:
        metrics = {
            key: float(value)
            for key, value in summary.items()
            if isinstance(value, (int, float)) and not isinstance(value, bool) and key != "seed"
        }
        if summary["ci95"]:
            metrics["ci95_low"], metrics["ci95_high"] = summary["ci95"]
        status = "FAILED" if fault is not None else "KILLED" if stopped else "FINISHED"
        ready.tracker.finish(status, metrics, played.games, files)
    if played.games:
        report.show(summary, match, folder, console)


if __name__ == "__main__":
    main()
