"""Get everything slow ready at the same time: compiled code, Ray, the MLflow record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from experiments.matches import lineups
from experiments.matches.match_loop import Resources
from experiments.matches.progress import COMPILING, stage
from experiments.matches.schedule import Match
from experiments.provenance import provenance, tracking
from experiments.settings import config


@dataclass(frozen=True)
class Ready:
    """What a run is played with.

    Attributes
    ----------
    resources : workers and cores
    tracker : the MLflow record, None if tracking is off
    """

    resources: Resources
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


def prepare(
    settings: DictConfig, matches: Sequence[Match], folder: Path, console: Console
) -> Ready:
    """Compile, start Ray and open the record; return when the first game can be played.

    Raises
    ------
    Refusal
        If the tracking server or the Ray cluster cannot be reached, or has too few cores.
    """
    home = _home(folder)
    uri = settings.tracking.uri or tracking.default_uri(home)
    recording = None
    if settings.tracking.enabled:
        tracking.check_reachable(uri)
        recording = _Background(_open_record, settings, home, uri)
    compiling = _Background(_warm, matches)
    ready = resources(matches, settings.match.workers, settings.ray.address, console)
    tracker = None
    if recording is not None:
        with stage(console, f"opening the MLflow record in {uri}"):
            tracker = recording.result()
    with stage(console, COMPILING):
        compiling.result()
    if tracker is not None:
        _begin_record(tracker, settings, folder, home)
    return Ready(ready, tracker)


def resources(
    matches: Sequence[Match], workers: int | None, address: str | None, console: Console
) -> Resources:
    """Start Ray, or connect to it, and return with what ``matches`` are played.

    Raises
    ------
    Refusal
        If there is no such cluster, or it has too few cores.
    """
    from experiments.matches import runner

    starting = _Background(runner.start, address, config.cores())
    with stage(console, "starting Ray"):
        cores = starting.result()
    lineups.check_cores(matches, workers, cores)
    at_once = [lineups.at_once(each, workers, cores) for each in matches]
    cpus = (
        0.0 if each.rooted else _reserved(each.threads, cores / n)
        for each, n in zip(matches, at_once, strict=True)
    )
    return Resources(tuple(at_once), tuple(cpus), address, cores)


def _warm(matches: Sequence[Match]) -> None:
    from experiments.matches import play

    for each in matches:
        play.warm(each)


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
    """Begin the record of a run; one of a sweep is a part of the record of the sweep."""
    hydra, parent = HydraConfig.get(), None
    if hydra.mode is RunMode.MULTIRUN:
        sweep, parent = Path(hydra.sweep.dir).resolve(), tracker.beside()
        parent.begin(sweep.name, {}, tags(sweep), sweep)
    name = folder.resolve().relative_to(home).as_posix()  # <sweep>/<job> in a sweep
    parameters = OmegaConf.to_container(settings, resolve=True)
    tracker.begin(name, parameters, tags(folder), folder, parent)


def tags(folder: Path) -> dict[str, str]:
    """Return what the record of a run in ``folder`` says of where it comes from."""
    found = {f"version.{name}": number for name, number in provenance.versions().items()}
    found |= {"command": provenance.command(), "folder": str(folder.resolve())}
    commit = provenance.commit()
    return found if commit is None else {**found, "mlflow.source.git.commit": commit}


def _reserved(threads: int, share: float) -> float:
    """Return the cores to reserve for a game: its threads, or its share when oversubscribed.

    Above one Ray takes whole cores only.
    """
    cpus = min(float(threads), share)
    return cpus if cpus < 1 else float(int(cpus))
