"""Failures of games, as raised to the match loop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcts.kernel.errors import SleuthError, describe
from mcts.kernel.plugins import BrokenPlugin


class GamesFailed(SleuthError):
    """Some games cannot be played; the one-line message says which, and why.

    Attribute ``traceback``: of the exception that a game raised, or None.
    """

    traceback: str | None = None


class WorkersLost(GamesFailed):
    """The same games killed their worker repeatedly."""


class GameRaised(GamesFailed):
    """A game raised an exception, for instance because of a bug in a player.

    ``games``: of the failed portion; ``fault``: the exception; ``traceback``: of it, as text.
    """

    def __init__(
        self, games: Sequence[int] | np.ndarray, fault: BaseException, traceback: str
    ) -> None:
        known = isinstance(fault, BrokenPlugin)
        super().__init__(
            name_games(games) + (f": {fault}" if known else f" raised {describe(fault)}")
        )
        self.traceback = traceback


def name_games(games: Sequence[int] | np.ndarray) -> str:
    """Return a name for the portion ``games``."""
    return f"game {games[0]}" if len(games) == 1 else f"games {games[0]} to {games[-1]}"
