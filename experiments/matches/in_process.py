"""Games in this process, one after another: for one worker, without Ray.

They are played in threads, so that the caller can react to Ctrl-C while compiled code, which
releases the interpreter lock, runs.  A game that kills the process ends the run; what was written
before is kept, and the run can be resumed.
"""

from __future__ import annotations

import time
import traceback
from collections import deque
from collections.abc import Generator, Sequence
from threading import Event, Lock

import numpy as np

from experiments.matches.background import Background
from experiments.matches.failures import GameRaised
from experiments.matches.results import Played
from experiments.matches.schedule import POLL_SECONDS, Match, Schedule

AHEAD = 2
"""Portions handed out at a time: one is played while the caller processes the last."""

_PLAYING = Lock()
"""Lock held during a portion: players are reused, so an abandoned portion must end before the
next begins."""


def play_games(matches: Sequence[Match], schedule: Schedule) -> Generator[list[tuple[int, Played]]]:
    """Play what ``schedule`` hands out; yield finished games with their match as they come.

    Yields an empty list when nothing has ended for `POLL_SECONDS`.  Closing the iterator abandons
    the running games without waiting for them.  Raises GameRaised if a game raised an exception.
    """
    under_way: deque[tuple[int, np.ndarray, Background]] = deque()
    given_up = Event()
    try:
        while True:
            while len(under_way) < AHEAD and (portion := schedule.take()) is not None:
                match, games = portion
                job = Background(_play, matches[match], games, given_up, stays=False)
                under_way.append((match, games, job))
            if not under_way:
                return
            match, games, job = under_way[0]
            if not job.done.wait(POLL_SECONDS):
                yield []
                continue
            under_way.popleft()
            try:
                played, seconds = job.result()
            except BaseException as fault:
                lines = "".join(traceback.format_exception(fault))
                raise GameRaised(games, fault, lines) from None
            schedule.took(match, len(games), seconds)
            yield [(match, played)]
    finally:
        given_up.set()


def _play(match: Match, games: np.ndarray, given_up: Event) -> tuple[Played | None, float]:
    """Return the outcome of ``games`` and its seconds, unless they are abandoned meanwhile."""
    from experiments.matches import play  # compiled code, slow to import

    with _PLAYING:
        if given_up.is_set():
            return None, 0.0
        started = time.perf_counter()
        played = play.portion(match, games)
        return played, time.perf_counter() - started
