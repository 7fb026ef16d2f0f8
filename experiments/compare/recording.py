"""The MLflow record of a run, opened while its first games are played.

MLflow takes seconds to be imported and to look at its database.  No game waits for that: the store
is asked whether it answers before anything is played, the record itself is begun in the background
once games come in.  If that fails it costs the record, not the run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig

from experiments.matches.background import Background
from experiments.matches.results import Results
from experiments.provenance import provenance, tracking
from experiments.runs.recorded import Curves, parameters, parts, tags
from experiments.settings import repeating
from experiments.settings.aside import Aside
from experiments.settings.config import plain
from experiments.stats.stopping import Stop

PATIENCE_SECONDS = 1.0
"""Longest wait of a run that was interrupted for a record that is just being opened."""


class Recording:
    """The record of the run in ``folder``; nothing is recorded if tracking is off.

    ``settings``: checked configuration of `experiments.compare`; ``played``: the games, of which
    the record has curves; ``stop``: the rule by which they end.  Raises Refusal if the tracking
    server or database does not answer.
    """

    def __init__(self, settings: DictConfig, played: Results, stop: Stop) -> None:
        self._tracking, self._folder = settings.tracking, played.folder.resolve()
        self._played, self._curves = played, Curves(played, stop)
        self._settings = plain(settings)
        self._sweep = _sweep()
        self._multirun = repeating.multirun_line(sys.argv[1:])
        self._home = (self._sweep or self._folder).parent
        self._uri = tracking.choose_uri(self._tracking.uri, self._home)
        self._opening: Background | None = None
        self._began = time.time()
        advice = f"; all results are kept, and run.resume={played.folder} completes it"
        self._aside = Aside(tracking.MISSING, advice)
        if self._tracking.enabled:
            check = partial(tracking.check_reachable, self._uri, self._tracking.experiment)
            self._aside.do(check, refuses=True)

    def begin(self) -> None:
        """Begin to open the record, unless that has been done; to be called often."""
        if self._opening is None and self._tracking.enabled:
            self._opening = Background(self._open)

    def follow(self) -> None:
        """Note how the win rates went, if the record is open; to be called often."""
        self._aside.do(lambda: self._use(self._curves.follow))

    def finish(self, status: str, metrics: dict[str, float], files: list[Path]) -> None:
        """End the record with what is left of the curves, the final ``metrics`` and ``files``.

        ``status`` is FINISHED, FAILED or KILLED.  Waits until the record is open; after Ctrl-C for
        `PATIENCE_SECONDS` at most, for which a record that nobody opened may be lost: the run that
        goes on begins it.
        """
        if status != "KILLED":
            self.begin()
        if self._opening is not None:
            self._opening.done.wait(PATIENCE_SECONDS if status == "KILLED" else None)
        end = partial(self._curves.finish, status=status, metrics=metrics, files=files)
        self._aside.do(lambda: self._use(end))

    def _use(self, note: Callable[[tracking.Tracker], None]) -> None:
        """Have ``note`` note something in the record, if it is open."""
        if self._opening is not None and self._opening.done.is_set():
            note(self._opening.result())

    def _open(self) -> tracking.Tracker:
        """Open the store and begin the record, with one below it for each of several players.

        That of a part of a sweep is part of its record.
        """
        artifacts = self._home / "mlartifacts"
        store = tracking.Store(self._uri, self._tracking.experiment, artifacts, self._aside)
        tracker = tracking.Tracker(store, self._began)
        parent = None
        if self._sweep is not None:
            parent = tracking.Tracker(store, self._began)
            origin = provenance.tags(self._sweep, self._multirun)
            parent.begin_once(self._sweep.name, origin, self._sweep)
        folder = self._folder
        name = folder.relative_to(self._home).as_posix()  # <sweep>/<job> in a sweep
        matches, origin = self._played.matches, provenance.tags(folder)
        found = {**tags(matches, folder), **origin}
        tracker.begin(name, parameters(self._settings, matches), found, folder, parent)
        children = {}
        for part in parts(self._settings, matches, folder):
            child = children[part.tail] = tracking.Tracker(store, self._began)
            found = {**part.tags, **origin, tracking.PARENT: tracker.run or ""}
            file = tracking.RUN.replace(".txt", f"{part.tail.replace('/', '-')}.txt")
            child.begin(part.name, part.parameters, found, folder, file=file)
        if children:
            tracker = tracking.Family(tracker, children)
        return tracker


def _sweep() -> Path | None:
    """Return the folder of the sweep of which this run is a part, None if it stands alone.

    A sweep is one record, together with the runs and sweeps beside it.
    """
    hydra = HydraConfig.get()
    return Path(hydra.sweep.dir).resolve() if hydra.mode is RunMode.MULTIRUN else None
