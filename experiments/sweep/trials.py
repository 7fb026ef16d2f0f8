"""The trials of a sweep, one after another, and then the best of them on fresh games."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from experiments.matches.schedule import Match
from experiments.stats.intervals import win_rate
from experiments.sweep.axes import Parameters, describe_point
from experiments.sweep.progress import SweepProgress
from experiments.sweep.record import Record
from experiments.sweep.runs import Ran, Runs
from experiments.sweep.space import Point, Space
from experiments.sweep.study import FINISHED, GAMES, PLAYS, SAME_AS, WINS, Study

_STATES = {TrialState.COMPLETE: "complete", TrialState.PRUNED: "pruned", TrialState.FAIL: "failed"}

_FRESH = 0xF7E5
"""Word that makes the seed of fresh games another one than the trials'."""


@dataclass(frozen=True)
class Line:
    """The outcome of a trial.

    Attributes
    ----------
    trial : its number
    parameters : the point
    state : complete, pruned or failed
    games, wins : that it was judged by
    same_as : the trial that had played the same before
    """

    trial: int
    parameters: Parameters
    state: str
    games: int
    wins: int
    same_as: int | None

    @property
    def rate(self) -> float:
        """Share of the games won; 0 without any."""
        return self.wins / self.games if self.games else 0.0

    @property
    def note(self) -> str:
        """A remark on it; mostly none."""
        state = {"pruned": "given up", "failed": "failed"}
        same = "" if self.same_as is None else f"same as trial {self.same_as}"
        return ", ".join(filter(None, (state.get(self.state), same)))


@dataclass
class Played:
    """The outcome of a sweep.

    Attributes
    ----------
    lines : its finished trials, in order
    fresh : the best on games that no trial played
    interrupted : whether Ctrl-C ended it
    """

    lines: list[Line] = field(default_factory=list)
    fresh: Ran | None = None
    interrupted: bool = False

    @property
    def best(self) -> Line | None:
        """The complete trial with the highest win rate, of several the first."""
        whole = [line for line in self.lines if line.state == "complete"]
        return max(whole, key=lambda line: line.rate, default=None)

    @property
    def failed(self) -> list[Line]:
        """The trials of which a game raised an exception."""
        return [line for line in self.lines if line.state == "failed"]


def trial_folder(folder: Path, trial: int) -> Path:
    """Return the run folder of a trial of the sweep in ``folder``."""
    return folder / f"trial-{trial:04d}"


class Trials:
    """Plays the trials of ``study``.

    ``folder``: of the sweep; ``space``: whose points are played; ``block``: games between two looks
    at whether to give a point up; None: there are none.
    """

    def __init__(
        self,
        folder: Path,
        space: Space,
        study: Study,
        block: int | None,
        runs: Runs,
        progress: SweepProgress,
        record: Record,
    ) -> None:
        self._folder, self._space, self._study, self._block = folder, space, study, block
        self._runs, self._progress, self._record = runs, progress, record

    def play(self, trials: int, fresh: int | None) -> Played:
        """Play what is missing of ``trials`` trials, and ``fresh`` games of the best.

        ``fresh``: None: as many as a point plays.  Raises Refusal if results cannot be written, or
        workers die again and again.
        """
        self._progress.count_earlier(len(self._done_among(trials)))
        interrupted = False
        while not interrupted and len(self._done_among(trials)) < trials:
            interrupted = not self._play_next()
        played = Played([line_of(trial) for trial in self._done_among(trials)], None, interrupted)
        if played.best is not None and not interrupted and fresh != 0:
            played.fresh = self._play_fresh(played.best, fresh)
            played.interrupted = played.fresh.interrupted
        return played

    def _done_among(self, trials: int) -> list[FrozenTrial]:
        return [trial for trial in self._study.trials[:trials] if trial.state in FINISHED]

    def _play_next(self) -> bool:
        """Play the next trial; return whether its end was reached."""
        trial = self._study.next()
        point = self._space.point(trial.params)
        plays = digest(point.match)
        done = self._done_among(trial.number)
        same = [trial for trial in done if trial.user_attrs[PLAYS] == plays]
        if same:
            self._study.repeat(trial, same[0])
        else:
            ran = self._runs.play(
                point,
                trial_folder(self._folder, trial.number),
                _looks(point.settings.match.games, self._block),
                lambda step, share: (
                    self._block is not None and self._study.report(trial, step, share)
                ),
            )
            if ran.interrupted:
                return False
            state = (
                TrialState.FAIL
                if ran.fault
                else TrialState.PRUNED
                if ran.given_up
                else TrialState.COMPLETE
            )
            self._study.finish(trial, state, ran.games, ran.wins, plays)
        self._tell(line_of(self._study.trials[trial.number]))
        return True

    def _tell(self, line: Line) -> None:
        """Show and record what became of a trial."""
        rate = str(win_rate(line.wins, line.games)) if line.games else None
        sofar = Played([line_of(trial) for trial in self._done_among(line.trial + 1)]).best
        words = ", ".join(filter(None, (describe_point(line.parameters), rate, line.note)))
        if sofar is not None:
            best = f"best so far: trial {sofar.trial}, {win_rate(sofar.wins, sofar.games)}"
            words += "; the best so far" if sofar == line else f"; {best}"
        self._progress.end_trial(line.trial, words)
        if sofar is not None:
            self._record.progress(line.trial, win_rate=line.rate, best_so_far=sofar.rate)

    def _play_fresh(self, best: Line, fresh: int | None) -> Ran:
        """Play the best with a seed that no trial had."""
        point = fresh_point(self._space.point(best.parameters))
        games = point.settings.match.games if fresh is None else fresh
        into = self._folder / f"fresh-{best.trial:04d}"
        return self._runs.play(point, into, [games], lambda *_: False)


def fresh_point(point: Point) -> Point:
    """Return ``point`` with games that it was not chosen by: those of a seed made from its own."""
    seed = int(np.random.SeedSequence([point.match.seed, _FRESH]).generate_state(1)[0])
    settings = point.settings.copy()
    settings.seed = seed
    return replace(
        point,
        settings=settings,
        match=replace(point.match, seed=seed),
        overrides=(*point.overrides, f"seed={seed}"),
    )


def line_of(trial: FrozenTrial) -> Line:
    """Return what became of a finished trial."""
    known = trial.user_attrs
    return Line(
        trial.number,
        trial.params,
        _STATES[trial.state],
        known[GAMES],
        known[WINS],
        known.get(SAME_AS),
    )


def digest(match: Match) -> str:
    """Return a key of ``match``, equal for matches that play alike."""
    return hashlib.sha256(json.dumps(asdict(match), sort_keys=True).encode()).hexdigest()[:16]


def _looks(games: int, block: int | None) -> list[int]:
    """Return the games after which there is a look; the last is after all."""
    return [games] if block is None else [*range(block, games, block), games]
