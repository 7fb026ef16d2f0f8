"""The progress of runs that other processes or hosts play, read from their folders alone.

Nothing is locked or written there.  A network lists files late: what is missing is not there *yet*,
and what cannot be read is read again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table

from experiments.matches import part_files
from experiments.matches.progress import describe_rest
from experiments.matches.results import Results
from experiments.matches.row_provenance import MATCHES_FILE
from experiments.provenance.files import SUMMARY, read_json
from experiments.report.run import games_wanted, read_if_there
from experiments.runs import runfolder
from experiments.settings.commandline import Interrupted, Refusal
from experiments.stats import stopping

LOOK_SECONDS, LINE_SECONDS = 3.0, 10.0
"""Time between looks at the folders, and between lines without a terminal."""

_RECENT_SECONDS = 300.0
"""Age of parts, compared with the newest, that count for the pace."""

_SHOWN, _LINES = 20, 5
"""Maximum number of matches shown, on a terminal and elsewhere; the last ones."""

_SLOT = re.compile(r"games-s(\d+)-")

Written = tuple[float, float, int]
"""Of a part: time of writing, games in it, and number of the process that wrote it."""


class Followed:
    """A run, of which each look reads the parts that are new; ``nested``: it is one of several.

    Attributes ``written``: by part; ``fault``: why the last look failed; ``ended``: whether all
    games are there.
    """

    def __init__(self, folder: Path, nested: bool) -> None:
        self._folder, self._nested = folder, nested
        self._played: Results | None = None
        self._wanted: list[int | None] = []
        self.written: dict[str, Written] = {}
        self.fault, self.ended = "", False

    def look(self) -> None:
        """Read what is new."""
        try:
            played = self._played
            if played is None or self.fault:
                played = Results(self._folder, runfolder.read_matches(self._folder))
                self._stop = stopping.parse(runfolder.about(self._folder)["stop"])
            played.refresh(alone=True)
            for part in part_files.parts(self._folder):
                if part.name not in self.written:
                    games = pq.read_metadata(part).num_rows / played.matches[0].players
                    slot = _SLOT.match(part.name)
                    self.written[part.name] = (
                        part.stat().st_mtime,
                        games,
                        int(slot[1] if slot else 0),
                    )
            self._wanted = games_wanted(self._folder, played.matches)
            self._played, self.ended, self.fault = played, self._has_ended(played), ""
        except (Refusal, OSError, pa.ArrowException) as fault:
            self.fault = str(fault)

    def _has_ended(self, played: Results) -> bool:
        if all(most is not None for most in self._wanted):
            if self._missing(played) == 0:
                return True
            if not self._nested:
                return False  # a summary may be of fewer games, asked for earlier
        made = read_if_there(self._folder, SUMMARY, read_json, "summary")
        return made is not None and not made["interrupted"] and not made["fault"]

    @property
    def games(self) -> int:
        """The number of games played."""
        return self._played.games if self._played else 0

    @property
    def left(self) -> int | None:
        """The number of games to come; None if unknown."""
        if self.ended:
            return 0
        if self._played is None or None in self._wanted:
            return None
        return self._missing(self._played)

    def _missing(self, played: Results) -> int:
        pairs = zip(self._wanted, played.tallies, strict=True)
        return sum(max(0, (most or 0) - tally.games) for most, tally in pairs)

    def lines(self) -> list[tuple[str, str, str]]:
        """Return name, games and win rate of each match."""
        found = []
        pairs = zip(self._played.pairs() if self._played else (), self._wanted, strict=True)
        for (match, tally), most in pairs:
            rate = ""
            if match.measured is not None and tally.games:
                won = int(match.wins_of(tally.winner(), 0).sum())
                rate = f"{self._stop.win_rate(won, tally.games)}"
            name = f"{self._folder.name}: {match.name}" if self._nested else match.name
            of = "" if most is None or self.ended else f" of {most:,}"
            found.append((name, f"{tally.games:,}{of} games", rate))
        return found


class Following:
    """All runs in ``folders``: of each itself, or those of a sweep, table or multirun in it."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._runs: dict[Path, Followed] = {}
        self._newest, self._since = 0.0, time.monotonic()

    def look(self) -> None:
        """Find new runs, and read what is new in all."""
        for folder in self._folders:
            alone = (folder / MATCHES_FILE).exists()
            below = (*folder.glob(f"*/{MATCHES_FILE}"), *folder.glob(f"*/*/{MATCHES_FILE}"))
            for run in [folder] if alone else sorted(plan.parent for plan in below):
                self._runs.setdefault(run, Followed(run, nested=not alone))
        for followed in self._runs.values():
            if not followed.ended:
                followed.look()

    @property
    def ended(self) -> bool:
        """Whether all games are there; of a folder of runs its summary says that none follows."""
        whole = (one in self._runs or (one / SUMMARY).exists() for one in self._folders)
        return all(whole) and all(run.ended for run in self._runs.values())

    def lines(self) -> list[tuple[str, str, str]]:
        """Return name, games and win rate of each match, ended ones first."""
        ordered = sorted(self._runs.values(), key=lambda run: not run.ended)
        return [line for run in ordered for line in run.lines()]

    def state(self) -> str:
        """Return games, pace, time left and the last writers in one line."""
        runs = list(self._runs.values())
        if not runs:
            return f"{self._folders[0]}: no run there yet, waiting"
        left = [run.left for run in runs]
        known = sum(filter(None, left))
        games = sum(run.games for run in runs)
        said = [f"{games:,} games" if None in left else f"{games:,} of {games + known:,} games"]
        if len(runs) > 1:
            said.append(f"{sum(run.ended for run in runs)} of {len(runs)} runs ended")
        written = sorted(part for run in runs for part in run.written.values())
        if written:
            said += _describe_pace(written, None if None in left else known)
            if written[-1][0] != self._newest:
                self._newest, self._since = written[-1][0], time.monotonic()
            silent = time.monotonic() - self._since
            if silent > 2 * LINE_SECONDS and not self.ended:
                said.append(f"nothing new for {silent:.0f} s")
        said += [f"not read yet: {run.fault}" for run in runs if run.fault][:1]
        return ", ".join(said)


