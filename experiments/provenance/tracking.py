"""The MLflow record of a run: written by the driver only, in batches, without blocking.

A failure costs the record, not the run: results are on disk, one line reports the failure, nothing
more is sent, and a resumed run completes the record.  A thread sends, so that a slow store delays
nothing.
"""

from __future__ import annotations

import logging
import os
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import cache, partial
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any

from filelock import FileLock
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import OmegaConf

from experiments.provenance.mounts import shared_by_hosts
from experiments.settings import signals
from experiments.settings.commandline import Aside, Refusal, first_cause, say
from experiments.settings.config import leaves
from experiments.texts import redact

SEND_SECONDS = 10.0
"""Time between batches of metrics; a batch takes about 20 ms, whatever its size."""

RUN = "mlflow_run.txt"
"""File in the run folder with the id of its record, for a resumed run."""

PARENT = "mlflow.parentRunId"
"""Tag by which MLflow nests a run under another."""

MISSING = "the MLflow record is incomplete"
"""Message for a failed record."""

_ADVICE = "check tracking.uri and MLFLOW_TRACKING_* variables, or set tracking.enabled=false"

_LOCK_SECONDS = 60
"""Longest wait for other runs that create or write the same database."""

_PATIENCE_SECONDS = 3.0
"""Longest wait for a store when the user asks to end."""

_LOOK_SECONDS = 0.1

_METRICS_A_BATCH = 900
_PARAMS_A_BATCH = 100
_LONGEST_PARAM = 6000

# Read by MLflow.  By default it reports each call to an external host, blocks for four minutes on a
# server that is down, and prints the address of a run including its password.
_ENVIRONMENT = {
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
}


def choose_uri(given: str | None, home: Path) -> str:
    """Return the tracking URI: ``given``, else MLflow's own variable, else a file in ``home``."""
    return given or os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{home / 'mlflow.db'}"


def check_uri(uri: str) -> None:
    """Refuse an address that names no tracking server or database."""
    if "://" not in uri and uri != "databricks":
        raise Refusal(
            f"tracking.uri={uri}: give sqlite:///file.db, http://server:port or https://..."
        )


_ON_THIS_HOST = ("BasicLauncher", "JoblibLauncher", "LocalLauncher", "RayLauncher")
"""Hydra's launchers whose runs are on this host: its own, joblib's, submitit's local one, Ray's."""


def check_writers(uri: str) -> None:
    """Refuse a SQLite file for a multirun on several hosts; warn if the file is on a shared disk.

    SQLite relies on locks that network file systems grant to one host at a time, if at all.
    """
    if not uri.startswith("sqlite:"):
        return
    remedy = (
        "give tracking.uri=http://SERVER:PORT or MLFLOW_TRACKING_URI, or tracking.enabled=false"
    )
    if HydraConfig.initialized() and HydraConfig.get().mode is RunMode.MULTIRUN:
        launcher = HydraConfig.get().launcher
        name = launcher._target_.rpartition(".")[2]
        if name not in _ON_THIS_HOST or OmegaConf.select(launcher, "ray.init.address"):
            raise Refusal(
                f"{uri} is one file, and the runs of this multirun are on other hosts ({name}): "
                f"{remedy}"
            )
    if kind := shared_by_hosts(_file(uri)):
        _warn(f"{uri} is on {kind}: record to it from one host at a time, or {remedy}")


@cache  # once a process, though a multirun has many records
def _warn(text: str) -> None:
    say("warning", text)


def _file(uri: str) -> Path:
    return Path(uri.removeprefix("sqlite:///").partition("?")[0])


def _import() -> Any:
    """Return MLflow, which reads its own variables on import."""
    for variable, value in _ENVIRONMENT.items():
        os.environ.setdefault(variable, value)
    import mlflow

    for name in ("mlflow", "urllib3"):  # their loggers repeat what `Aside` prints
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return mlflow


def _connect(uri: str) -> Any:
    """Return MLflow's client, which handles credentials and certificates."""
    if uri.startswith("sqlite:") and "timeout=" not in uri:
        uri += f"{'&' if '?' in uri else '?'}timeout={_LOCK_SECONDS}"
    return _import().MlflowClient(uri)


