"""The MLflow record of a run: written by the driver alone, in batches, never in the way.

A server or database that cannot be reached is refused before anything is played.  One that fails
later costs the record, not the run: the results are on disk, one line says what happened, and
nothing more is sent.  A thread sends, so that a slow store holds nothing up.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any

from filelock import FileLock

from experiments.settings import signals
from experiments.settings.aside import Aside, first_cause
from experiments.settings.commandline import Refusal
from experiments.settings.config import leaves
from experiments.texts import redact

SEND_SECONDS = 10.0
"""Time between batches of metrics: one costs some 20 ms, whatever its size."""

RUN = "mlflow_run.txt"
"""File in the run folder with the name of its record, for a run that is taken up again."""

PARENT = "mlflow.parentRunId"
"""Tag by which MLflow knows that a run belongs to another."""

MISSING = "the MLflow record is incomplete"
"""What is said of one that fails."""

_ADVICE = "check tracking.uri and MLFLOW_TRACKING_* variables, or set tracking.enabled=false"

_LOCK_SECONDS = 60
"""Longest wait for other runs that make or write the same database."""

_ANSWER_SECONDS = 3.0
"""Longest wait for each thing that a store is asked before the first game."""

_PATIENCE_SECONDS = 3.0
"""Longest wait for a store when the user wishes an end."""

_LOOK_SECONDS = 0.1

_METRICS_A_BATCH = 900
_PARAMS_A_BATCH = 100
_LONGEST_PARAM = 6000

# MLflow reads these.  It would report each call to a host outside, a server that is down would
# block for four minutes, and the address of a run is printed with the password in it.
_ENVIRONMENT = {
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
}


def choose_uri(given: str | None, home: Path) -> str:
    """Return where to record: ``given``, else MLflow's own variable, else a file in ``home``."""
    return given or os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{home / 'mlflow.db'}"


def check_reachable(uri: str, experiment: str) -> None:
    """Refuse a tracking server or database that does not answer, within a few seconds.

    Raises Refusal with what to do about it; also if ``experiment`` is deleted there.
    """
    if "://" not in uri and uri != "databricks":
        raise Refusal(
            f"tracking.uri={uri}: give sqlite:///file.db, http://server:port or https://..."
        )
    if not uri.startswith("sqlite:"):
        try:
            _import()
        except Exception:  # is said once games are played
            return
    answer: SimpleQueue[Exception | None] = SimpleQueue()

    def ask() -> None:
        try:
            if uri.startswith("sqlite:"):
                _write_nothing(uri)
            else:
                _find(_connect(uri), experiment)
            answer.put(None)
        except Exception as fault:  # what is no server of the kind may say anything
            answer.put(fault)

    Thread(target=ask, daemon=True).start()  # a silent name server cannot be hurried
    try:
        fault = answer.get(timeout=2 * _ANSWER_SECONDS)
    except Empty:
        fault = TimeoutError("timed out")
    if isinstance(fault, Refusal):
        raise fault
    if fault is not None:
        raise Refusal(f"cannot reach the tracking server {uri}: {first_cause(fault)}; {_ADVICE}")


def _write_nothing(uri: str) -> None:
    """Make sure that the database can be written to."""
    path = _file(uri)
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path, timeout=_ANSWER_SECONDS) as database:
        database.execute("BEGIN IMMEDIATE")


def _file(uri: str) -> Path:
    return Path(uri.removeprefix("sqlite:///").partition("?")[0])


def _import() -> Any:
    """Return MLflow, which reads its own variables then."""
    for variable, value in _ENVIRONMENT.items():
        os.environ.setdefault(variable, value)
    import mlflow

    for name in ("mlflow", "urllib3"):  # their loggers print what `Aside` says
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return mlflow


def _connect(uri: str) -> Any:
    """Return MLflow's client, to which credentials and certificates are left."""
    if uri.startswith("sqlite:") and "timeout=" not in uri:
        uri += f"{'&' if '?' in uri else '?'}timeout={_LOCK_SECONDS}"
    return _import().MlflowClient(uri)


def _find(client: Any, experiment: str) -> str | None:
    """Return the number of ``experiment``, None if it is new; Refusal if it is deleted."""
    found = client.get_experiment_by_name(experiment)
    if found is not None and found.lifecycle_stage == "deleted":
        raise Refusal(
            f"tracking.experiment={experiment} is deleted: bring it back by mlflow experiments "
            f"restore --experiment-id {found.experiment_id}, or name another"
        )
    return None if found is None else found.experiment_id


class Store:
    """An experiment of a tracking server or database, made if missing, and its sending thread.

    ``artifacts``: folder for artifacts where ``uri`` is a database and not a server; ``aside``:
    says that the record is incomplete.  Raises Refusal if it cannot be opened or made.
    """

    def __init__(
        self, uri: str, experiment: str, artifacts: Path, aside: Aside | None = None
    ) -> None:
        self.aside = aside or Aside(MISSING)
        is_file = uri.startswith("sqlite:")
        place = artifacts.resolve().as_uri() if is_file else None
        # Two must not make a database at the same time; SQLite waits 5 s for other writers.
        alone = FileLock(f"{_file(uri)}.lock", timeout=_LOCK_SECONDS) if is_file else nullcontext()
        _import()
        try:
            with alone:
                self.client = _connect(uri)
                found = _find(self.client, experiment)
                self.experiment = found or self.client.create_experiment(experiment, place)
        except Refusal:
            raise
        except Exception as fault:  # each kind of store and server raises its own
            raise Refusal(f"cannot record to {uri}: {first_cause(fault)}; {_ADVICE}") from None
        self._waiting: SimpleQueue[Callable[[], None]] = SimpleQueue()
        Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while True:
            self._waiting.get()()

    def send(self, job: Callable[[], None]) -> None:
        """Do ``job`` in the thread, after those before it."""
        self._waiting.put(job)

    def flush(self) -> bool:
        """Wait until all is sent; return whether it is, if the user wished an end meanwhile."""
        end, left = Event(), _PATIENCE_SECONDS
        self._waiting.put(end.set)
        while not end.wait(_LOOK_SECONDS):
            if signals.was_requested():
                left -= _LOOK_SECONDS
                if left < 0:
                    return False
        return True


