"""Play matches until their games are done or a rule ends them; no finished game is lost."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from experiments.matches import in_process
from experiments.matches.background import Background
from experiments.matches.failures import GamesFailed
from experiments.matches.results import STOPS, Played, Results, Tally
from experiments.matches.schedule import Match, Schedule, control_of
from experiments.provenance.files import write_json, write_text
from experiments.run import Run
from experiments.stats.sprt import Verdict
from experiments.stats.stopping import Sprt, Stop
from experiments.texts import redact

ERROR = "error.txt"
"""File in the run folder with the traceback of a failed game."""


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
    """The end of playing: ``fault`` says why games failed, if any did."""

    fault: str | None
    interrupted: bool


def check(stop: Stop, matches: Sequence[Match]) -> None:
    """Check that ``stop`` can end each of ``matches``.

    Raises ValueError with one sentence for the user.
    """
    controls = [control_of(matches, number) for number in range(len(matches))]
    for number, match in enumerate(matches):
        if match.measured is None and stop != Stop():
            raise ValueError(
                "match.stop: a round robin measures all its players, so no rule ends it early; "
                "leave it at games"
            )
        stop.check(paired=controls[number] is not None or number in controls)


class StopMonitor:
    """Reads results in the order of the games, and decides where each match ends.

    The last game then does not depend on the number of workers.  ``stop``: the rule; ``played``:
    the results; ``games``: maximum per match.
    """

    def __init__(self, stop: Stop, played: Results, games: int) -> None:
        self._stop, self._tests = stop, isinstance(stop, Sprt)
        self._played = played
        self._looked = [0] * len(played.matches)
        numbers = range(len(played.matches))
        self._control = [control_of(played.matches, number) for number in numbers]
        self.games = [games] * len(played.matches)
        self.ended: set[int] = set()

    def look(self) -> list[int]:
        """Return the matches that have ended since the last call."""
        if self._stop == Stop():
            return []
        new = []
        for number, match in enumerate(self._played.matches):
            if number in self.ended or match.measured is None:
                continue
            # A test looks at the games that the control has too.
            control = self._control[number] if self._tests else None
            both = [number] if control is None else [number, control]
            prefix = min(self.games[number], *(self._played.tallies[i].prefix for i in both))
            if prefix <= self._looked[number]:
                continue
            self._looked[number] = prefix
            if (last := self._last(number, control, prefix)) is not None:
                self.games[number] = last
                self.ended.add(number)
                new.append(number)
        return new + self._controls()

    def _last(self, number: int, control: int | None, prefix: int) -> int | None:
        """Return the game after which match ``number`` ends, if within ``prefix``."""
        match, won = self._played.matches[number], self._wins_of(number, prefix)
        if control is not None:
            return self._stop.after_paired(self._wins_of(control, prefix), won)
        if self._tests and number in self._control:
            return None  # continues as long as it is needed
        return self._stop.after(won, match.players, match.seats)

    def _wins_of(self, number: int, games: int) -> np.ndarray:
        match = self._played.matches[number]
        return match.wins_of(self._played.tallies[number].winner(games), match.measured)

    def _controls(self) -> list[int]:
        """End the controls that no running match is compared with."""
        new = []
        controls = {number for number in self._control if number is not None}
        for number in controls - self.ended if self._tests else ():
            against = [i for i, control in enumerate(self._control) if control == number]
            if self.ended.issuperset(against):
                self.games[number] = max(self.games[i] for i in against)
                self.ended.add(number)
                new.append(number)
        return new


@dataclass(frozen=True)
class Tested:
    """The test of one match, alone or against its control.

    Attributes
    ----------
    match, control : tested; without a control the test is of the match's own win rate
    verdict : on the games played without a gap
    words : the verdict in words, naming the hypotheses
    """

    match: Match
    control: Match | None
    verdict: Verdict
    words: str


def verdicts(matches: Sequence[Match], tallies: Sequence[Tally], stop: Stop) -> Iterator[Tested]:
    """Yield the test of each match that ``stop`` tests; none if it is no sequential test."""
    if not isinstance(stop, Sprt):
        return
    controls = [control_of(matches, number) for number in range(len(matches))]
    for number, (match, control) in enumerate(zip(matches, controls, strict=True)):
        if match.measured is None or (control is None and number in controls):
            continue
        games = tallies[number].prefix
        player = match.labels[0]
        if control is None:
            won = match.wins_of(tallies[number].winner(games), 0)
            verdict = stop.verdict(won, match.players, match.seats)
            yield Tested(match, None, verdict, stop.describe(verdict, player))
            continue
        games = min(games, tallies[control].prefix)
        verdict = stop.verdict_paired(
            matches[control].wins_of(tallies[control].winner(games), 0),
            match.wins_of(tallies[number].winner(games), 0),
        )
        words = stop.describe(verdict, player, matches[control].labels[0])
        yield Tested(match, matches[control], verdict, words)


def play(
    played: Results, games: int, stop: Stop, resources: Resources, watch: Callable[[], bool]
) -> Outcome:
    """Play the missing games of ``played``'s matches, and save them whatever happens.

    ``games``: maximum per match; ``stop``: rule by which matches end earlier; ``watch``: called
    after every portion and whenever nothing has ended for a moment; returns whether to continue.
    Raises Refusal if another process plays in the same folder, or the folder cannot be locked.
    """
    with Run(played.folder).lock():
        monitor = StopMonitor(stop, played, games)
        fault = _play_all(played, monitor, resources, watch)
    for number in monitor.ended:
        played.tallies[number].cut(monitor.games[number])
    done = all(tally.has(games) for tally, games in zip(played.tallies, monitor.games, strict=True))
    return Outcome(fault, interrupted=fault is None and not done)


def _play_all(
    played: Results, monitor: StopMonitor, resources: Resources, watch: Callable[[], bool]
) -> str | None:
    """Play and save; return why games failed, if any did."""
    fault = None
    try:
        try:
            monitor.look()
            for group in _groups(played.matches, resources):
                if not _play_group(played, group, monitor, resources, watch):
                    break
        except KeyboardInterrupt:  # during the start of Ray
            pass
        except GamesFailed as failed:
            fault = str(failed)
            if failed.traceback is not None:
                write_text(played.folder / ERROR, redact(failed.traceback))
                fault += f" (traceback in {ERROR})"
        finally:
            played.flush()
            ends = {played.matches[i].name: monitor.games[i] for i in sorted(monitor.ended)}
            if ends:
                write_json(played.folder, ends, STOPS)
    except OSError as disk:
        played.forget()
        fault = (
            f"results cannot be written ({disk.strerror or disk}): free disk space and continue "
            f"with run.resume={played.folder}"
        )
    return fault


def _play_group(
    played: Results,
    group: Sequence[int],
    monitor: StopMonitor,
    resources: Resources,
    watch: Callable[[], bool],
) -> bool:
    """Play the matches ``group`` of a run; return whether to continue."""
    matches = [played.matches[i] for i in group]
    missing = [played.tallies[i].missing(monitor.games[i]) for i in group]
    if all(played.tallies[i].has(monitor.games[i]) for i in group):
        return True
    schedule = Schedule(matches, missing)
    with closing(_start_group(matches, schedule, group, resources)) as batches:
        for done in batches:
            for which, games in done:
                played.add(group[which], games)
            for ended in monitor.look() if done else ():
                if ended in group:
                    schedule.close(group.index(ended))
            if not watch():
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
