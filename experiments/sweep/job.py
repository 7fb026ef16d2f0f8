"""A sweep from its configuration to its folder, which first of all says what is played."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from omegaconf import DictConfig
from rich.console import Console

from experiments.matches.match_loop import ERROR
from experiments.matches.origins import MATCHES_FILE as RUN_MATCHES
from experiments.matches.progress import stage
from experiments.provenance import provenance
from experiments.provenance.files import SUMMARY, write_json
from experiments.provenance.folders import RunFolder
from experiments.settings import signals
from experiments.settings.aside import Aside
from experiments.settings.commandline import Interrupted, Refusal
from experiments.settings.config import plain
from experiments.settings.limits import POINTS
from experiments.sweep import report
from experiments.sweep.axes import Parameters
from experiments.sweep.progress import SweepProgress
from experiments.sweep.record import Record
from experiments.sweep.runs import Runs
from experiments.sweep.space import Point, Space
from experiments.sweep.spsa import Spsa
from experiments.sweep.study import STUDY, Propose, Study, draw_points
from experiments.sweep.trials import Played, Trials, rates, trial_folder

MATCHES_FILE = "sweep.json"
"""File in the sweep's folder with what it plays."""

PLOT = "sweep.png"

MOST_COMBINATIONS = 200
"""Combinations of the axes' values that are tried out before points are drawn; if there are more,
each value of an axis with the first of the others."""

_FREE = ("run", "tracking", "ray")
"""Sections that may change when a sweep goes on."""


