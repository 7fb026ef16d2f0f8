"""The MLflow record of a sweep: one run with a run below it for each trial.

A store that fails once games are played costs the record, not the sweep
(`experiments.provenance.tracking`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig

from experiments.matches.background import Background
from experiments.matches.results import Results
from experiments.matches.schedule import Match
from experiments.provenance import provenance, tracking
from experiments.runs import recorded
from experiments.settings.commandline import Refusal
from experiments.settings.config import plain
from experiments.stats.stopping import Stop

if TYPE_CHECKING:
    from experiments.runs.summary import Summary


class Record:
    """The record of the sweep in ``folder``; nothing is recorded if tracking is off.

    ``settings``: the section ``tracking``; ``parameters``: of the sweep, nested.  Raises Refusal if
    the store cannot be reached.  Attribute ``fault``: why it is incomplete, None as long as it is
    not.
    """

    def __init__(self, settings: DictConfig, folder: Path, parameters: Mapping[str, Any]) -> None:
        self.fault: str | None = None
        self._home = folder.resolve().parent
        self._parent: tracking.Tracker | None = None
        self._trial: tracking.Tracker | None = None
        if settings.enabled:
            uri = settings.uri or tracking.default_uri(self._home)
            tracking.check_reachable(uri)
            store = tracking.Store(uri, settings.experiment, self._home / "mlartifacts")
            self._parent = tracking.Tracker(store)
            tags = provenance.tags(folder)
            self._parent.begin(folder.resolve().name, dict(parameters), tags, folder)

    def begin(self, folder: Path, settings: DictConfig, match: Match) -> None:
        """Begin the record of the trial in ``folder``, which plays ``match``, or take it up again.

        ``settings``: its configuration.
        """
        if self._parent is None or self.fault is not None:
            return
        trial = tracking.Tracker(self._parent.store)
        known = recorded.parameters(plain(settings), [match])
        name = folder.resolve().relative_to(self._home).as_posix()
        # Not the tracker's own `parent`, which ends with each of its parts.
        tags = {
            **recorded.tags([match], folder),
            **provenance.tags(folder),
            tracking.PARENT: self._parent.run,
        }
        try:
            Background(trial.begin, name, known, tags, folder, stays=False).result()
        except Refusal as fault:
            self.fault = str(fault)
        else:
            self._trial = trial

    def end(
        self, status: str, summary: Summary | None = None, played: Results | None = None
    ) -> None:
        """End the record of the trial that was begun last.

        ``status``: FINISHED, FAILED or KILLED; ``summary``, ``played``: its summary and its
        games, if it has any.
        """
        if self._trial is not None:
            if summary and played:
                curves = recorded.Curves(played, Stop())
                if self._trial.again:
                    curves.go_on(self._trial.recorded_steps())
                metrics = recorded.metrics(summary, played.matches)
                curves.finish(self._trial, status, metrics, [])
            else:
                self._trial.finish(status, {}, 0, [])
            self.fault = self._trial.fault
            self._trial = None

    def progress(self, step: int, **metrics: float) -> None:
        """Note metrics of the sweep after trial ``step``."""
        if self._parent is not None:
            self._parent.record(step, **metrics)

    def finish(self, status: str, metrics: dict[str, float], step: int, files: list[Path]) -> None:
        """Send what is left of the sweep's own record, and its files."""
        if self._parent is not None:
            self._parent.finish(status, metrics, step, files)
            self.fault = self.fault or self._parent.fault
