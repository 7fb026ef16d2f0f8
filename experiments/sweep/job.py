"""A sweep, from its configuration to its folder, where the plan is written first."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from experiments.matches.match_loop import ERROR
from experiments.matches.progress import stage
from experiments.provenance import provenance
from experiments.provenance.files import write_json
from experiments.run import Run
from experiments.runs.mlflow_run import SweepRecord
from experiments.settings import applies
from experiments.settings.commandline import Interrupted, Refusal, in_folder
from experiments.settings.config import plain
from experiments.settings.limits import POINTS
from experiments.sweep import report
from experiments.sweep.axes import Parameters, split_overrides
from experiments.sweep.outcomes import Played
from experiments.sweep.points import Propose, draw_points, make_study
from experiments.sweep.space import Point, Space
from experiments.sweep.trials import Trials, trial_folder

MATCHES_FILE = "sweep.json"
"""File in the sweep's folder with its plan."""

PLOT = "sweep.png"

MAX_COMBINATIONS = 200
"""Maximum number of combinations checked before points are drawn; if there are more, each value of
an axis is checked with the first values of the others."""

_FREE = ("run", "tracking", "ray")
"""Sections that may change when a sweep is resumed."""


class Job:
    """The sweep that a command line describes.

    ``settings``: checked configuration ``sweep``; ``space``: of its points.  Raises Refusal if the
    method does not fit the axes.
    """

    def __init__(self, settings: DictConfig, space: Space) -> None:
        self._settings, self._space = settings, space
        self.folder = Path(settings.run.folder)
        self._run = Run(self.folder, MATCHES_FILE)
        asked = settings.sweep
        listed = asked.method == "grid" or (asked.method == "racing" and asked.trials is None)
        self.axes = list(space.plain)
        if asked.method == "random" and asked.trials is None:
            raise Refusal("sweep.method=random needs sweep.trials: the number of points")
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

    def __str__(self) -> str:
        """Return the configuration, that of the first point, and the axes."""
        axes = [f"# {key}: {values}\n" for key, values in self._space.plain.items()]
        first = self._space.point(self._space.crosses[0]).settings
        return "".join(
            [*(OmegaConf.to_yaml(s, resolve=True) for s in (self._settings, first)), *axes]
        )

    def run(self, console: Console, shows: bool = True) -> Played:
        """Play the sweep; write its table, plot, summary and MLflow record.

        Other processes may play the same sweep: they share its games, and one writes the rest.
        ``shows``: whether to print the table.  Raises Refusal before the first game if the
        configuration is invalid; at the end if trials failed.  Raises Interrupted if the user asks
        to end, after the games played have been saved.
        """
        run = self._run
        first = self._check(console)
        try:
            plan = self._plan(first)
            whole = {**plan, **provenance.origin()}
            run.write_plan(
                lambda: self._examine(plan), lambda: write_json(self.folder, whole, MATCHES_FILE)
            )
            with run.join(), run.defer():
                return self._play(first, console, shows)
        except OSError as fault:
            raise Refusal(
                f"cannot write to {self.folder}: {fault.strerror or fault}: free disk space or "
                "set run.folder"
            ) from None

    def _check(self, console: Console) -> Point:
        """Refuse an invalid point now, as far as points are known; return the first."""
        space, parameters = self._space, self._listed
        if parameters is None:
            many = space.size > MAX_COMBINATIONS
            parameters = space.crosses if many else space.combinations
        self._first = parameters[0]
        with stage(console, f"checking {len(parameters)} points"):
            return space.check(parameters)

    def _examine(self, plan: dict[str, Any]) -> bool:
        """Return whether the folder holds the plan; refuse one that holds something else."""
        if (before := self._run.load_plan()) is not None:
            self._run.check_same({key: before.get(key) for key in plan}, plan)
        return before is not None

    def _plan(self, first: Point) -> dict[str, Any]:
        """Return the settings that a resumed sweep must share; more points may be drawn."""
        settings = plain(first.settings)
        asked = plain(self._settings.sweep)
        del settings["match"]["workers"], asked["fresh"], asked["trials"]
        common = {key: value for key, value in settings.items() if key not in _FREE}
        return {"sweep": asked, "axes": self._space.plain, "first": common}

    def _play(self, first: Point, console: Console, shows: bool) -> Played:
        asked, folder, total = self._settings.sweep, self.folder, self._trials
        racing = asked.method == "racing"
        prune_p = asked.prune_p if racing else 0.0
        begun = (path.name.removeprefix("trial-") for path in folder.glob("trial-*"))
        if (done := 1 + max(map(int, begun), default=-1)) > total:
            raise Refusal(
                f"sweep.trials={total}: {done} were played in {folder}; give at least "
                "as many, or choose another folder"
            )
        record = self._record(first, console)
        free = asked.method in ("grid", "random")  # no point depends on the results of others
        study, propose = make_study(prune_p), self._propose()
        block, wished = asked.block if racing else None, self._run.wished
        trials = Trials(folder, self._space, study, propose, record, console, wished, block)
        trials.leads = self._run.leads
        try:
            played = trials.play(total, asked.fresh, free)
        except BaseException:
            record.end_trial("FAILED")
            record.finish("FAILED", lambda tracker: tracker.finish("FAILED", {}, 0, []))
            raise
        described = report.describe(self._settings, self._space, played, folder)
        leads, figures = self._run.leads, {key: described[key] for key in ("points", "best")}
        ended = not leads and not played.interrupted and self._run.lead()
        if ended and not self._run.has_summary(figures):  # the process that led was killed
            return self._play(first, console, shows)
        described |= {"fault": self._fault(played), "seconds": self._run.seconds}
        made = list[Path]()
        if leads:
            made.append(report.write_table(described, folder / report.TABLE))
            if not played.interrupted and played.best:  # Ctrl-C does not wait
                made += self._run.draw([PLOT], lambda to: self.draw(played, to / PLOT))
            made.append(self._run.write_summary(described))
        status = "KILLED" if played.interrupted else "FAILED" if played.failed else "FINISHED"
        end = (status, report.metrics(described), total, made)
        record.finish(status, lambda tracker: tracker.finish(*end))
        kept = f"{len(played.lines)} of {total} trials, kept in {folder}"
        if shows:
            if played.lines:
                report.show(described, played, console)
            said = f"{described['seconds']:.0f} s in all, {kept}", record.viewing
            console.print("\n".join(filter(None, said)), soft_wrap=True)
        if played.interrupted:
            raise Interrupted(f"interrupted after {kept}; continue with {in_folder(folder)}")
        if described["fault"] is not None:
            raise Refusal(described["fault"])
        return played

    def _propose(self) -> Propose:
        """Return the source of points."""
        asked, listed = self._settings.sweep, self._listed
        if listed is not None:
            return lambda held: listed[len(held)]
        return draw_points(self._space, asked.method, asked.seed)

    def _record(self, first: Point, console: Console) -> SweepRecord:
        parameters = {
            "sweep": plain(self._settings.sweep),
            "axes": self._space.plain,
            "overrides": " ".join(self._space.fixed),
        }
        tracking = first.settings.tracking.copy()
        tracking.enabled = tracking.enabled and self._run.leads
        record = SweepRecord(tracking, self.folder, parameters)
        if tracking.enabled:
            with stage(console, "opening the MLflow record"):
                record.wait()
        return record

    def draw(self, played: Played, path: Path) -> None:
        """Draw the points to the PNG ``path``."""
        from experiments.sweep import plot  # Matplotlib takes a second to import

        first = self._space.point(self._first)
        name, games = first.match.name, first.settings.match.games
        parity = first.match.seats / first.match.players
        plot.draw(self._space.axes, played, parity, f"{name}, {games} games a point", path)

    def _fault(self, played: Played) -> str | None:
        """Return which trials failed, in one sentence."""
        trials = [line.trial for line in played.failed]
        fresh = played.fresh
        if not trials and (fresh is None or fresh.fault is None):
            return None
        if not trials:
            return f"the best failed on fresh games: {fresh.fault if fresh else None}"
        first = trial_folder(self.folder, trials[0]) / ERROR
        which = f"trial {trials[0]}" + (f" and {len(trials) - 1} more" if len(trials) > 1 else "")
        return f"{which} of {self._trials} failed: see {first}; the others are kept"


def make_job(typed: Sequence[str]) -> Job:
    """Return the sweep of the overrides ``typed``; Refusal if it cannot be played."""
    own, others = split_overrides(typed)
    return Job(applies.compose("sweep", own), Space(others))