class Job:
    """The sweep that a command line asks for.

    ``settings``: checked configuration ``sweep``; ``space``: of its points.  Raises Refusal if the
    method does not fit the axes.
    """

    def __init__(self, settings: DictConfig, space: Space) -> None:
        self._settings, self._space = settings, space
        self._folder = Path(settings.run.resume or settings.run.folder)
        asked = settings.sweep
        listed = asked.method == "grid" or (asked.method == "racing" and asked.trials is None)
        if asked.method in ("random", "spsa") and asked.trials is None:
            raise Refusal(f"sweep.method={asked.method} needs sweep.trials: the number of points")
        if asked.method == "spsa":
            _check_climb(space, asked.trials)
        if listed and not space.finite:
            endless = next(axis for axis in space.axes if not axis.choices)
            raise Refusal(
                f"{endless.key} is an interval: write its values out, or give sweep.trials with "
                "sweep.method=random or racing"
            )
        if listed and space.size > POINTS:
            raise Refusal(
                f"the axes have {space.size:,} combinations: give fewer values, at most {POINTS:,} "
                "points, or draw some by sweep.trials with sweep.method=random or racing"
            )
        self._listed: list[Parameters] | None = space.combinations if listed else None
        self._trials: int = asked.trials if self._listed is None else len(self._listed)

    def run(self, started: float, console: Console) -> None:
        """Play the sweep, and leave its table, plot, summary and record.

        Raises Refusal before the first game, if something asked for cannot be; at the end, if
        trials failed.  Raises Interrupted if the user wishes an end, after what was played has been
        saved.
        """
        first = self._check(console)
        folder = RunFolder(self._folder, MATCHES_FILE, self._settings.run.resume is not None)
        folder.refuse_foreign(RUN_MATCHES)
        try:
            with folder.lock(), signals.defer() as wished:
                self._claim(folder, self._plan(first))
                self._play(first, started, console, lambda: not wished.is_set())
        except OSError as fault:
            raise Refusal(
                f"cannot write to {self._folder}: {fault.strerror or fault}: make room, or set "
                "run.folder"
            ) from None

    def _check(self, console: Console) -> Point:
        """Refuse a bad point now, as far as points are known; return the first."""
        parameters = self._listed
        if parameters is None and self._space.size > MOST_COMBINATIONS:
            parameters = self._space.crosses
        elif parameters is None:
            parameters = self._space.combinations
        with stage(console, f"checking {len(parameters)} points"):
            return self._space.check(parameters)

    def _claim(self, folder: RunFolder, plan: dict[str, Any]) -> None:
        """Write down what the sweep plays; refuse a folder with something else in it."""
        held = folder.load_plan()
        if held is not None:
            folder.check_same({key: held.get(key) for key in plan}, plan)
        elif (self._folder / RUN_MATCHES).exists():
            raise Refusal(f"{self._folder} holds a run, not a sweep: choose another run.folder")
        else:
            write_json(self._folder, {**plan, **provenance.origin()}, MATCHES_FILE)

    def _plan(self, first: Point) -> dict[str, Any]:
        """Return what must not change when the sweep goes on: more points may be drawn."""
        settings = plain(first.settings)
        asked = plain(self._settings.sweep)
        del settings["match"]["workers"], asked["fresh"]
        if asked["method"] != "spsa":  # whose steps depend on how many there are
            del asked["trials"]
        common = {key: value for key, value in settings.items() if key not in _FREE}
        return {"sweep": asked, "axes": self._space.plain, "first": common}

    def _play(
        self, first: Point, started: float, console: Console, going: Callable[[], bool]
    ) -> None:
        asked, folder = self._settings.sweep, self._folder
        racing = asked.method == "racing"
        prune_p = asked.prune_p if racing else 0.0
        spsa = self._spsa(first) if asked.method == "spsa" else None
        study = Study(folder, self._space, self._propose(spsa), prune_p)
        if (done := len(study.finished)) > self._trials:
            raise Refusal(
                f"sweep.trials={self._trials}: {done} were played in {folder}; give as many or "
                "more, or choose another folder"
            )
        record = self._record(first, console)
        with SweepProgress(console, self._trials) as progress:
            runs = Runs(record, progress, console, going)
            block = asked.block if racing else None
            trials = Trials(folder, self._space, study, block, runs, progress, record, spsa)
            try:
                played = trials.play(self._trials, asked.fresh)
            except BaseException:
                record.end("FAILED")
                record.finish("FAILED", {}, 0, [])
                raise
        described = report.describe(self._settings, self._space, played, folder)
        described |= {"fault": self._fault(played), "seconds": time.monotonic() - started}
        made = self._write(described, played, first)
        status = "KILLED" if played.interrupted else "FAILED" if played.failed else "FINISHED"
        record.finish(status, report.metrics(described), self._trials, made)
        if played.lines:
            report.show(described, played, console)
        kept = f"{len(played.lines)} of {self._trials} trials, kept in {folder}"
        console.print(f"{described['seconds']:.0f} s in all, {kept}", soft_wrap=True)
        console.print(f"in a browser: optuna-dashboard sqlite:///{folder / STUDY}", soft_wrap=True)
        if played.interrupted:
            raise Interrupted(f"interrupted after {kept}; run.resume={folder} goes on")
        if described["fault"] is not None:
            raise Refusal(described["fault"])

    def _spsa(self, first: Point) -> Spsa:
        asked, games = self._settings.sweep, first.settings.match.games
        steps = (asked.perturb, asked.step)
        axes, start = self._space.axes, self._space.start
        return Spsa(axes, start, asked.seed, self._trials // 2, games, *steps)

    def _propose(self, spsa: Spsa | None) -> Propose:
        """Return where points come from."""
        asked, listed = self._settings.sweep, self._listed
        if spsa is not None:
            return lambda held: spsa.propose(rates(held))
        if listed is not None:
            return lambda held: listed[len(held)]
        return draw_points(self._space, asked.method, asked.seed)

    def _record(self, first: Point, console: Console) -> Record:
        parameters = {
            "sweep": plain(self._settings.sweep),
            "axes": self._space.plain,
            "overrides": " ".join(self._space.fixed),
        }
        tracking = first.settings.tracking
        if not tracking.enabled:
            return Record(tracking, self._folder, parameters)
        with stage(console, "opening the MLflow record"):
            return Record(tracking, self._folder, parameters)

    def _write(self, described: dict[str, Any], played: Played, first: Point) -> list[Path]:
        """Write table, plot and summary; return their paths."""
        folder = self._folder
        made = [report.write_table(described, folder / report.TABLE)]
        if played.interrupted:  # nobody waits after Ctrl-C
            pass
        elif played.reached is not None:
            from experiments.sweep import plot  # Matplotlib takes a second to import

            title = f"{first.match.name}: climb by SPSA, 95 % of where it ended"
            made += _draw(plot.draw_climb, self._space.axes, played.reached, title, folder / PLOT)
        elif played.best is not None:
            from experiments.sweep import plot

            title = f"{first.match.name}, {first.settings.match.games} games a point"
            parity = first.match.seats / first.match.players
            made += _draw(plot.draw, self._space.axes, played, parity, title, folder / PLOT)
        return [*made, write_json(folder, described, SUMMARY)]

    def _fault(self, played: Played) -> str | None:
        """Return which trials failed, in a sentence."""
        trials = [line.trial for line in played.failed]
        fresh = played.fresh
        if not trials and (fresh is None or fresh.fault is None):
            return None
        if not trials:
            return f"the best failed on fresh games: {fresh.fault if fresh else None}"
        first = trial_folder(self._folder, trials[0]) / ERROR
        which = f"trial {trials[0]}" + (f" and {len(trials) - 1} more" if len(trials) > 1 else "")
        return f"{which} of {self._trials} failed: {first} says why; the others are kept"


def _draw(draw: Callable[..., Path], *what: Any) -> list[Path]:
    """Return the picture that ``draw`` makes; none if it fails, which is said."""
    made = Aside("the plot is missing").do(lambda: draw(*what))
    return [made] if made else []


def _check_climb(space: Space, trials: int) -> None:
    """Make sure that SPSA can climb over ``space`` in so many ``trials``."""
    choices = next((axis for axis in space.axes if axis.choices), None)
    if choices is not None:
        raise Refusal(
            f"sweep.method=spsa moves numbers: write {choices.key}=interval(LOW,HIGH), "
            "or vary it by another method"
        )
    if trials % 2 or trials < 4:
        raise Refusal("sweep.trials: spsa plays two an iteration; give an even number from 4 on")
