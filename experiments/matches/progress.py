"""What the person waiting sees: a bar on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from experiments.matches.results import Tally
from experiments.matches.schedule import Match
from experiments.stats.intervals import win_rate
from experiments.texts import lines, metric

LINE_SECONDS = 5.0
"""Time between lines where there is no terminal."""


COMPILING = "compiling, about a minute the first time"
"""What is waited for before the first game."""


@contextmanager
def stage(console: Console, what: str) -> Iterator[None]:
    """Say what is being waited for, and for how long already, until the block ends."""
    if console.is_terminal:
        with console.status(Text(lines(f"{what} ..."))):
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
    """Games done, the win rate so far with its interval, and the time left.

    Parameters
    ----------
    matches : that are played; the win rate shown is that of a single one
    games : most of each match; a rule may end it earlier
    """

    def __init__(self, console: Console, matches: Sequence[Match], games: int) -> None:
        self._console = console
        self._matches = matches
        self._total = games * len(matches)
        self._started = self._line = time.monotonic()
        self._held: int | None = None
        self.rates: dict[str, float] = {}
        self._bar = Progress(
            TextColumn("games"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("games", total=self._total, rate="")

    def __enter__(self) -> GamesPlayed:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def update(self, tallies: Sequence[Tally]) -> bool:
        """Show the state of the run, to be called often; return whether it was time for that."""
        now, games = time.monotonic(), sum(tally.games for tally in tallies)
        if self._held is None:
            self._held = games
        due = now - self._line >= (0.25 if self._console.is_terminal else LINE_SECONDS)
        if not due:
            return False
        self._line = now
        text = self._rates(tallies)
        if self._console.is_terminal:
            self._bar.update(self._task, completed=games, rate=text)
            return True
        pace = (games - self._held) / (now - self._started)
        left = round((self._total - games) / pace) if pace else 0
        tail = f"{left // 60}:{left % 60:02d} left" if pace else f"{now - self._started:.0f} s"
        told = (f"  {games}/{self._total} games", text, tail)
        self._console.print(", ".join(filter(None, told)), soft_wrap=True)
        return True

    def _rates(self, tallies: Sequence[Tally]) -> str:
        """Note the win rates so far, and return that of the only match in words."""
        self.rates = {"games": float(sum(tally.games for tally in tallies))}
        text = ""
        for match, tally in zip(self._matches, tallies, strict=True):
            if match.measured is None or not tally.games:
                continue
            rate = win_rate(int(match.won(tally.winner(), 0).sum()), tally.games)
            alone = len(self._matches) == 1
            self.rates["win_rate" if alone else f"win_rate/{metric(match.name)}"] = rate.value
            text = f"won {rate}" if alone else ""
        return text
