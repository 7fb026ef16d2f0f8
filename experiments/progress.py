"""What the person waiting sees: a bar on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from experiments.statistics import win_rate

LINE_SECONDS = 5.0
"""Time between lines where there is no terminal."""


@contextmanager
def stage(console: Console, what: str) -> Iterator[None]:
    """Say what is being waited for, and for how long already, until the block ends."""
    if console.is_terminal:
        with console.status(f"{what} ..."):
            yield
        return
    started, ended = time.monotonic(), Event()
    console.print(f"{what} ...", soft_wrap=True)

    def remind() -> None:
        while not ended.wait(2 * LINE_SECONDS):
            console.print(f"  still {what}, {time.monotonic() - started:.0f} s", soft_wrap=True)

    Thread(target=remind, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


class GamesPlayed:
    """Games done, the win rate so far with its interval, and the time left."""

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._total = total
        self._started = self._line = time.monotonic()
        self._bar = Progress(
            TextColumn("games"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("won {task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("games", total=total, rate="-")

    def __enter__(self) -> GamesPlayed:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def update(self, games: int, wins: int) -> None:
        """Show the state of the run; to be called often, also when nothing has changed."""
        now = time.monotonic()
        if self._console.is_terminal:
            rate = str(win_rate(wins, games)) if games else "-"
            self._bar.update(self._task, completed=games, rate=rate)
        elif now - self._line >= LINE_SECONDS:
            self._line = now
            self._console.print(self._text(games, wins, now - self._started))

    def _text(self, games: int, wins: int, elapsed: float) -> str:
        if not games:
            return f"  0/{self._total} games, {elapsed:.0f} s"
        left = round(elapsed / games * (self._total - games))
        return (
            f"  {games}/{self._total} games, won {win_rate(wins, games)}, "
            f"{left // 60}:{left % 60:02d} left"
        )
