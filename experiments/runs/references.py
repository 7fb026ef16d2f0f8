"""The strength baselines: set-ups of compiled policies, each with what it measured elsewhere.

Two sources, both of games of four under the rules of [Ledford 2018]:

* the program released with the thesis, run again (`experiments.runs.published`, and the lengths of
  games below), which has the heuristic and the random player alone;
* the trial simulator, a sketch written before this project and measured over 1,000 to 20,000 games
  a figure.  Its rules are those here except that pawns do not close corridors (``blocking=false``)
  and that games end after 1,000 turns (``turn_cap=1000``).  An interval is given where it or the
  number of games was written down.

A baseline is not a result to reproduce to the digit: the simulators differ.  `WITHIN` is how far
apart two of them may be before the difference wants an explanation.
"""

from __future__ import annotations

from dataclasses import dataclass

from experiments.runs.published import find
from experiments.stats.intervals import win_rate
from sim.policies.table import Policy

PLAYERS = 4
"""The size of the games that all references are of."""

WITHIN = 0.05


@dataclass(frozen=True)
class Reference:
    """A value measured elsewhere: a rate from 0 to 1, or a number of turns or suggestions.

    Attributes
    ----------
    interval : the 95 % interval, if known
    """

    value: float
    source: str
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Baseline:
    """One ``focal`` policy against ``others`` in all other seats, and its win rate elsewhere."""

    focal: Policy
    others: Policy
    references: tuple[Reference, ...] = ()

    @property
    def name(self) -> str:
        """The set-up in a few characters, as in ``swift(0.35) v heuristic``."""
        return f"{_short(self.focal)} v {_short(self.others)}"

    @property
    def slow(self) -> bool:
        """Whether a player solves exact posteriors, at a hundredth of the others' speed."""
        return "greedy" in (self.focal.name, self.others.name)


def _short(policy: Policy) -> str:
    """Return the name of ``policy`` with the switches that it has changed."""
    switches = [] if policy.threshold == 1.0 else [f"{policy.threshold:g}"]
    if not policy.inference:
        switches.append("no inference")
    return policy.name + (f"({', '.join(switches)})" if switches else "")


TRIAL, PROGRAM = "trial", "program"
"""The two sources."""


def _trial(rate: float, *interval: float, games: int = 0) -> Reference:
    """Return a win rate of the trial simulator, its interval as given or that of so many games."""
    if games:
        known = win_rate(round(rate * games), games)
        interval = known.low, known.high
    return Reference(rate, TRIAL, interval or None)


def _program(focal: str, others: str) -> Reference:
    """Return a win rate of the released program, run again."""
    found = find(focal, 1, others)
    assert found is not None
    return Reference(found.rate.value, PROGRAM, (found.rate.low, found.rate.high))


_RANDOM, _HEURISTIC, _CLOSURE, _SWIFT, _GREEDY = map(
    Policy, ("random", "heuristic", "closure", "swift", "greedy")
)
_BOLD = Policy("swift", threshold=0.35)

_AGAINST_WAITING = {
    1.0: 0.25,
    0.7: 0.269,
    0.6: 0.313,
    0.5: 0.398,
    0.45: 0.431,
    0.4: 0.453,
    0.35: 0.466,
    0.3: 0.449,
    0.25: 0.398,
    0.2: 0.369,
}
_AGAINST_BOLD = {1.0: 0.177, 0.5: 0.198, 0.4: 0.217, 0.3: 0.239, 0.25: 0.248}

YARDSTICKS = (
    Baseline(_RANDOM, _HEURISTIC, (_program("random", "heuristic"),)),
    Baseline(_HEURISTIC, _RANDOM, (_program("heuristic", "random"), _trial(0.913))),
    Baseline(_HEURISTIC, _HEURISTIC),
    Baseline(Policy("heuristic", inference=False), _HEURISTIC),
    Baseline(_CLOSURE, _HEURISTIC, (_trial(0.633, 0.626, 0.640),)),
    Baseline(_SWIFT, _HEURISTIC, (_trial(0.918, games=10_000),)),
    Baseline(_SWIFT, _CLOSURE, (_trial(0.748, games=10_000),)),
    Baseline(_BOLD, _HEURISTIC, (_trial(0.68),)),
    Baseline(_GREEDY, _HEURISTIC, (_trial(0.916, 0.897, 0.932),)),
    Baseline(_GREEDY, _CLOSURE, (_trial(0.784, 0.757, 0.808),)),
    Baseline(_GREEDY, _SWIFT, (_trial(0.27),)),
    Baseline(Policy("greedy", threshold=0.5), _GREEDY, (_trial(0.441),)),
    Baseline(Policy("greedy", threshold=0.35), _GREEDY, (_trial(0.48, 0.449, 0.511),)),
    *(
        Baseline(Policy("swift", threshold=at), _SWIFT, (_trial(rate, games=20_000),))
        for at, rate in _AGAINST_WAITING.items()
    ),
    *(
        Baseline(Policy("swift", threshold=at), _BOLD, (_trial(rate),))
        for at, rate in _AGAINST_BOLD.items()
    ),
    Baseline(_BOLD, _BOLD),
)
"""All set-ups, from the weakest players to the strongest; the threshold curve is the end of it."""

LENGTHS_OF = "heuristic v heuristic"
TURNS, TURNS_MEDIAN, SUGGESTIONS = "turns, mean", "turns, median", "suggestions, mean"
TURNS_WON, SUGGESTIONS_WON = "turns, mean if won", "suggestions, mean if won"
ENDLESS = "games at the turn cap"

LENGTHS = {
    TURNS_WON: Reference(121, PROGRAM),
    TURNS: Reference(135, TRIAL),
    TURNS_MEDIAN: Reference(123, PROGRAM),
    SUGGESTIONS_WON: Reference(29.7, PROGRAM),
    SUGGESTIONS: Reference(40.7, TRIAL),
    ENDLESS: Reference(0.0074, PROGRAM),
}
"""The games of `LENGTHS_OF`, of four heuristic players.

Of how many games the released program's means are is not written down.  They are held against the
games that somebody won: its endless ones alone would add 22 turns to a mean over all.  The trial
simulator's are over all games, cut at 1,000 turns.
"""
