"""Folders of runs: one process at a time writes there, and what is played must not change."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from experiments.provenance.files import WRITING, clear, own, read_json, reading, writing
from experiments.settings.commandline import Refusal
from experiments.texts import redact

LOCK = ".lock"
"""File in the folder that the process which writes there holds locked."""

UNKNOWN = "without it nobody knows what was played there; choose another folder"
"""Advice where the plan of a folder cannot be read."""

_ABSENT = "nothing"


class Busy(Refusal):
    """Another process holds the folder."""


class RunFolder:
    """A folder to begin in, or to go on with.

    ``plan``: the file in it that says what is played, from the beginning; ``resume``: whether it
    may hold a run; ``marks``: patterns of further files by which one is known.
    """

    def __init__(self, path: Path, plan: str, resume: bool, *marks: str) -> None:
        self.path, self.plan = path, path / plan
        self._resume, self._marks = resume, (plan, *marks)

    def refuse_foreign(self, *more: str) -> None:
        """Refuse to begin in a folder, named by run.resume, that holds something else.

        That is, files, and none of the marks or ``more``.
        """
        if not self._resume:
            return
        with writing_run(self.path):
            there = sorted(path.name for path in self.path.iterdir()) if self.path.is_dir() else []
        others = [name for name in there if name != LOCK and not name.endswith(WRITING)]
        if others and not any(
            fnmatch(name, mark) for name in there for mark in (*self._marks, *more)
        ):
            raise Refusal(
                f"run.resume={self.path}: it holds {others[0]} and no run to go on with; give the "
                "folder of a run, or one that is empty or missing"
            )

    @contextmanager
    def lock(self, seconds: float = 0.0) -> Iterator[None]:
        """Hold the folder, made if missing, for the block; ``seconds``: longest wait for others.

        Raises Busy, Refusal if another process holds it; if it cannot be written to.
        """
        with writing_run(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                lock = FileLock(self.path / LOCK, timeout=seconds).acquire()
            except Timeout:
                raise Busy(
                    f"{self.path} is being played by another process: wait for its end, or choose "
                    "another folder"
                ) from None
        with lock:
            clear(self.path)
            yield

    def load_plan(self, read: Callable[[Path], Any] = read_json) -> dict[str, Any] | None:
        """Return the plan that the folder holds, None if it holds no run.

        Raises Refusal if it is not to be gone on with, or cannot be.
        """
        if not any(any(self.path.glob(mark)) for mark in self._marks):
            return None
        if not self._resume:
            raise Refusal(
                f"{self.path} holds the results of another run: choose another run.folder, or go "
                f"on with it by run.resume={self.path}"
            )
        own(self.path)
        with reading(self.plan, UNKNOWN):
            found = read(self.plan)
            if not isinstance(found, dict):
                raise ValueError("it is no mapping")
            return found

    def check_same(self, held: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
        """Refuse to go on with other settings than those ``held``."""
        differ = list(differences(*map(redact, (held, asked))))
        if differ:
            more = f" and {len(differ) - 3} more" if len(differ) > 3 else ""
            raise Refusal(
                f"{self.path} was played with other settings: {'; '.join(differ[:3])}{more}: "
                "give those, or choose another folder"
            )


def writing_run(
    folder: Path, advice: str = "choose another folder"
) -> AbstractContextManager[None]:
    """Refuse what the block cannot write to a run folder."""
    return writing(f"the run folder: {folder}", advice)


def differences(held: Any, asked: Any, path: str = "") -> Iterator[str]:
    """Yield where two nested values differ, as ``path: held there, asked now``."""
    if isinstance(held, Mapping) and isinstance(asked, Mapping):
        for key in {**held, **asked}:
            if key == "_target_":  # where the code of a player stands is no setting of a run
                continue
            below = f"{path}.{key}".lstrip(".")
            yield from differences(held.get(key, _ABSENT), asked.get(key, _ABSENT), below)
    elif isinstance(held, list) and isinstance(asked, list) and len(held) == len(asked):
        for number, pair in enumerate(zip(held, asked, strict=True)):
            yield from differences(*pair, f"{path}.{number}")
    elif held != asked:
        there, now = (
            text if len(text) <= 60 else f"{text[:57]}..."
            for text in map(json.dumps, (held, asked))
        )
        yield f"{path} was {there} there and is {now} now"
