"""The MLflow record of a run or sweep, opened while the first games are played.

Importing MLflow and checking its database takes seconds, and no game waits for it: the store is
only asked whether it answers before the first game, and the record is begun in the background
during play.  A failure costs the record, not the run (`experiments.provenance.tracking`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from experiments.matches.background import Background
from experiments.matches.results import Results
from experiments.matches.schedule import Match
from experiments.provenance import provenance, tracking
from experiments.runs.mlflow_fields import Curves, parameters, tags
from experiments.settings.aside import Aside
from experiments.settings.config import plain
from experiments.stats.stopping import Stop

PATIENCE_SECONDS = 1.0
"""Longest wait of an interrupted run for a record that is being opened."""

Begin = Callable[[tracking.Store, float], tracking.Tracker]
"""Begins a record in a store, given the start time of its job."""


class MlflowRun:
    """The record of the job in ``folder``; records nothing if tracking is off.

    ``settings``: the section ``tracking``; ``home``: folder of the default database; ``begin``:
    begins the record.  Raises Refusal if the server or database does not answer.
    """

    def __init__(self, settings: DictConfig, folder: Path, home: Path, begin: Begin) -> None:
        self._settings, self._home, self._begin = settings, home, begin
        self._uri = tracking.choose_uri(settings.uri, home)
        self._opening: Background | None = None
        self._began = time.time()
        advice = f"; all results are kept; complete it with run.resume={folder}"
        self._aside = Aside(tracking.MISSING, advice)
        if settings.enabled:
            check = partial(tracking.check_reachable, self._uri, settings.experiment)
            self._aside.do(check, refuses=True)

    def begin(self) -> None:
        """Begin to open the record unless that is done; to be called often."""
        if self._opening is None and self._settings.enabled:
            self._opening = Background(self._open)

    def wait(self) -> None:
        """Open the record and wait for it; Refusal if the store cannot be opened."""
        self.begin()
        if self._opening is not None:
            self._aside.do(self._opening.result, refuses=True)

    def use(self, note: Callable[[Any], None]) -> None:
        """Call ``note`` with the record's `tracking.Tracker`, if it is open."""
        opening = self._opening
        if opening is not None and opening.done.is_set():
            self._aside.do(lambda: note(opening.result()))

    def finish(self, status: str, end: Callable[[Any], None]) -> None:
        """End the record with ``end``; ``status`` is FINISHED, FAILED or KILLED.

        Waits until the record is open; after Ctrl-C for at most `PATIENCE_SECONDS`.  A record that
        was not open by then may be lost: the resumed run begins it.
        """
        if status != "KILLED":
            self.begin()
        if self._opening is not None:
            self._opening.done.wait(PATIENCE_SECONDS if status == "KILLED" else None)
        self.use(end)

    def _open(self) -> tracking.Tracker:
        artifacts = self._home / "mlartifacts"
        store = tracking.Store(self._uri, self._settings.experiment, artifacts, self._aside)
        return self._begin(store, self._began)


class MatchRecord(MlflowRun):
    """The record of a run of matches.

    ``settings``: checked configuration of `experiments.compare`; ``played``: the games, shown as
    curves; ``stop``: the stopping rule; ``multirun``: folder and command line of the multirun that
    the run belongs to, or None.
    """

    def __init__(
        self,
        settings: DictConfig,
        played: Results,
        stop: Stop,
        multirun: tuple[Path, str] | None = None,
    ) -> None:
        self._curves, folder = Curves(played, stop), played.folder.resolve()
        above = multirun[0].resolve() if multirun else folder
        begin = partial(_begin_matches, plain(settings), played.matches, folder, multirun)
        super().__init__(settings.tracking, played.folder, above.parent, begin)

    def follow(self) -> None:
        """Record the win rates so far, if the record is open; to be called often."""
        self.use(self._curves.follow)

    def end(self, status: str, metrics: dict[str, float], files: list[Path]) -> None:
        """End the record with the rest of the curves, the final ``metrics`` and ``files``."""
        self.finish(
            status, partial(self._curves.finish, status=status, metrics=metrics, files=files)
        )


def _begin_matches(
    settings: Mapping[str, Any],
    matches: list[Match],
    folder: Path,
    multirun: tuple[Path, str] | None,
    store: tracking.Store,
    began: float,
) -> tracking.Tracker:
    """Begin the record of a run; a run of a multirun becomes part of the multirun's record."""
    tracker, parent, home = tracking.Tracker(store, began), None, folder.parent
    if multirun is not None:
        above, home = multirun[0].resolve(), multirun[0].resolve().parent
        parent = tracking.Tracker(store, began)
        parent.begin_once(above.name, provenance.tags(above, multirun[1]), above)
    name = folder.relative_to(home).as_posix()  # <multirun>/<job> in a multirun
    found = {**tags(matches, folder), **provenance.tags(folder)}
    tracker.begin(name, parameters(settings, matches), found, folder, parent)
    return tracker


class SweepRecord(MlflowRun):
    """The record of the sweep in ``folder``, with a child record for each trial.

    ``settings``: the section ``tracking``; ``parameters``: of the sweep, nested.
    """

    def __init__(self, settings: DictConfig, folder: Path, parameters: Mapping[str, Any]) -> None:
        place = folder.resolve()

        def begin(store: tracking.Store, began: float) -> tracking.Tracker:
            tracker = tracking.Tracker(store, began)
            tracker.begin(place.name, dict(parameters), provenance.tags(place), place)
            return tracker

        self._trial: tracking.Tracker | None = None
        super().__init__(settings, folder, place.parent, begin)

    def begin_trial(self, folder: Path, settings: DictConfig, match: Match) -> None:
        """Begin or resume the record of the trial in ``folder``, which plays ``match``."""

        def begin(parent: tracking.Tracker) -> None:
            trial = tracking.Tracker(parent.store)
            # Not the tracker's own `parent`, which ends whenever a part ends.
            known = {**tags([match], folder), **provenance.tags(folder)}
            known[tracking.PARENT] = parent.run
            name = folder.resolve().relative_to(self._home).as_posix()
            found = parameters(plain(settings), [match])
            Background(trial.begin, name, found, known, folder, stays=False).result()
            self._trial = trial

        self.use(begin)

    def end_trial(
        self, status: str, metrics: Mapping[str, float] | None = None, played: Results | None = None
    ) -> None:
        """End the record of the last trial; ``played``: its games, if any."""
        trial, self._trial = self._trial, None
        if trial is None:
            return
        if played is None:
            self._aside.do(lambda: trial.finish(status, {}, 0, []))
        else:
            curves = Curves(played, Stop())
            self._aside.do(lambda: curves.finish(trial, status, metrics or {}, []))

    def note(self, step: int, **metrics: float) -> None:
        """Record metrics of the sweep after trial ``step``."""
        self.use(lambda tracker: tracker.record(step, **metrics))
