"""The trials of a sweep one after another, then the best of them on fresh games.

Each point is played in a run folder like that of `experiments.compare`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from threading import Event

import numpy as np
from optuna import Study
from optuna.trial import TrialState, create_trial
from rich.console import Console

from experiments import terminal
from experiments.matches import play, runner, startup
from experiments.matches.background import Background
from experiments.matches.match_loop import ERROR, Outcome, Resources
from experiments.matches.progress import Compiling, stage
from experiments.matches.schedule import Match
from experiments.provenance.files import SUMMARY
from experiments.runs import runfolder
from experiments.runs.match_run import MatchRun
from experiments.runs.mlflow_run import SweepRecord, metrics
from experiments.settings.commandline import Refusal, in_folder
from experiments.settings.config import plain
from experiments.settings.repeating import line, repeated_by
from experiments.sweep.axes import describe_point
from experiments.sweep.outcomes import Line, Played, TrialResult
from experiments.sweep.points import Propose
from experiments.sweep.space import Point, Space

_STATES = {"complete": TrialState.COMPLETE, "pruned": TrialState.PRUNED, "failed": TrialState.FAIL}

_FRESH = 0xF7E5
"""Key that derives the seed of fresh games from the sweep's."""

ShouldPrune = Callable[[int, float], bool]
"""Returns whether to prune the point, given a block's number and the share of its games won."""


def trial_folder(folder: Path, trial: int) -> Path:
    """Return the run folder of a trial of the sweep in ``folder``."""
    return folder / f"trial-{trial:04d}"


