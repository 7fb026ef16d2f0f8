"""Games in this process, one after another: for one worker, which needs no Ray.

They are played in a thread of their own, so that the caller keeps control: compiled code releases
the interpreter, and the caller hears of Ctrl-C meanwhile.  A game that ends the
process ends the run; what was written before is kept, and the run can be gone on with.
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
"""Portions handed out at a time: the next is played while the caller takes in the last."""

_PLAYING = Lock()
"""Held during a portion: players are kept from portion to portion, so that one which was given up
must have ended before another begins."""


class _Ended(NamedTuple):
    """The outcome of a portion."""

    match: int
    games: np.ndarray
    seconds: float
    played: Played | None
    fault: BaseException | None = None
    traceback: str = ""


def play_games(matches: Sequence[Match], schedule: Schedule) -> Generator[list[tuple[int, Played]]]:
    """Play what ``schedule`` hands out, and yield whole games with their match as they come.

    Yields an empty list when nothing has ended for `POLL_SECONDS`.  Closing the iterator gives up
    the games under way without waiting for them.  Raises GameRaised if a game raised an exception.
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
    """Play the portions that are ``waiting`` until None comes or the rest is given up."""
    from experiments.matches import play  # compiled code, for which nobody need wait before

    while (portion := waiting.get()) is not None:
        match, games = portion
        with _PLAYING:
            if given_up.is_set():
                return
            started = time.perf_counter()
            try:
                played = play.portion(matches[match], games)
            except BaseException as fault:  # is raised again where results are waited for
                ended.put(_Ended(match, games, 0.0, None, fault, traceback.format_exc()))
                return
            ended.put(_Ended(match, games, time.perf_counter() - started, played))