class Tracker:
    """One MLflow run in a ``store``, which began at the time ``since``, or now.

    Attributes
    ----------
    run : its name in the store, empty before it has begun
    children : records below it, of single players, by the tail of their metrics: what is recorded
        as ``win_rate/NAME`` is ``win_rate`` in that of ``/NAME``, so that players are compared as
        runs are
    """

    def __init__(self, store: Store, since: float | None = None) -> None:
        self.store, self.run = store, ""
        self.children: dict[str, Tracker] = {}
        self._since = int(1000 * (since or time.time()))
        self._steps: dict[str, set[int]] = defaultdict(set)
        self._parent: Tracker | None = None
        self._unsent: list[Any] = []
        self._sent = time.monotonic()

    def begin(
        self,
        name: str,
        parameters: Mapping[str, Any],
        tags: dict[str, str],
        folder: Path,
        parent: Tracker | None = None,
        file: str = RUN,
    ) -> None:
        """Start the run, called ``name``, or take it up again; Refusal if that fails.

        Parameters
        ----------
        parameters : nested configuration, recorded under dotted names
        tags : such as versions and commit
        folder : of the run, which remembers its record in ``file`` for the next time
        parent : of which this is a part; it ends whenever a part does
        """
        from mlflow.entities import Param

        self._parent = parent
        if parent is not None and parent.run:
            tags = {**tags, PARENT: parent.run}
        shown = leaves(redact(parameters))
        params = [Param(key, str(value)[:_LONGEST_PARAM]) for key, value in shown]
        try:
            if self._take_up(folder / file):
                return
            client, experiment = self.store.client, self.store.experiment
            made = client.create_run(experiment, self._since, redact(tags), run_name=name)
            self.run = made.info.run_id
            (folder / file).write_text(self.run)
            self._log(params=params)
        except Exception as fault:
            raise Refusal(f"cannot record this run: {first_cause(fault)}; {_ADVICE}") from None

    def begin_once(self, name: str, tags: dict[str, str], folder: Path) -> None:
        """Do what `begin` does for what is in ``folder`` together, in any order."""
        with FileLock(folder / f"{RUN}.lock", timeout=_LOCK_SECONDS):
            self.begin(name, {}, tags, folder)

    def _take_up(self, file: Path) -> bool:
        """Continue the record that ``file`` remembers, if this store has it."""
        from mlflow.exceptions import MlflowException

        client = self.store.client
        try:
            known = file.read_text()
            client.update_run(known, status="RUNNING")
        except (OSError, ValueError, MlflowException):  # none yet, or in another store
            return False
        self.run = known
        for name in client.get_run(known).data.metrics:
            self._steps[name] = {point.step for point in client.get_metric_history(known, name)}
        return True

    def record(self, step: int, **metrics: float) -> None:
        """Note metrics at ``step``, but those that have a value there; a later batch sends them."""
        from mlflow.entities import Metric

        for tail, child in self.children.items():
            own = {name: metrics.pop(name) for name in [*metrics] if name.endswith(tail)}
            child.record(step, **{name.removesuffix(tail): value for name, value in own.items()})
        now = int(time.time() * 1000)
        for key, value in metrics.items():
            if step not in self._steps[key]:
                self._steps[key].add(step)
                self._unsent.append(Metric(key, value, now, step))
        if time.monotonic() - self._sent > SEND_SECONDS:
            self._send()

    def finish(self, status: str, metrics: dict[str, float], step: int, files: list[Path]) -> None:
        """Send what is left with the final ``metrics`` and ``files``.

        ``status`` is FINISHED, KILLED or FAILED.  Waits for the store; for `_PATIENCE_SECONDS` at
        most if the user wishes an end.
        """
        self.record(step, **metrics)
        for child in self.children.values():
            child.finish(status, {}, step, [])
        self._send()
        for file in files:
            self._try(self.store.client.log_artifact, self.run, str(file))
        self._try(self.store.client.set_terminated, self.run, status)
        if not self.store.flush():
            self.store.aside.fail("the store did not answer in time")
        if self._parent is not None:
            self._parent.finish(status, {}, 0, [])

    def _send(self) -> None:
        self._try(self._log, metrics=self._unsent)
        self._unsent, self._sent = [], time.monotonic()

    def _log(self, **entries: list[Any]) -> None:
        """Send ``metrics`` or ``params``, as many at once as MLflow takes."""
        for kind, many in entries.items():
            most = _METRICS_A_BATCH if kind == "metrics" else _PARAMS_A_BATCH
            for first in range(0, len(many), most):
                self.store.client.log_batch(self.run, **{kind: many[first : first + most]})

    def _try(self, send: Callable[..., Any], *arguments: Any, **named: Any) -> None:
        """Call ``send`` in the store's thread, unless something has failed before."""
        self.store.send(partial(self.store.aside.do, partial(send, *arguments, **named)))
