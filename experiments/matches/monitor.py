"""The game at which a rule ends a match, found in the order of the games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.matches.results import Results, Tally
from experiments.matches.schedule import Match, control_of
from experiments.stats.sprt import Verdict
from experiments.stats.stopping import Sprt, Stop


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
        self.limit = games
        self.games = [games] * len(played.matches)
        self.ended: set[int] = set()

    def is_finished(self, group: Iterable[int]) -> bool:
        """Return whether no game of the matches ``group`` is missing."""
        return all(self._played.tallies[i].has(self.games[i]) for i in group)

    def cut(self) -> None:
        """Forget the games that were under way when the rule ended a match."""
        for number in self.ended:
            self._played.tallies[number].cut(self.games[number])

    @property
    def done(self) -> bool:
        """Whether no game of any match is missing."""
        return self.is_finished(range(len(self.games)))

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