class Trials:
    """Plays trials one after another on the same Ray; what is in their folders is not played again.

    ``folder``: of the sweep; ``space``, ``propose``: of the points; ``study``: of its trials, none
    yet; ``record``, ``console``: for reporting; ``wished``: event set when the user asks to end;
    ``block``: games between two pruning decisions; None: no pruning.

    Attribute ``leads``: whether this process, of those that play the sweep, writes all but rows.
    """

    def __init__(
        self,
        folder: Path,
        space: Space,
        study: Study,
        propose: Propose,
        record: SweepRecord,
        console: Console,
        wished: Event,
        block: int | None = None,
    ) -> None:
        self._folder, self._space, self._study, self._propose = folder, space, study, propose
        self._lines: list[Line] = []
        self._plays: dict[str, Line] = {}  # by digest of the match
        self._record, self._console, self._wished = record, console, wished
        self._block = block
        self._resources: dict[tuple[int, bool], Resources] = {}
        self._compiled: set[tuple[str, ...]] = set()
        self._rooted: bool | None = None
        self.leads = True

    def play(self, trials: int, fresh: int | None, free: bool = False) -> Played:
        """Play the missing ones of ``trials`` trials, and ``fresh`` games of the best.

        ``free``: whether no point depends on the results of others: a process that does not lead
        then first plays what it can claim of all points, so that it does not wait for others.
        ``fresh``: None: as many games as a point plays.  Raises Refusal if results cannot be
        written, or workers die repeatedly.
        """
        interrupted = free and not self.leads and not self._play_ahead(trials)
        while not interrupted and len(self._lines) < trials:
            interrupted = not self._play_next(trials)
        played = Played(self._lines, None, interrupted)
        if interrupted or fresh == 0:
            return played
        if (best := played.best) is not None:
            point = with_other_games(self._space.point(best.parameters))
            games = point.settings.match.games if fresh is None else fresh
            folder = self._folder / f"fresh-{best.trial:04d}"
            played.fresh = self._play_point(point, folder, [games], lambda *_: False)
            played.interrupted = played.fresh.interrupted
        return played

    def _play_ahead(self, trials: int) -> bool:
        """Play what can be claimed of all points, without their outcomes; return whether it ended.

        A fault of a game is left to `_play_next`.
        """
        played = set[str]()
        for number in range(trials):
            held = [create_trial(state=TrialState.FAIL)] * number
            point = self._space.point(self._propose(held))
            if (plays := digest(point.match)) not in played:
                played.add(plays)
                games = point.settings.match.games
                with repeated_by(line("compare", point.overrides)):
                    run = self._claim(point, trial_folder(self._folder, number))
                    missing = not run.played.tallies[0].has(games)
                    if missing and run.play(games, self._ready(point), waits=False).interrupted:
                        return False
        return True

    def _play_next(self, trials: int) -> bool:
        """Play the next trial; return whether it ended."""
        held = self._study.get_trials(deepcopy=False)
        self._study.enqueue_trial(dict(self._propose(held)))
        trial = self._study.ask(self._space.distributions)
        point, number = self._space.point(trial.params), trial.number
        plays = digest(point.match)
        if (same := self._plays.get(plays)) is not None:
            for step, share in held[same.trial].intermediate_values.items():
                trial.report(share, step)
            line = replace(same, trial=number, parameters=trial.params, same_as=same.trial)
        else:
            games, block = point.settings.match.games, self._block
            ends = [*(range(block, games, block) if block else ()), games]

            def should_prune(step: int, share: float) -> bool:
                if block is None:
                    return False
                trial.report(share, step)
                return trial.should_prune()

            folder = trial_folder(self._folder, number)
            result = self._play_point(point, folder, ends, should_prune)
            if result.interrupted:
                return False
            line = Line(result.games, result.wins, number, trial.params, result.state, None)
        rate = line.rate if line.state == "complete" else None
        self._study.tell(trial, rate, _STATES[line.state])
        self._lines.append(line)
        self._plays.setdefault(plays, line)
        self._tell(line, trials)
        return True

    def _tell(self, line: Line, trials: int) -> None:
        """Show and record the outcome of a trial."""
        said, noted = [describe_point(line.parameters), line.estimate, line.note], {}
        words = ", ".join(str(part) for part in said if part)
        best = Played(self._lines).best
        if best is not None:
            now = f"best so far: trial {best.trial}, {best.estimate}"
            words += f"; {'the best so far' if best == line else now}, which flatters it"
            noted = {"win_rate": line.rate, "best_chosen_so_far": best.rate}
        at = f"trial {line.trial} ({line.trial + 1}/{trials})"
        self._console.print(f"{at}: {words}", soft_wrap=True)
        if noted:
            self._record.note(line.trial, **noted)

    def _play_point(
        self, point: Point, folder: Path, ends: Sequence[int], should_prune: ShouldPrune
    ) -> TrialResult:
        """Play the games of ``point`` that are missing in ``folder``.

        ``ends``: game counts at which ``should_prune`` is called, in order.
        """
        settings, match = point.settings, point.match
        more = (f"match.games={ends[-1]}",) if ends[-1] != settings.match.games else ()
        with repeated_by(line("compare", (*point.overrides, *more))):
            run = self._claim(point, folder)
            try:
                if self.leads:
                    run.write_settings(plain(settings))
                    if not (folder / SUMMARY).exists():
                        self._record.begin_trial(folder, settings, match)
                result, ended, played = self._play_blocks(run, point, ends, should_prune)
                if not self.leads or (not played and (folder / SUMMARY).exists()):
                    return result  # nothing is new
                summary = run.summarise(ended, settings)
                run.write_summary(summary.to_json())
            except OSError as fault:
                raise Refusal(
                    f"{folder}: {fault.strerror or fault}: free disk space and continue with "
                    f"{in_folder(folder.parent)}"
                ) from None
        games = run.played if run.played.games else None
        self._record.end_trial(result.status, metrics(summary, [match]) if games else {}, games)
        return result

    def _claim(self, point: Point, folder: Path) -> MatchRun:
        """Return the run of ``point`` in ``folder``, which then holds its plan."""
        settings = point.settings
        settings.run.folder = str(folder)
        runfolder.claim(folder, [point.match], settings.match.stop)
        run = MatchRun(folder, [point.match], settings.match.stop, console=self._console)
        run.wished = self._wished
        return run

    def _play_blocks(
        self, run: MatchRun, point: Point, ends: Sequence[int], should_prune: ShouldPrune
    ) -> tuple[TrialResult, Outcome, bool]:
        """Play the games of ``run`` up to each of ``ends``, unless it is pruned before.

        Returns the result, the outcome, and whether anything was to be played.
        """
        begin, wins = 0, 0
        (tally,), (match,) = run.played.tallies, run.matches
        resources, ended = None, Outcome(None, interrupted=False)
        for step, end in enumerate(ends):
            if not tally.has(end):
                try:
                    if resources is None:
                        resources = self._ready(point)
                        self._record.begin_trial(run.folder, point.settings, match)
                    ended = run.play(end, resources, total=ends[-1])
                except KeyboardInterrupt:
                    ended = Outcome(None, interrupted=True)
            if ended.fault is not None and ERROR not in ended.fault:
                # The user continues the sweep, not the trial.
                sweep = in_folder(run.folder.parent)
                fault = ended.fault.replace(in_folder(run.folder), sweep)
                raise Refusal(fault if sweep in fault else f"{fault}; continue with {sweep}")
            won = match.wins_of(tally.winner(end), 0)
            if ended.fault is not None or ended.interrupted:
                wins = int(won.sum())
                state = TrialResult(tally.games, wins, False, ended.interrupted, ended.fault)
                return state, ended, True
            wins += int(won[begin:].sum())
            if should_prune(step, float(won[begin:].mean())) and end < ends[-1]:
                return TrialResult(end, wins, given_up=True), ended, resources is not None
            begin = end
        return TrialResult(end, wins), ended, resources is not None

    def _ready(self, point: Point) -> Resources:
        """Compile what the point needs, start Ray, and return the resources."""
        match, address = point.match, point.settings.ray.address
        # Idle workers of other games would hold the cores needed by Ray actors.
        if self._rooted is not None and (self._rooted or match.rooted) and address is None:
            runner.stop()
        self._rooted = match.rooted
        key = (match.threads, match.rooted)
        if key not in self._resources:
            console = terminal.console(quiet=True) if self._resources else self._console
            workers = point.settings.match.workers
            self._resources[key] = startup.resources([match], workers, address, console)
        players = tuple(entrant["name"] for entrant in match.entrants)
        if players in self._compiled:
            play.warm(match)
        else:
            with stage(self._console, Compiling(not match.compiled)):
                Background(play.warm, match).result()
            self._compiled.add(players)
        return self._resources[key]


def with_other_games(point: Point) -> Point:
    """Return ``point`` with the games of a seed derived from its own and `_FRESH`."""
    seed = int(np.random.SeedSequence([point.match.seed, _FRESH]).generate_state(1)[0])
    settings = point.settings.copy()
    settings.seed = seed
    return replace(
        point,
        settings=settings,
        match=replace(point.match, seed=seed),
        overrides=(*point.overrides, f"seed={seed}"),
    )


def digest(match: Match) -> str:
    """Return a key of ``match``, equal for matches that play alike."""
    return hashlib.sha256(json.dumps(asdict(match), sort_keys=True).encode()).hexdigest()[:16]