def _describe_pace(written: Sequence[Written], left: int | None) -> list[str]:
    """Return pace, time left and writers by the last of the parts ``written``, in order."""
    newest = written[-1][0]
    recent = [part for part in written if newest - part[0] < _RECENT_SECONDS]
    recent = recent if len(recent) > 1 else list(written[-2:])
    seconds, games = newest - recent[0][0], sum(part[1] for part in recent[1:])
    said = []
    if seconds > 0:
        said.append(f"{60 * games / seconds:,.0f} a minute")
        if left:
            said.append(describe_rest(left, round(games), seconds))
    writers = sorted({part[2] for part in recent})
    shown = ", ".join(map(str, writers[:8])) + (", ..." if len(writers) > 8 else "")
    at = datetime.fromtimestamp(newest, UTC)
    who = f"process{'es' if len(writers) > 1 else ''} {shown}"
    return [*said, f"last rows at {at:%H:%M:%S} UTC, lately by {who}"]


def follow(folders: Sequence[Path], console: Console) -> None:
    """Show the progress in ``folders`` until all games are there; Interrupted on request to end."""
    following, line = Following(folders), float("-inf")
    with (
        Live(console=console, auto_refresh=False) if console.is_terminal else nullcontext() as live
    ):
        try:
            while True:
                following.look()
                if live is not None:
                    live.update(_draw(following), refresh=True)
                elif following.ended or time.monotonic() - line >= LINE_SECONDS:
                    line = time.monotonic()
                    console.print(following.state(), soft_wrap=True)
                    for text in following.lines()[-_LINES:]:
                        console.print("  " + ", ".join(filter(None, text)), soft_wrap=True)
                if following.ended:
                    return
                time.sleep(LOOK_SECONDS)
        except KeyboardInterrupt:
            raise Interrupted(f"no longer followed; {following.state()}") from None


def _draw(following: Following) -> Group:
    table = Table(box=None, pad_edge=False)
    for title in ("match", "games", "win rate, 95 %"):
        table.add_column(title)
    for line in following.lines()[-_SHOWN:]:
        table.add_row(*line)
    return Group(table, following.state())
