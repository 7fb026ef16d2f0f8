"""Play one point of a sweep in a run folder like that of `experiments.compare`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from experiments import terminal
from experiments.matches import match_loop, play, runner, startup
from experiments.matches.background import Background
from experiments.matches.match_loop import ERROR, Outcome, Resources
from experiments.matches.progress import Compiling
from experiments.runs.match_run import MatchRun
from experiments.runs.mlflow_fields import metrics
from experiments.runs.mlflow_run import SweepRecord
from experiments.settings.aside import Aside
from experiments.settings.commandline import Refusal
from experiments.settings.config import plain
from experiments.settings.repeating import line, repeated_by
from experiments.stats.intervals import Estimate, win_rate
from experiments.stats.stopping import EVERY_GAME
from experiments.sweep.progress import SweepProgress
from experiments.sweep.space import Point

ShouldPrune = Callable[[int, float], bool]
"""Returns whether to prune the point, given a block's number and the share of its games won."""


@dataclass(frozen=True)
class Counts:
    """Games looked at, and wins among them."""

    games: int
    wins: int

    @property
    def estimate(self) -> Estimate | None:
        """The win rate with its interval; None without a game."""
        return win_rate(self.wins, self.games) if self.games else None


@dataclass(frozen=True)
class TrialResult(Counts):
    """Outcome of the games of a point.

    Attributes
    ----------
    given_up : whether it was pruned
    interrupted : whether Ctrl-C ended it
    fault : of a game that raised an exception
    """

    given_up: bool = False
    interrupted: bool = False
    fault: str | None = None

    @property
    def status(self) -> str:
        """The status in MLflow's terms."""
        return "FAILED" if self.fault else "KILLED" if self.interrupted else "FINISHED"


class TrialRunner:
    """Plays points one after another on the same Ray.

    ``record``, ``progress``, ``console``: for reporting; ``going``: whether to continue, called
    after every portion of games.
    """

    def __init__(
        self,
        record: SweepRecord,
        progress: SweepProgress,
        console: Console,
        going: Callable[[], bool],
    ) -> None:
        self.record, self.progress, self._console = record, progress, console
        self._going, self._shown = going, Aside("the progress display has stopped")
        self._crews: dict[tuple[int, bool], Resources] = {}
        self._warm: set[tuple[str, ...]] = set()
        self._rooted: bool | None = None

    def play(
        self, point: Point, folder: Path, ends: Sequence[int], should_prune: ShouldPrune
    ) -> TrialResult:
        """Play the games of ``point`` that are missing in ``folder``.

        ``ends``: game counts at which `should_prune` is called, in order.  Raises Refusal if
        results cannot be written, or workers die repeatedly.
        """
        games = (f"match.games={ends[-1]}",) if ends[-1] != point.settings.match.games else ()
        with repeated_by(line("compare", (*point.overrides, *games))):
            return self._play(point, folder, ends, should_prune)

    def _play(
        self, point: Point, folder: Path, ends: Sequence[int], should_prune: ShouldPrune
    ) -> TrialResult:
        settings, match = point.settings, point.match
        settings.run.folder = str(folder)
        run = MatchRun(folder, [match], settings.match.stop, console=self._console)
        run.claim()
        played = run.played
        try:
            run.write_settings(plain(settings))
            try:
                resources = self._ready(point)
                self.record.begin_trial(folder, settings, match)
            except KeyboardInterrupt:
                won = match.wins_of(played.tallies[0].winner(), 0)
                return TrialResult(played.games, int(won.sum()), interrupted=True)
            self.progress.begin(folder.name, ends[-1])
            result, ended = self._through(run, resources, ends, should_prune)
            summary = run.summarise(ended, settings)
            run.write_summary(summary.to_json())
        except OSError as fault:
            raise Refusal(
                f"{folder}: {fault.strerror or fault}: free disk space and continue with "
                f"run.resume={folder.parent}"
            ) from None
        if played.games:
            self.record.end_trial(result.status, metrics(summary, [match]), played)
        else:
            self.record.end_trial(result.status)
        return result

    def _through(
        self,
        run: MatchRun,
        resources: Resources,
        ends: Sequence[int],
        should_prune: ShouldPrune,
    ) -> tuple[TrialResult, Outcome]:
        begin, wins = 0, 0
        (tally,), (match,) = run.played.tallies, run.matches

        def watch() -> bool:
            self._shown.do(lambda: self.progress.games(tally.games))
            return self._going()

        for step, end in enumerate(ends):
            ended = match_loop.play(run.played, end, EVERY_GAME, resources, watch)
            if ended.fault is not None and ERROR not in ended.fault:
                # The user continues the sweep, not the trial.
                sweep = f"run.resume={run.folder.parent}"
                fault = ended.fault.replace(f"run.resume={run.folder}", sweep)
                raise Refusal(fault if sweep in fault else f"{fault}; continue with {sweep}")
            won = match.wins_of(tally.winner(end), 0)
            if ended.fault is not None or ended.interrupted:
                wins = int(won.sum())
                state = TrialResult(tally.games, wins, False, ended.interrupted, ended.fault)
                return state, ended
            wins += int(won[begin:].sum())
            if should_prune(step, float(won[begin:].mean())) and end < ends[-1]:
                return TrialResult(end, wins, given_up=True), ended
            begin = end
        return TrialResult(end, wins), ended

    def _ready(self, point: Point) -> Resources:
        """Compile what the point needs, start Ray, and return the resources."""
        match, address = point.match, point.settings.ray.address
        # Idle workers of other games would hold the cores needed by Ray actors.
        if self._rooted is not None and (self._rooted or match.rooted) and address is None:
            runner.stop()
        self._rooted = match.rooted
        key = (match.threads, match.rooted)
        if key not in self._crews:
            quiet = terminal.console(quiet=True) if self._crews else self._console
            workers = point.settings.match.workers
            self._crews[key] = startup.resources([match], workers, address, quiet)
        players = tuple(entrant["name"] for entrant in match.entrants)
        if players in self._warm:
            play.warm(match)
        else:
            with self.progress.stage(Compiling(not match.compiled)):
                Background(play.warm, match).result()
            self._warm.add(players)
        return self._crews[key]
