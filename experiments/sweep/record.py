"""The MLflow record of a sweep: one run with a run below it for each trial.

A store that fails once games are played costs the record, not the sweep
(`experiments.provenance.tracking`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig

from experiments.matches.background import Background
from experiments.matches.results import Results
from experiments.matches.schedule import Match
from experiments.provenance import provenance, tracking
from experiments.runs import recorded
from experiments.settings.aside import Aside
from experiments.settings.config import plain
from experiments.stats.stopping import Stop

if TYPE_CHECKING:
    from experiments.runs.summary import Summary


class Record:
    """The record of the sweep in ``folder``; nothing is recorded if tracking is off.

    ``settings``: the section ``tracking``; ``parameters``: of the sweep, nested.  Raises Refusal if
    the store cannot be reached.
    """

    def __init__(self, settings: DictConfig, folder: Path, parameters: Mapping[str, Any]) -> None:
        self._folder, self._settings = folder.resolve(), settings
        self._home = self._folder.parent
        self._parent: tracking.Tracker | None = None
        self._trial: tracking.Tracker | None = None
        advice = f"; all results are kept, and run.resume={folder} completes it"
        self._aside = Aside(tracking.MISSING, advice)
        if settings.enabled:
            self._aside.do(partial(self._open, parameters), refuses=True)

    def _open(self, parameters: Mapping[str, Any]) -> None:
        experiment = self._settings.experiment
        uri = tracking.choose_uri(self._settings.uri, self._home)
        tracking.check_reachable(uri, experiment)
        store = tracking.Store(uri, experiment, self._home / "mlartifacts", self._aside)
        parent = tracking.Tracker(store)
        tags = provenance.tags(self._folder)
        parent.begin(self._folder.name, dict(parameters), tags, self._folder)
        self._parent = parent

    def begin(self, folder: Path, settings: DictConfig, match: Match) -> None:
        """Begin the record of the trial in ``folder``, which plays ``match``, or take it up again.

        ``settings``: its configuration.
        """
        self._use(lambda parent: self._begin(parent, folder, settings, match))

    def _begin(
        self, parent: tracking.Tracker, folder: Path, settings: DictConfig, match: Match
    ) -> None:
        trial = tracking.Tracker(parent.store)
        known = recorded.parameters(plain(settings), [match])
        name = folder.resolve().relative_to(self._home).as_posix()
        # Not the tracker's own `parent`, which ends with each of its parts.
        tags = {
            **recorded.tags([match], folder),
            **provenance.tags(folder),
            tracking.PARENT: parent.run,
        }
        Background(trial.begin, name, known, tags, folder, stays=False).result()
        self._trial = trial

    def end(
        self, status: str, summary: Summary | None = None, played: Results | None = None
    ) -> None:
        """End the record of the trial that was begun last.

        ``status``: FINISHED, FAILED or KILLED; ``summary``, ``played``: its summary and its
        games, if it has any.
        """
        trial, self._trial = self._trial, None
        if trial is not None:
            self._aside.do(lambda: _end(trial, status, summary, played))

    def progress(self, step: int, **metrics: float) -> None:
        """Note metrics of the sweep after trial ``step``."""
        self._use(lambda parent: parent.record(step, **metrics))

    def finish(self, status: str, metrics: dict[str, float], step: int, files: list[Path]) -> None:
        """Send what is left of the sweep's own record, and its files."""
        self._use(lambda parent: parent.finish(status, metrics, step, files))

    def _use(self, note: Callable[[tracking.Tracker], None]) -> None:
        """Have ``note`` note something in the sweep's record, if there is one."""
        parent = self._parent
        if parent is not None:
            self._aside.do(lambda: note(parent))


def _end(
    trial: tracking.Tracker, status: str, summary: Summary | None, played: Results | None
) -> None:
    if summary and played:
        metrics = recorded.metrics(summary, played.matches)
        recorded.Curves(played, Stop()).finish(trial, status, metrics, [])
    else:
        trial.finish(status, {}, 0, [])
