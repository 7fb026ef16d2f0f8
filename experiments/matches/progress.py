"""Progress of matches: a bar on a terminal, a line every few seconds elsewhere."""

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
from experiments.texts import lines

LINE_SECONDS = 5.0
"""Time between lines where there is no terminal."""


class Compiling:
    """The stage before the first game; as text it says how far it is."""

    def __str__(self) -> str:
        from mcts.kernel.progress import count_functions  # imports Numba

        done = count_functions()
        return f"compiling, about a minute the first time{f': {done} functions' if done else ''}"

    def __rich__(self) -> Text:
        return Text(lines(f"{self} ..."))


COMPILING = Compiling()


@contextmanager
def stage(console: Console, what: str | Compiling) -> Iterator[None]:
    """Say what is being waited for, and for how long already, until the block ends."""
    if console.is_terminal:
        with console.status(what if isinstance(what, Compiling) else Text(lines(f"{what} ..."))):
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
        text = self._rate(tallies)
        if self._console.is_terminal:
            self._bar.update(self._task, completed=games, rate=text)
            return True
        pace = (games - self._held) / (now - self._started)
        left = round((self._total - games) / pace) if pace else 0
        tail = f"{left // 60}:{left % 60:02d} left" if pace else f"{now - self._started:.0f} s"
        parts = (f"  {games}/{self._total} games", text, tail)
        self._console.print(", ".join(filter(None, parts)), soft_wrap=True)
        return True

    def _rate(self, tallies: Sequence[Tally]) -> str:
        """Return the win rate of the only match so far in words, nothing of several."""
        match, tally = self._matches[0], tallies[0]
        if len(self._matches) > 1 or match.measured is None or not tally.games:
            return ""
        return f"won {win_rate(int(match.wins_of(tally.winner(), 0).sum()), tally.games)}"
