"""Progress of a sweep: two bars on a terminal, lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from experiments.matches.progress import LINE_SECONDS, Compiling, bars, stage


class SweepProgress:
    """Trials done, and games of the current one.  ``trials``: of the whole sweep."""

    def __init__(self, console: Console, trials: int) -> None:
        self._console, self._total = console, trials
        self._what, self._games, self._line = "", 0, time.monotonic()
        self._bars = bars(console)
        self._trials = self._bars.add_task("trials", total=trials)
        self._now = self._bars.add_task("games", total=None)

    def __enter__(self) -> SweepProgress:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    @contextmanager
    def stage(self, what: str | Compiling) -> Iterator[None]:
        """Show the current stage in place of the bars."""
        self._bars.stop()
        with stage(self._console, what):
            yield
        self._bars.start()

    def begin(self, what: str, games: int) -> None:
        """Show that ``what`` now plays ``games`` games."""
        self._what, self._games, self._line = what, games, time.monotonic()
        self._bars.reset(self._now, total=games, description=f"games of {what}")

    def games(self, done: int) -> None:
        """Show the games done by the current trial; to be called often."""
        self._bars.update(self._now, completed=done)
        now = time.monotonic()
        if not self._console.is_terminal and now - self._line > LINE_SECONDS:
            self._line = now
            self._console.print(f"  {self._what}: {done}/{self._games} games", soft_wrap=True)

    def end_trial(self, number: int, outcome: str) -> None:
        """Show that trial ``number`` has ended, with ``outcome`` in words."""
        self._bars.update(self._trials, completed=number + 1)
        self._console.print(
            f"trial {number} ({number + 1}/{self._total}): {outcome}", soft_wrap=True
        )

    def count_earlier(self, trials: int) -> None:
        """Show the number of trials played before."""
        self._bars.update(self._trials, completed=trials)
        if trials:
            self._console.print(f"{trials} of {self._total} trials were played before")
