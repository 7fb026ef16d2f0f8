"""The frame of every long job: its folder, plan, interrupts and summary.

Studies (`experiments.study`), comparisons and sweep trials (`experiments.runs.match_run`) and
sweeps (`experiments.sweep.job`) are `Run`s:

* one process at a time holds the folder's lock (`Run.lock`); others may share its games
  (`Run.join`, `experiments.matches.claims`);
* the plan is written first and must not change: `Run.load_plan`, `Run.check_same`;
* a folder that holds the same plan is continued, by the same command;
* from `Run.defer` on, Ctrl-C sets an event, and work ends where nothing is lost;
* ``summary.json`` holds the results and their provenance (`Run.write_summary`).

This module imports nothing slow.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any

from rich.console import Console

from experiments import terminal
from experiments.locks import Busy, hold
from experiments.provenance.files import (
    CONFIG,
    SUMMARY,
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

UNKNOWN = "without it the run cannot be identified; choose another folder"
"""Advice where a folder's plan cannot be read."""

MAKE_ROOM = "free disk space and start the same command on the same run.folder"

OF_RUNS = (CONFIG, SUMMARY, "matches.json", "sweep.json")
"""Files by which a folder of a run is known."""

CLAIM_SECONDS = 5.0
"""Longest wait for a process that writes the plan to the same folder."""

_ABSENT = "nothing"


class Run:
    """A job in ``folder``.

    ``plan``: file with the plan; ``marks``: patterns of further files that identify a run;
    ``console``: for messages.

    Attributes
    ----------
    folder, plan, console : as given
    leads : whether this process holds the folder's lock, within `join`
    wished : event set when the user asks to end, within `defer`
    """

    def __init__(
        self,
        folder: Path,
        plan: str = CONFIG,
        marks: Sequence[str] = (),
        console: Console | None = None,
    ) -> None:
        self.folder, self.plan, self.console = folder, folder / plan, console or terminal.console()
        self.wished = Event()
        self._marks = (plan, *marks)
        self._started = time.monotonic()
        self.leads = False

    @property
    def seconds(self) -> float:
        """Seconds since the run was created."""
        return time.monotonic() - self._started

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder for the block, creating it if missing.

        Raises Busy if another process holds it, Refusal if the folder cannot be written to.
        """
        with writing_run(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        with hold(self.folder):
            clear(self.folder)
            yield

    def write_plan(self, examine: Callable[[], bool], write: Callable[[], object]) -> None:
        """Have one process ``write`` the plan, unless ``examine`` finds it or refuses.

        Raises Busy if another process holds the lock for long and writes no plan.
        """
        end = time.monotonic() + CLAIM_SECONDS
        while not examine():
            try:
                with self.lock():
                    if not examine():
                        with writing_run(self.folder):
                            write()
                    return
            except Busy:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    @contextmanager
    def join(self) -> Iterator[None]:
        """Share the run with other processes within the block: `lead` says who concludes it."""
        with ExitStack() as self._held:
            self._held.callback(setattr, self, "leads", False)
            self.lead()
            yield

    def lead(self) -> bool:
        """Return whether this process holds the folder's lock, or now takes it.

        The one that does writes the record, the summary and the plots of a run that is shared.
        """
        if not self.leads:
            with suppress(Busy):
                self._held.enter_context(self.lock())
                self.leads = True
        return self.leads

    def load_plan(self, read: Callable[[Path], Any] = read_json) -> dict[str, Any] | None:
        """Return the folder's plan, None if it holds no run.

        Raises Refusal if the run may not or cannot be continued.
        """
        if not any(any(self.folder.glob(mark)) for mark in self._marks):
            if other := next((name for name in OF_RUNS if (self.folder / name).exists()), None):
                raise Refusal(
                    f"{self.folder} holds {other} of another kind of run: choose another run.folder"
                )
            return None
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

    def has_summary(self, figures: Mapping[str, Any]) -> bool:
        """Return whether the folder's summary is that of a whole run with these ``figures``."""
        try:
            held = read_json(self.folder / SUMMARY)
        except (OSError, ValueError):
            return False
        return bool(held == {**held, **json.loads(json.dumps(figures)), "interrupted": False})

    def draw(self, names: Sequence[str], draw: Callable[[Path], object]) -> list[Path]:
        """Draw the plots ``names`` into the folder with ``draw``; return the paths that exist.

        Older plots are removed first.  A failing plot is reported and costs no result.
        """
        paths = [self.folder / name for name in names]
        for path in paths:
            path.unlink(missing_ok=True)
        Aside("the plot is missing").do(lambda: draw(self.folder))
        return [path for path in paths if path.exists()]


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
