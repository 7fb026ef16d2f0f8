"""Outcomes of the trials of a sweep."""

from __future__ import annotations

from dataclasses import dataclass, field

from experiments.stats.intervals import Estimate, win_rate
from experiments.sweep.axes import Parameters


@dataclass(frozen=True)
class Counts:
    """Games looked at, and wins among them."""

    games: int
    wins: int

    @property
    def estimate(self) -> Estimate | None:
        """The win rate with its interval; None without a game."""
        return win_rate(self.wins, self.games) if self.games else None


@dataclass(frozen=True)
class TrialResult(Counts):
    """Outcome of the games of a point.

    Attributes
    ----------
    given_up : whether it was pruned
    interrupted : whether Ctrl-C ended it
    fault : of a game that raised an exception
    """

    given_up: bool = False
    interrupted: bool = False
    fault: str | None = None

    @property
    def state(self) -> str:
        """The state of its trial."""
        return "failed" if self.fault else "pruned" if self.given_up else "complete"

    @property
    def status(self) -> str:
        """The status in MLflow's terms."""
        return "FAILED" if self.fault else "KILLED" if self.interrupted else "FINISHED"


@dataclass(frozen=True)
class Line(Counts):
    """The outcome of a trial.

    ``trial``: its number; ``parameters``: the point; ``state``: complete, pruned or failed;
    ``same_as``: the earlier trial that plays the same.
    """

    trial: int
    parameters: Parameters
    state: str
    same_as: int | None

    @property
    def source(self) -> int:
        """The trial that played its games."""
        return self.trial if self.same_as is None else self.same_as

    @property
    def rate(self) -> float:
        """Share of the games won; 0 without any."""
        return self.wins / self.games if self.games else 0.0

    @property
    def note(self) -> str:
        """A remark, usually empty."""
        state = {"pruned": "given up", "failed": "failed"}
        same = "" if self.same_as is None else f"same as trial {self.same_as}"
        return ", ".join(filter(None, (state.get(self.state), same)))


@dataclass
class Played:
    """The outcome of a sweep.

    Attributes
    ----------
    lines : its finished trials, in order
    fresh : the chosen point on games that no trial played
    interrupted : whether Ctrl-C ended it
    """

    lines: list[Line] = field(default_factory=list)
    fresh: TrialResult | None = None
    interrupted: bool = False

    @property
    def best(self) -> Line | None:
        """The first complete trial with the highest win rate; None without one."""
        whole = [line for line in self.lines if line.state == "complete"]
        return max(whole, key=lambda line: line.rate, default=None)

    @property
    def failed(self) -> list[Line]:
        """The trials in which a game raised an exception."""
        return [line for line in self.lines if line.state == "failed"]
