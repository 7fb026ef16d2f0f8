"""Sequential tests of matches in progress: hypotheses and current verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from experiments.matches.results import Tally
from experiments.matches.schedule import Match, control_of
from experiments.stats.sprt import Verdict
from experiments.stats.stopping import Sprt, Stop


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


def verdicts(
    matches: Sequence[Match], tallies: Sequence[Tally], stop: Stop, limit: int | None = None
) -> Iterator[Tested]:
    """Yield the test of each match that ``stop`` tests; none if it is no sequential test.

    ``limit``: maximum games of each match to look at; None: all.
    """
    if not isinstance(stop, Sprt):
        return
    controls = [control_of(matches, number) for number in range(len(matches))]
    for number, (match, control) in enumerate(zip(matches, controls, strict=True)):
        if match.measured is None or (control is None and number in controls):
            continue
        games = min(tallies[number].prefix, limit or tallies[number].prefix)
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
