"""The main job: players against others, over many games.

    python -m experiments.compare player=bmcts opponent=heuristic match.games=200
    python -m experiments.compare match.players=[bmcts,flat,pomcp] match.layout=robin

Nothing slow is imported at the top: ``--help`` and a mistyped setting should not wait for Numba,
nor the first game for Ray where this process plays alone, for MLflow and Matplotlib.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from experiments import terminal
from experiments.settings import config, signals
from experiments.settings.aside import Aside
from experiments.settings.command import Command
from experiments.settings.commandline import Interrupted, Refusal
from experiments.settings.schemas import Compare

if TYPE_CHECKING:
    from rich.console import Console

    from experiments.compare.recording import Recording
    from experiments.matches.match_loop import Outcome, Resources
    from experiments.matches.results import Results
    from experiments.matches.schedule import Match
    from experiments.runs.summary import Summary
    from experiments.stats.stopping import Stop


def job(settings: DictConfig, folder: Path) -> float | None:
    """Check the configuration, play the matches, and leave results, summary, plot and record.

    Raises Refusal before the first game, if the configuration cannot be met; at the end, if a game
    raised an exception (the folder has the traceback), workers died too often or results could not
    be written.  What was played is saved before.  Raises
    Interrupted if the user wishes an end, after what was played has been saved.  Returns the
    objective of a sweeper that optimises: the win rate of the measured player, or the first in the
    table; None if nothing was to be played.
    """
    started = time.monotonic()
    config.check_seats(settings)
    matches, stop = _matches(settings)
    from experiments.compare.recording import Recording
    from experiments.matches import results, startup
    from experiments.runs import runfolder

    console = terminal.console()
    if settings.match.power is not None:
        from experiments.compare import power

        power.show(matches, settings.match.power, settings.match.workers, console)
        with suppress(OSError):  # of a run that is there
            folder.rmdir()
        return None
    plan = (folder, matches, settings.match.stop, settings.run.resume is not None)
    runfolder.open_folder(folder, plan[-1]).refuse_foreign()
    runfolder.examine(*plan)
    played = results.Results.resume(folder, matches)
    played.refuse_fewer(settings.match.games)
    held = played.games
    recording = Recording(settings, played, stop)
    left = settings.match.games * len(matches) - held
    workers, address = settings.match.workers, settings.ray.address
    resources = startup.prepare(matches, workers, address, console, left)
    runfolder.claim(*plan)
    runfolder.write_config(folder, settings)
    with signals.defer() as wished:
        ended = _play(settings, stop, played, resources, recording, console, wished)
        summary = _conclude(settings, played, held, recording, console, started, ended)
    # Of the first line: the measured player, of several the first, or the first in a round robin.
    rate = summary.figures.table[0].rate
    objective = rate and rate.value
    games = f"{played.games} of {settings.match.games * len(matches)} games"
    games += f" ({held} of them before)" if held else ""
    if ended.interrupted:
        raise Interrupted(
            f"interrupted after {games}, kept in {folder}; run.resume={folder} goes on"
        )
    if ended.fault is not None:
        raise Refusal(f"{ended.fault}; {games} were played, kept in {folder}")
    if wished.is_set():  # too late to be less: but a multirun is not to go on
        raise Interrupted(f"interrupted after the last of {games}, all kept in {folder}")
    return objective


def _matches(settings: DictConfig) -> tuple[list[Match], Stop]:
    """Return what is to be played and the rule by which it ends, after looking that both can be."""
    from experiments.matches import lineups

    matches = lineups.matches(settings, HydraConfig.get().overrides.task)
    if settings.ray.address is None:
        lineups.check_cores(matches, settings.match.workers, config.cores())
    from experiments.matches import match_loop, play
    from experiments.stats import stopping

    try:
        stop = stopping.parse(settings.match.stop)
        match_loop.check(stop, matches)
        for match in matches:
            play.check(match)
    except ValueError as fault:
        raise Refusal(str(fault)) from None
    return matches, stop


def _play(
    settings: DictConfig,
    stop: Stop,
    played: Results,
    resources: Resources,
    recording: Recording,
    console: Console,
    wished: Event,
) -> Outcome:
    """Play until all games are done, a rule ends the matches or the user wishes it.

    What is needed at the end, and the record, are made ready once games come in.
    """
    from experiments.matches import match_loop
    from experiments.matches.progress import GamesPlayed

    held, shown = played.games, Aside("the progress display has stopped")
    with GamesPlayed(console, played.matches, settings.match.games, stop) as progress:

        def watch() -> bool:
            if played.games > held:
                _prepare_end()
                recording.begin()
            if shown.do(lambda: progress.update(played.tallies)) is not False:
                recording.follow()
            return not wished.is_set()

        try:
            return match_loop.play(played, settings.match.games, stop, resources, watch)
        except Exception:
            recording.finish("FAILED", {}, [])
            raise


@cache
def _prepare_end() -> None:
    """Import in the background what an end on request must not wait for."""
    from experiments.matches.background import Background

    Background(import_module, "experiments.compare.outcome")


def _conclude(
    settings: DictConfig,
    played: Results,
    held: int,
    recording: Recording,
    console: Console,
    started: float,
    ended: Outcome,
) -> Summary:
    """Write the summary, which is returned; draw the plot, complete the record, print the table."""
    from experiments.compare import outcome
    from experiments.matches.match_loop import ERROR
    from experiments.provenance.files import CONFIG, write_json
    from experiments.runs.recorded import metrics
    from experiments.runs.summary import describe

    folder = played.folder
    made = describe(played, settings.match.stop, ended, config.plain(settings))
    busy = {}
    if settings.ray.address is None:
        busy = outcome.measure_load(time.monotonic() - started, config.cores())
    summary = replace(made, held=held, run=made.run | busy)
    files = [folder / CONFIG]
    if ended.fault is not None and (folder / ERROR).exists():
        files.append(folder / ERROR)
    try:
        if ended.fault is None and not ended.interrupted:  # nobody waits for Matplotlib
            picture = Aside("the plot is missing").do(lambda: outcome.draw(summary, played))
            files += [picture] if picture else []
        summary = replace(summary, seconds=time.monotonic() - started)
        files.append(write_json(folder, summary.to_json()))
    except OSError as disk:  # of a full one `ended` may have been reported already
        if ended.fault is None:
            raise Refusal(
                f"all games are kept, but not their summary ({disk.strerror or disk}): make room "
                f"and go on with run.resume={folder}"
            ) from None
    status = "FAILED" if ended.fault else "KILLED" if ended.interrupted else "FINISHED"
    recording.finish(status, metrics(summary, played.matches), files)
    if played.games:
        outcome.show(summary, played, console)
    return summary


COMMAND = Command("compare", Compare, job, lasting=True)
main = COMMAND.main

if __name__ == "__main__":
    main()
