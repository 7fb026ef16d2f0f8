"""A run whose games this process shares with others that play in the same folder."""

from __future__ import annotations

import time
from collections.abc import Callable

from experiments.matches.claims import LAG, Claims
from experiments.matches.monitor import StopMonitor
from experiments.matches.results import Results
from experiments.matches.row_provenance import MATCHES_FILE
from experiments.matches.schedule import POLL_SECONDS, block_size
from experiments.provenance.files import read_json, reading
from experiments.run import UNKNOWN
from mcts.kernel.waiting import say

SHARED_FLUSH_SECONDS = 15.0
"""Maximum age of unwritten rows where several processes play."""

SILENT = 10.0
"""Seconds without a game of others after which a line says why this process waits."""


def plan_names(played: Results) -> list[str]:
    """Return the names of all matches of the folder's plan, or of those played without one."""
    path = played.folder / MATCHES_FILE
    if not path.exists():
        return [match.name for match in played.matches]
    with reading(path, UNKNOWN):
        return [match["name"] for match in read_json(path)["matches"]]


class Shared:
    """The games of a run that other processes may play too.

    Attributes
    ----------
    played, monitor, claims : of this process
    waits : whether it waits for the games that others play
    left : whether it left games to them
    """

    def __init__(self, played: Results, monitor: StopMonitor, claims: Claims, waits: bool) -> None:
        self.played, self.monitor, self.claims, self.waits = played, monitor, claims, waits
        self.left = False
        self._numbers = {match.name: i for i, match in enumerate(played.matches)}
        self._games, self._since = played.games, time.monotonic()
        played.slot = claims.slot
        played.refresh()  # games written since it was read

    def claim(self, match: int, block: int, games: int) -> int | None:
        """Claim a block as `Claims.take`, and take in what other processes wrote of it."""
        found = self.claims.take(self.played.matches[match].name, block, games)
        if found is not None:
            self.refresh()
        return found

    def refresh(self) -> None:
        """Take in what other processes wrote, if there are any."""
        if self.claims.shared:
            self.played.longest = SHARED_FLUSH_SECONDS
            self.played.refresh()

    def settle(self) -> None:
        """Release the blocks whose rows are on disk."""
        if self.played.written:
            self.claims.settle(self._count)

    def _count(self, name: str, block: int) -> int:
        number = self._numbers[name]
        size = block_size(self.played.matches[number])
        first, end = block * size, min((block + 1) * size, self.monitor.limit)
        whole = not len(self.played.tallies[number].missing(first, end))
        return end - first if whole else 0

    def wait(self, watch: Callable[[], bool]) -> bool:
        """Wait a moment for what other processes play; return whether to continue."""
        silent = time.monotonic() - self._since
        if self.played.games != self._games:
            self._games, self._since = self.played.games, time.monotonic()
        elif silent > LAG and self.claims.forget():
            self._since = time.monotonic()
        elif silent > SILENT:
            say("waiting for other processes' games; a network disk may list them 2 minutes late")
        for _ in range(4):
            if not watch():
                return False
            time.sleep(POLL_SECONDS)
        self.claims.shared = True
        self.refresh()
        self.monitor.look()
        return True
