"""Progress of matches: a bar on a terminal, periodic lines elsewhere."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from experiments.matches.monitor import verdicts
from experiments.matches.results import Tally
from experiments.matches.schedule import Match, control_of
from experiments.stats.sprt import MINIMUM
from experiments.stats.stopping import EVERY_GAME, Stop
from experiments.texts import lines
from mcts.kernel import waiting

LINE_SECONDS = 10.0
"""Time between lines without a terminal."""

FEW_MATCHES, WIDE = 5, 150
"""Maximum number of matches whose win rates fit on a line, and columns that they need with bars."""


@dataclass(frozen=True)
class Compiling:
    """The stage before the first game; its text shows the progress.

    Attribute ``searches``: whether some player searches, which doubles the number of functions.
    """

    searches: bool = True

    def __str__(self) -> str:
        from mcts.kernel.compile import PLAYING, SEARCHING, count_functions  # imports Numba

        done, total = count_functions(), SEARCHING if self.searches else PLAYING
        if not done:
            return "loading compiled code"
        far = f"{done} of up to {max(done, total)} functions"
        return f"compiling, a minute or two the first time: {far}"

    def __rich__(self) -> Text:
        return Text(lines(f"{self} ..."))


COMPILING = Compiling()


@contextmanager
def stage(console: Console, what: str | Compiling) -> Iterator[None]:
    """Show the current stage and its duration until the block ends."""
    waiting.leave_to_caller()
    if console.is_terminal:
        with console.status(what if isinstance(what, Compiling) else Text(lines(f"{what} ..."))):
            yield
        return
    started, ended = time.monotonic(), Event()
    console.print(f"{what} ...", soft_wrap=True)

    def remind() -> None:
        while not ended.wait(LINE_SECONDS):
            console.print(f"  {what}, {time.monotonic() - started:.0f} s", soft_wrap=True)

    Thread(target=remind, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def describe_rest(left: int, done: int, seconds: float) -> str:
    """Return the time left for ``left`` more at the pace so far; ``left`` if none is done."""
    if not done:
        return f"{seconds:.0f} s"
    rest = round(left * seconds / done)
    return f"{rest // 60}:{rest % 60:02d} left"


def bars(console: Console, *extra: str) -> Progress:
    """Return progress bars with the time left; on a terminal only.

    ``extra``: further text columns, after the numbers.
    """
    shown = (BarColumn(), MofNCompleteColumn(), *map(TextColumn, extra))
    left = (TimeRemainingColumn(), TextColumn("left"))
    description = TextColumn("{task.description}")
    columns = (description, *shown, *left)
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)


class GamesPlayed:
    """Games done, the win rate or difference so far with its interval, and the time left.

    For a sequential test, also its progress to a verdict; the interval is anytime-valid.
    ``matches``: being played; win rates are shown for one and for some, a difference for two;
    ``games``: maximum per match; ``stop``: the stopping rule.
    """

    def __init__(
        self, console: Console, matches: Sequence[Match], games: int, stop: Stop = EVERY_GAME
    ) -> None:
        self._console = console
        self._matches = matches
        self._stop = stop
        self._total = games * len(matches)
        self._started = self._line = time.monotonic()
        self._before: int | None = None
        self._pace = (0, self._started)  # games at a time, from which the pace is measured
        self._bar = bars(console, "{task.fields[rate]}")
        self._task = self._bar.add_task("games", total=self._total, rate="")

    def __enter__(self) -> Self:
        waiting.leave_to_caller()
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def update(self, tallies: Sequence[Tally]) -> bool:
        """Show the run's state; to be called often; return whether it was due."""
        now, games = time.monotonic(), sum(tally.games for tally in tallies)
        if self._before is None:
            self._before = games
        if self._pace[0] <= self._before < games:  # the first games also wait for compiled code
            self._pace = games, now
        due = now - self._line >= (0.25 if self._console.is_terminal else LINE_SECONDS)
        if not due:
            return False
        self._line = now
        text = self._rate(tallies)
        if self._console.is_terminal:
            self._bar.update(self._task, completed=games, rate=text)
            return True
        first, since = self._pace
        done = games - first if games > self._before else 0
        tail = describe_rest(self._total - games, done, now - (since if done else self._started))
        parts = (f"  {games}/{self._total} games", text, tail)
        self._console.print(", ".join(filter(None, parts)), soft_wrap=True)
        return True

    def _rate(self, tallies: Sequence[Tally]) -> str:
        """Describe the state of the run: rates of up to `FEW_MATCHES` matches, and of a test."""
        parts = [self._standing(tallies)]
        found = list(verdicts(self._matches, tallies, self._stop))
        if len(found) == 1 and found[0].verdict.games:
            verdict = found[0].verdict
            towards = "H1" if verdict.llr > 0 else "H0"
            parts.append(
                f"LLR {verdict.llr:.2f}, {abs(verdict.progress):.0%} of the way to {towards}"
            )
            if verdict.games_left is not None and verdict.games >= MINIMUM:
                parts.append(f"about {verdict.games_left:,} games to a verdict")
        return ", ".join(filter(None, parts))

    def _standing(self, tallies: Sequence[Tally]) -> str:
        first = self._matches[0]
        narrow = self._console.is_terminal and self._console.width < WIDE
        if first.measured is None or len(self._matches) > (2 if narrow else FEW_MATCHES):
            return ""
        if len(self._matches) > 2:
            rates = [
                f"{match.labels[0]} {match.wins_of(tally.winner(), 0).sum() / tally.games:.0%}"
                for match, tally in zip(self._matches, tallies, strict=True)
                if tally.games
            ]
            return "won so far: " + ", ".join(rates) if rates else ""
        if len(self._matches) == 1:
            wins, games = first.wins_of(tallies[0].winner(), 0).sum(), tallies[0].games
            return f"won {self._stop.win_rate(int(wins), games)}" if games else ""
        games = min(tally.prefix for tally in tallies)
        if control_of(self._matches, 1) is None or not games:
            return ""
        won = [
            match.wins_of(tally.winner(games), 0)
            for match, tally in zip(self._matches, tallies, strict=True)
        ]
        return f"difference {self._stop.difference(*won)}"
