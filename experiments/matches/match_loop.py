"""Play matches until their games are done or a rule ends them; no finished game is lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from experiments.matches import in_process
from experiments.matches.background import Background
from experiments.matches.claims import Claims
from experiments.matches.failures import GamesFailed, WorkersLost
from experiments.matches.monitor import StopMonitor
from experiments.matches.results import STOPS, Played, Results
from experiments.matches.schedule import Match, Schedule
from experiments.matches.shared import Shared, plan_names
from experiments.provenance.files import write_json, write_text
from experiments.settings.commandline import in_folder
from experiments.stats.stopping import Stop
from experiments.texts import redact

ERROR = "error.txt"
"""File in the run folder with the traceback of a failed game."""

_SAME_SIGNAL_SECONDS = 0.5
"""Time in which a scheduler's signal, which has ended Ray's processes, reaches this one too."""


@dataclass(frozen=True)
class Resources:
    """Resources for playing matches.

    Attributes
    ----------
    workers : by match, games at the same time
    cpus : by match, cores that Ray reserves for a game
    address : of the Ray cluster; None for this machine
    cores : available in all
    alone : whether this process plays the games one after another, without Ray
    """

    workers: tuple[int, ...]
    cpus: tuple[float, ...]
    address: str | None
    cores: int
    alone: bool = False


@dataclass(frozen=True)
class Outcome:
    """The end of playing.

    ``fault``: why games failed, if any did; ``interrupted``: whether the user asked to end;
    ``left``: whether other processes still play games.
    """

    fault: str | None
    interrupted: bool
    left: bool = False


def is_complete(played: Results, games: int, stop: Stop) -> bool:
    """Return whether no game of ``played`` is missing: ``games`` of a match, fewer by ``stop``."""
    monitor = StopMonitor(stop, played, games)
    monitor.look()
    return monitor.done


def end(played: Results, games: int, stop: Stop) -> Outcome:
    """Return the end of a run that `is_complete`, without games that a rule does not count."""
    monitor = StopMonitor(stop, played, games)
    monitor.look()
    monitor.cut()
    return Outcome(None, interrupted=False)


def play(
    played: Results,
    games: int,
    stop: Stop,
    resources: Resources,
    watch: Callable[[], bool],
    waits: bool = True,
) -> Outcome:
    """Play the missing games of ``played``'s matches, and save them whatever happens.

    Other processes may play in the same folder: each plays what it can claim, and takes in the rows
    of the others.  ``games``: maximum per match; ``stop``: rule by which matches end earlier;
    ``watch``: called after every portion and whenever nothing has ended for a moment; returns
    whether to continue; ``waits``: whether to wait for games that others play.  Raises Refusal if
    files cannot be locked in the folder, or this process already plays there.
    """
    with Claims(played.folder, plan_names(played)) as claims:
        shared = Shared(played, StopMonitor(stop, played, games), claims, waits)
        fault = _play_all(shared, resources, watch)
    monitor = shared.monitor
    monitor.cut()
    left = fault is None and not monitor.done
    return Outcome(fault, interrupted=left and not shared.left, left=left and shared.left)


def _play_all(shared: Shared, resources: Resources, watch: Callable[[], bool]) -> str | None:
    """Play and save; return why games failed, if any did."""
    fault, played, monitor = None, shared.played, shared.monitor
    try:
        try:
            monitor.look()
            for group in _groups(played.matches, resources):
                if not _play_group(shared, group, resources, watch):
                    break
        except KeyboardInterrupt:  # during the start of Ray
            pass
        except GamesFailed as failed:
            time.sleep(_SAME_SIGNAL_SECONDS * isinstance(failed, WorkersLost))
            if watch():  # else a scheduler has ended Ray's processes and asked us to end
                fault = str(failed)
                if failed.traceback is not None:
                    write_text(played.folder / ERROR, redact(failed.traceback))
                    fault += f" (traceback in {ERROR})"
        finally:
            played.flush()
            shared.settle()
            ends = {played.matches[i].name: monitor.games[i] for i in sorted(monitor.ended)}
            if ends:
                write_json(played.folder, ends, STOPS)
    except OSError as disk:
        played.forget()
        fault = (
            f"results cannot be written ({disk.strerror or disk}): free disk space and continue "
            f"with {in_folder(played.folder)}"
        )
    return fault


def _play_group(
    shared: Shared, group: Sequence[int], resources: Resources, watch: Callable[[], bool]
) -> bool:
    """Play the matches ``group`` of a run; return whether to continue."""
    played, monitor = shared.played, shared.monitor
    matches = [played.matches[i] for i in group]
    while not monitor.is_finished(group):
        schedule = Schedule(
            matches,
            [monitor.games[i] for i in group],
            lambda match, first, end: played.tallies[group[match]].missing(first, end),
            lambda match, block, games: shared.claim(group[match], block, games),
        )
        with closing(_start_group(matches, schedule, group, resources)) as batches:
            for done in batches:
                for which, games in done:
                    played.add(group[which], games)
                shared.settle()
                shared.refresh()
                for ended in monitor.look() if done or shared.claims.shared else ():
                    if ended in group:
                        schedule.close(group.index(ended))
                if not watch():
                    return False
        played.flush()
        shared.settle()
        if monitor.is_finished(group):
            break
        if not shared.waits:
            shared.left = True
            break
        if not shared.wait(watch):
            return False
    return True


def _start_group(
    matches: Sequence[Match], schedule: Schedule, group: Sequence[int], resources: Resources
) -> Generator[list[tuple[int, Played]]]:
    """Return the iterator that plays what ``schedule`` hands out of the matches ``group``."""
    if resources.alone:
        return in_process.play_games(matches, schedule)
    from experiments.matches import runner  # Ray takes a second to import

    if not runner.is_started():  # or has ended
        Background(runner.start, resources.address, resources.cores).result()
    cpus = [resources.cpus[i] for i in group]
    workers = max(resources.workers[i] for i in group)
    if all(resources.workers[i] * resources.cpus[i] >= resources.cores for i in group):
        workers *= 2  # Ray queues the rest, so that no worker waits for this process
    return runner.play_games(matches, schedule, workers, cpus)


def _groups(matches: Sequence[Match], resources: Resources) -> Iterator[list[int]]:
    """Yield groups of matches to play side by side; one with Ray actors needs its own Ray."""
    together = [i for i, match in enumerate(matches) if not match.rooted]
    if together:
        yield together
    for number, match in enumerate(matches):
        if not match.rooted:
            continue
        if resources.address is not None:
            yield [number]
            continue
        from experiments.matches import runner

        if len(matches) > 1:
            runner.stop()
        try:
            yield [number]
        finally:
            runner.stop()