class Store:
    """An experiment of a tracking server or database, created if missing, and its sender thread.

    ``artifacts``: folder for artifacts if ``uri`` is a database; ``aside``: reports an incomplete
    record.  Raises Refusal if it cannot be opened or created.
    """

    def __init__(
        self, uri: str, experiment: str, artifacts: Path, aside: Aside | None = None
    ) -> None:
        self.aside = aside or Aside(MISSING)
        is_file = uri.startswith("sqlite:")
        place = artifacts.resolve().as_uri() if is_file else None
        # Only one process may create the database; SQLite waits 5 s for other writers.
        alone = FileLock(f"{_file(uri)}.lock", timeout=_LOCK_SECONDS) if is_file else nullcontext()
        _import()
        try:
            with alone:
                self.client = _connect(uri)
                found = self.client.get_experiment_by_name(experiment)
                if found is None:
                    self.experiment = self.client.create_experiment(experiment, place)
                else:
                    self.experiment = found.experiment_id
            if found is not None and found.lifecycle_stage == "deleted":
                raise ValueError(
                    f"tracking.experiment={experiment} is deleted: restore it with mlflow "
                    f"experiments restore --experiment-id {self.experiment}, or name another"
                )
        except Exception as fault:  # each kind of store and server raises its own
            raise Refusal(f"cannot record to {uri}: {first_cause(fault)}; {_ADVICE}") from None
        self._waiting: SimpleQueue[Callable[[], None]] = SimpleQueue()
        Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while True:
            self._waiting.get()()

    def send(self, job: Callable[[], None]) -> None:
        """Run ``job`` in the thread, after earlier jobs."""
        self._waiting.put(job)

    def flush(self) -> bool:
        """Wait until all is sent; return False if the user asked to end first."""
        end, left = Event(), _PATIENCE_SECONDS
        self._waiting.put(end.set)
        while not end.wait(_LOOK_SECONDS):
            if signals.was_requested():
                left -= _LOOK_SECONDS
                if left < 0:
                    return False
        return True


class Tracker:
    """An MLflow run in a ``store``, begun at the time ``since``, or now.

    Attributes
    ----------
    run : its id in the store, empty before it has begun
    """

    def __init__(self, store: Store, since: float | None = None) -> None:
        self.store, self.run = store, ""
        self._since = int(1000 * (since or time.time()))
        self._steps: dict[str, set[int]] = defaultdict(set)
        self._unsent: list[Any] = []
        self._sent = time.monotonic()

    def begin(
        self,
        name: str,
        parameters: Mapping[str, Any],
        tags: dict[str, str],
        folder: Path,
        parent: str = "",
    ) -> None:
        """Start or resume the run ``name``; Refusal if that fails.

        Parameters
        ----------
        parameters : nested configuration, recorded under dotted names
        tags : such as versions and commit
        folder : of the run, which stores the record's id in `RUN`
        parent : id of the record that contains this one
        """
        from mlflow.entities import Param

        if parent:
            tags = {**tags, PARENT: parent}
        shown = leaves(redact(parameters))
        params = [Param(key, str(value)[:_LONGEST_PARAM]) for key, value in shown]
        try:
            if self._take_up(folder / RUN):
                return
            client, experiment = self.store.client, self.store.experiment
            made = client.create_run(experiment, self._since, redact(tags), run_name=name)
            self.run = made.info.run_id
            (folder / RUN).write_text(self.run)
            self._log(params=params)
        except Exception as fault:
            raise Refusal(f"cannot record this run: {first_cause(fault)}; {_ADVICE}") from None

    def _take_up(self, file: Path) -> bool:
        """Resume the record named in ``file``, if this store has it."""
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
        """Queue metrics at ``step``, except those already recorded there, for a later batch."""
        from mlflow.entities import Metric

        now = int(time.time() * 1000)
        for key, value in metrics.items():
            if step not in self._steps[key]:
                self._steps[key].add(step)
                self._unsent.append(Metric(key, value, now, step))
        if time.monotonic() - self._sent > SEND_SECONDS:
            self._send()

    def finish(self, status: str, metrics: dict[str, float], step: int, files: list[Path]) -> None:
        """Send the rest with the final ``metrics`` and ``files``.

        ``status`` is FINISHED, KILLED or FAILED.  Waits for the store; for at most
        `_PATIENCE_SECONDS` if the user asks to end.
        """
        self.record(step, **metrics)
        self._send()
        for file in files:
            self._try(self.store.client.log_artifact, self.run, str(file))
        self._try(self.store.client.set_terminated, self.run, status)
        if not self.store.flush():
            self.store.aside.fail("the store did not answer in time")

    def _send(self) -> None:
        self._try(self._log, metrics=self._unsent)
        self._unsent, self._sent = [], time.monotonic()

    def _log(self, **entries: list[Any]) -> None:
        """Send ``metrics`` or ``params``, in batches of MLflow's maximum size."""
        for kind, many in entries.items():
            batch = _METRICS_A_BATCH if kind == "metrics" else _PARAMS_A_BATCH
            for first in range(0, len(many), batch):
                self.store.client.log_batch(self.run, **{kind: many[first : first + batch]})

    def _try(self, send: Callable[..., Any], *arguments: Any, **named: Any) -> None:
        """Call ``send`` in the store's thread, unless an earlier call has failed."""
        self.store.send(partial(self.store.aside.do, partial(send, *arguments, **named)))
