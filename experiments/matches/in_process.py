"""Games in this process, one after another: for one worker, without Ray.

They are played in a thread, so that the caller can react to Ctrl-C while compiled code, which
releases the interpreter lock, runs.  A game that kills the process ends the run; what was written
before is kept, and the run can be resumed.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Generator, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import NamedTuple

import numpy as np

from experiments.matches.failures import GameRaised
from experiments.matches.results import Played
from experiments.matches.schedule import POLL_SECONDS, Match, Schedule

AHEAD = 2
"""Portions handed out at a time: one is played while the caller processes the last."""

_PLAYING = Lock()
"""Lock held during a portion: players are reused, so an abandoned portion must end before the
next begins."""


class _Ended(NamedTuple):
    """The outcome of a portion."""

    match: int
    games: np.ndarray
    seconds: float
    played: Played | None
    fault: BaseException | None = None
    traceback: str = ""


def play_games(matches: Sequence[Match], schedule: Schedule) -> Generator[list[tuple[int, Played]]]:
    """Play what ``schedule`` hands out; yield finished games with their match as they come.

    Yields an empty list when nothing has ended for `POLL_SECONDS`.  Closing the iterator abandons
    the running games without waiting for them.  Raises GameRaised if a game raised an exception.
    """
    waiting: SimpleQueue[tuple[int, np.ndarray] | None] = SimpleQueue()
    ended: SimpleQueue[_Ended] = SimpleQueue()
    given_up = Event()
    Thread(target=_play, args=(matches, waiting, ended, given_up), daemon=True).start()
    under_way = 0
    try:
        while True:
            while under_way < AHEAD and (portion := schedule.take()) is not None:
                waiting.put(portion)
                under_way += 1
            if not under_way:
                return
            try:
                found = ended.get(timeout=POLL_SECONDS)
            except Empty:
                yield []
                continue
            under_way -= 1
            if found.fault is not None:
                raise GameRaised(found.games, found.fault, found.traceback) from None
            assert found.played is not None, "it did not fail"
            schedule.took(found.match, len(found.games), found.seconds)
            yield [(found.match, found.played)]
    finally:
        given_up.set()
        waiting.put(None)


def _play(
    matches: Sequence[Match],
    waiting: SimpleQueue[tuple[int, np.ndarray] | None],
    ended: SimpleQueue[_Ended],
    given_up: Event,
) -> None:
    """Play the portions in ``waiting`` until None comes or the rest is abandoned."""
    from experiments.matches import play  # compiled code, slow to import

    while (portion := waiting.get()) is not None:
        match, games = portion
        with _PLAYING:
            if given_up.is_set():
                return
            started = time.perf_counter()
            try:
                played = play.portion(matches[match], games)
            except BaseException as fault:  # raised again by the waiting caller
                ended.put(_Ended(match, games, 0.0, None, fault, traceback.format_exc()))
                return
            ended.put(_Ended(match, games, time.perf_counter() - started, played))
