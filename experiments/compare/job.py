"""The main job, from a checked configuration to results, summary, plot and MLflow record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from omegaconf import DictConfig
from rich.console import Console

from experiments.matches import lineups, match_loop, monitor, play, startup
from experiments.matches.match_loop import ERROR
from experiments.matches.results import Results
from experiments.matches.schedule import Match
from experiments.provenance.files import CONFIG
from experiments.runs import runfolder
from experiments.runs.match_run import MatchRun
from experiments.runs.mlflow_run import MatchRecord, metrics
from experiments.runs.summary import Summary
from experiments.settings import config
from experiments.settings.commandline import Interrupted, Refusal, in_folder
from experiments.stats import stopping


@dataclass(frozen=True)
class Compared:
    """A finished run: its summary and its games."""

    summary: Summary
    played: Results

    @property
    def objective(self) -> float | None:
        """The win rate of the (first) measured player; None without a game."""
        rate = self.summary.figures.table[0].rate
        return rate and rate.value


def plan(settings: DictConfig, overrides: Sequence[str]) -> list[Match]:
    """Return the matches to play, after checking that they can be played.

    ``overrides``: of the command line.  Raises Refusal if they cannot.
    """
    config.check_seats(settings)
    matches = lineups.matches(settings, overrides)
    if settings.ray.address is None:
        lineups.check_cores(matches, settings.match.workers, config.cores())
    try:
        monitor.check(stopping.parse(settings.match.stop), matches)
        for match in matches:
            play.check(match)
    except ValueError as fault:
        raise Refusal(str(fault)) from None
    return matches


def compare(
    settings: DictConfig,
    matches: Sequence[Match],
    folder: Path,
    console: Console,
    multirun: Path | None = None,
    shows: bool = True,
) -> Compared:
    """Play ``matches`` and write results, summary, plot and MLflow record to ``folder``.

    Where several processes play in ``folder``, one of them writes all but the rows.

    ``multirun``: folder of the multirun that this run belongs to; ``shows``: whether to print the
    table.  Raises Refusal before the first game if the configuration is
    invalid; at the end if a game raised an exception (the folder holds the traceback), workers died
    too often or results could not be written.  Raises Interrupted if the user asks to end.  Games
    played are saved first.
    """
    match = settings.match
    run = MatchRun(folder, matches, match.stop, console)
    runfolder.examine(folder, matches, match.stop)
    run.played.refuse_fewer(match.games)
    before, total = run.played.games, match.games * len(matches)
    record = MatchRecord(settings, run.played, run.rule, multirun)
    ready = None
    if not match_loop.is_complete(run.played, match.games, run.rule):
        left, address = total - before, settings.ray.address
        ready = startup.prepare(matches, match.workers, address, console, left)
    runfolder.claim(folder, matches, match.stop)

    def watch(due: bool) -> None:
        if run.leads and run.played.games > before:
            record.begin()
        if run.leads and due:
            record.follow()

    with run.join(), run.defer():
        if first := run.leads:
            run.write_settings(config.plain(settings))
        try:
            ended = run.play(match.games, ready, watch)
        except Exception:
            if run.leads:
                record.end("FAILED", {}, [])
            raise
        made = run.summarise(ended, settings, before)
        if first or (
            not ended.interrupted and run.lead() and not run.has_summary(made.figures.to_json())
        ):
            made = _conclude(run, made, ended, record)
        elif not ended.interrupted:
            console.print(f"the summary in {folder} is left to another process", soft_wrap=True)
        if shows and run.played.games:
            from experiments.compare import outcome

            last = filter(None, [*outcome.doubts(made), record.viewing])
            outcome.show(made, run.played, console, [*last])
    games = f"{run.played.games} of {total} games" + (f" ({before} played before)" * bool(before))
    if ended.interrupted:
        raise Interrupted(
            f"interrupted after {games}, kept in {folder}; continue with {in_folder(folder)}"
        )
    if ended.fault is not None:
        raise Refusal(f"{ended.fault}; {games} were played, kept in {folder}")
    if not run.going():  # all games are played, but a multirun must stop
        raise Interrupted(f"interrupted after the last of {games}, all kept in {folder}")
    return Compared(made, run.played)


def _conclude(
    run: MatchRun, made: Summary, ended: match_loop.Outcome, record: MatchRecord
) -> Summary:
    """Write and return the summary ``made``; draw the plot and finish the MLflow record."""
    from experiments.compare import outcome

    files = [run.folder / CONFIG]
    if ended.fault is not None and (run.folder / ERROR).exists():
        files.append(run.folder / ERROR)
    try:
        if ended.fault is None and not ended.interrupted:  # Ctrl-C does not wait for Matplotlib
            files += run.draw([outcome.PLOT], lambda to: outcome.draw(made, run.played, to))
        made = replace(made, seconds=run.seconds)
        files.append(run.write_summary(made.to_json()))
    except OSError as disk:  # `ended` may already report a full disk
        if ended.fault is None:
            raise Refusal(
                f"the games are saved, but not their summary ({disk.strerror or disk}): free disk "
                f"space and continue with {in_folder(run.folder)}"
            ) from None
    status = "FAILED" if ended.fault else "KILLED" if ended.interrupted else "FINISHED"
    record.end(status, metrics(made, run.matches), files)
    return made
