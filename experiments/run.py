"""The frame of every long job: its folder, plan, interrupts and summary.

Studies (`experiments.study`), comparisons and sweep trials (`experiments.runs.match_run`) and
sweeps (`experiments.sweep.job`) are `Run`s:

* a folder belongs to one process at a time (`Run.lock`);
* the plan is written first and must not change: `Run.load_plan`, `Run.check_same`;
* ``run.resume`` continues a folder, or begins in an empty or missing one;
* from `Run.defer` on, Ctrl-C sets an event, and work ends where nothing is lost;
* ``summary.json`` holds the results and their provenance (`Run.write_summary`).

This module imports nothing slow.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path
from threading import Event
from typing import Any

from filelock import FileLock, Timeout
from rich.console import Console

from experiments import terminal
from experiments.provenance.files import (
    CONFIG,
    WRITING,
    clear,
    read_json,
    reading,
    refuse_symlinks,
    write_json,
    write_settings,
    writing,
)
from experiments.settings import signals
from experiments.settings.commandline import Aside, Refusal
from experiments.texts import redact

LOCK = ".lock"
"""Lock file in the folder, held by the process that writes there."""

UNKNOWN = "without it the run cannot be identified; choose another folder"
"""Advice where a folder's plan cannot be read."""

MAKE_ROOM = "free disk space and continue with run.resume"

_ABSENT = "nothing"


class Busy(Refusal):
    """Another process holds the folder's lock."""


class Run:
    """A job in ``folder``.

    ``resume``: whether the folder may already hold a run; ``plan``: file with the plan; ``marks``:
    patterns of further files that identify a run; ``console``: for messages.

    Attributes
    ----------
    folder, plan, resume, console : as given
    wished : event set when the user asks to end, within `defer`
    """

    def __init__(
        self,
        folder: Path,
        resume: bool = True,
        plan: str = CONFIG,
        marks: Sequence[str] = (),
        console: Console | None = None,
    ) -> None:
        self.folder, self.plan, self.console = folder, folder / plan, console or terminal.console()
        self.wished = Event()
        self.resume, self._marks = resume, (plan, *marks)
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the run was created."""
        return time.monotonic() - self._started

    def refuse_foreign(self, *more: str) -> None:
        """Refuse a run.resume folder that holds files but no run.

        Files matching the marks or ``more`` identify a run.
        """
        if not self.resume:
            return
        with writing_run(self.folder):
            found = self.folder.iterdir() if self.folder.is_dir() else ()
            there = sorted(path.name for path in found)
        others = [name for name in there if name != LOCK and not name.endswith(WRITING)]
        marks = (*self._marks, *more)
        if others and not any(fnmatch(name, mark) for name in there for mark in marks):
            raise Refusal(
                f"run.resume={self.folder}: it holds {others[0]} and no run to continue; give "
                "the folder of a run, or an empty or missing one"
            )

    @contextmanager
    def lock(self, seconds: float = 0.0) -> Iterator[None]:
        """Lock the folder for the block, creating it if missing.

        ``seconds``: longest wait for the lock.  Raises Busy if another process holds it, Refusal if
        the folder cannot be written to.
        """
        with writing_run(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            try:
                lock = FileLock(self.folder / LOCK, timeout=seconds).acquire()
            except Timeout:
                raise Busy(
                    f"{self.folder} is in use by another process: wait until it ends, or "
                    "choose another folder"
                ) from None
        with lock:
            clear(self.folder)
            yield

    def load_plan(self, read: Callable[[Path], Any] = read_json) -> dict[str, Any] | None:
        """Return the folder's plan, None if it holds no run.

        Raises Refusal if the run may not or cannot be continued.
        """
        if not any(any(self.folder.glob(mark)) for mark in self._marks):
            return None
        if not self.resume:
            raise Refusal(
                f"{self.folder} holds the results of another run: choose another run.folder, or "
                f"continue it with run.resume={self.folder}"
            )
        refuse_symlinks(self.folder)
        with reading(self.plan, UNKNOWN):
            found = read(self.plan)
            if not isinstance(found, dict):
                raise ValueError("it is not a mapping")
            return found

    def check_same(self, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        """Refuse to continue if the settings ``now`` differ from ``before``."""
        differ = list(differences(*map(redact, (before, now))))
        if differ:
            more = f" and {len(differ) - 3} more" if len(differ) > 3 else ""
            raise Refusal(
                f"{self.folder} was played with other settings: {'; '.join(differ[:3])}{more}: "
                "give those, or choose another folder"
            )

    def write_settings(self, settings: Mapping[str, Any]) -> Path:
        """Write plain ``settings`` to `CONFIG` and return its path; Refusal if that fails."""
        with writing_run(self.folder):
            return write_settings(self.folder, settings)

    @contextmanager
    def defer(self) -> Iterator[None]:
        """Have an interrupt set `wished` within the block instead of raising."""
        with signals.defer() as self.wished:
            yield

    def going(self) -> bool:
        """Return whether the user has not asked to end."""
        return not self.wished.is_set()

    def write_summary(self, figures: Mapping[str, Any]) -> Path:
        """Write ``figures`` to ``summary.json`` and return its path; may raise OSError."""
        return write_json(self.folder, dict(figures))

    def draw(self, names: Sequence[str], draw: Callable[[Path], object]) -> list[Path]:
        """Draw the plots ``names`` into the folder with ``draw``; return the paths that exist.

        Older plots are removed first.  A failing plot is reported and costs no result.
        """
        paths = [self.folder / name for name in names]
        for path in paths:
            path.unlink(missing_ok=True)
        Aside("the plot is missing").do(lambda: draw(self.folder))
        return [path for path in paths if path.exists()]

    def discard(self) -> None:
        """Remove the folder if it is empty."""
        with suppress(OSError):
            self.folder.rmdir()


def writing_run(
    folder: Path, advice: str = "choose another folder"
) -> AbstractContextManager[None]:
    """Turn errors of writing to a run folder into Refusal."""
    return writing(f"the run folder: {folder}", advice)


def differences(before: Any, now: Any, path: str = "") -> Iterator[str]:
    """Yield where two nested values differ, as ``path was before there and is now``."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in {**before, **now}:
            if key != "_target_":  # where a player's code lives is not a setting
                below = f"{path}.{key}".lstrip(".")
                yield from differences(before.get(key, _ABSENT), now.get(key, _ABSENT), below)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, pair in enumerate(zip(before, now, strict=True)):
            yield from differences(*pair, f"{path}.{number}")
    elif before != now:
        texts = map(json.dumps, (before, now))
        there, here = (text if len(text) <= 60 else f"{text[:57]}..." for text in texts)
        yield f"{path} was {there} there and is {here} now"
