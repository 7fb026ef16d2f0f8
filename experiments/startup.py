"""Get everything slow ready at the same time: compiled code, Ray, the MLflow record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from experiments import config, provenance, tracking
from experiments.progress import stage
from experiments.schedule import Match


@dataclass(frozen=True)
class Ready:
    """What a run is played with.

    Attributes
    ----------
    workers : games at the same time
    cpus : cores that Ray reserves for each
    tracker : the MLflow record, None if tracking is off
    """

    workers: int
    cpus: float
    tracker: tracking.Tracker | None


class _Background(Thread):
    """A job in a thread, whose result or exception `result` hands over.

    A daemon, because Ctrl-C must not wait for a compiler; and it stays when the job is done,
    because the processes that Ray starts end with the thread that started them.
    """

    def __init__(self, job: Callable[..., Any], *arguments: Any) -> None:
        super().__init__(daemon=True)
        self._job, self._arguments = job, arguments
        self._value: Any = None
        self._fault: BaseException | None = None
        self._done = Event()
        self.start()

    def run(self) -> None:
        try:
            self._value = self._job(*self._arguments)
        except BaseException as fault:
            self._fault = fault
        self._done.set()
        Event().wait()

    def result(self) -> Any:
        self._done.wait()
        if self._fault is not None:
            raise self._fault
        return self._value


def prepare(settings: DictConfig, match: Match, folder: Path, console: Console) -> Ready:
    """Compile, start Ray and open the record; return when the first game can be played.

    Raises
    ------
    Refusal
        If the tracking server or the Ray cluster cannot be reached, or has too few cores.
    """
    from experiments import play, runner

    home = _home(folder)
    uri = settings.tracking.uri or tracking.default_uri(home)
    recording = None
    if settings.tracking.enabled:
        tracking.check_reachable(uri)
        recording = _Background(_open_record, settings, home, uri)
    compiling = _Background(play.warm, match)
    starting = _Background(runner.start, settings.ray.address, config.cores())
    with stage(console, "starting Ray"):
        cores = starting.result()
    if settings.ray.address is not None:
        config.check_cores(settings, cores)
    tracker = None
    if recording is not None:
        with stage(console, f"opening the MLflow record in {uri}"):
            tracker = recording.result()
    with stage(console, "compiling, up to two minutes the first time"):
        compiling.result()
    if tracker is not None:
        _begin_record(tracker, settings, folder, home)
    workers = config.workers(settings, cores)
    return Ready(
        workers=workers,
        cpus=0.0
        if config.rooted(settings)
        else _reserved(config.threads(settings), cores / workers),
        tracker=tracker,
    )


def _home(folder: Path) -> Path:
    """Return the folder that the run lies in, or for a run of a sweep the one its sweep lies in.

    So that a sweep is one record, together with the runs and sweeps beside it.
    """
    hydra = HydraConfig.get()
    whole = Path(hydra.sweep.dir) if hydra.mode is RunMode.MULTIRUN else folder
    return whole.resolve().parent


def _open_record(settings: DictConfig, home: Path, uri: str) -> tracking.Tracker:
    return tracking.Tracker(uri, settings.tracking.experiment, home / "mlartifacts")


def _begin_record(
    tracker: tracking.Tracker, settings: DictConfig, folder: Path, home: Path
) -> None:
    tags = {f"version.{name}": number for name, number in provenance.versions().items()}
    tags |= {"command": provenance.command(), "folder": str(folder.resolve())}
    commit = provenance.commit()
    if commit is not None:
        tags["mlflow.source.git.commit"] = commit
    name = folder.resolve().relative_to(home).as_posix()  # <sweep>/<job> in a sweep
    tracker.begin(name, OmegaConf.to_container(settings, resolve=True), tags)


def _reserved(threads: int, share: float) -> float:
    """Return the cores to reserve for a game: its threads, or its share when oversubscribed.

    Above one Ray takes whole cores only.
    """
    cpus = min(float(threads), share)
    return cpus if cpus < 1 else float(int(cpus))
