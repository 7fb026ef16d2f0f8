"""A figure: a value with its interval and number of games."""

from dataclasses import dataclass
from typing import Self

from experiments.stats.intervals import Estimate, win_rate


@dataclass(frozen=True)
class Figure:
    """A value, its bounds, or both; unknown parts are None.

    ``value``: a share of 1, or a number in the unit of its quantity; ``low``, ``high``: the 95 %
    interval, both or neither; ``games``: number of games measured.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    games: int | None = None

    @classmethod
    def from_wins(cls, wins: int, games: int) -> Self:
        """Return the share of ``games`` won with its Wilson interval."""
        return cls.from_estimate(win_rate(wins, games), games)

    @classmethod
    def from_estimate(cls, estimate: Estimate, games: int) -> Self:
        """Return ``estimate`` as a figure of ``games`` games."""
        return cls(estimate.value, estimate.low, estimate.high, games)

    @property
    def bounds(self) -> tuple[float, float]:
        """The interval; of zero width for a value without one."""
        if self.low is not None and self.high is not None:
            return self.low, self.high
        assert self.value is not None
        return self.value, self.value

    @property
    def estimate(self) -> Estimate:
        """Value and interval; an unknown value becomes the middle of the interval."""
        low, high = self.bounds
        return Estimate((low + high) / 2 if self.value is None else self.value, low, high)

    def differs(self, other: Self) -> bool | None:
        """Return whether the two intervals are disjoint; None if both are missing."""
        if self.low is None and other.low is None:
            return None
        (low, high), (other_low, other_high) = self.bounds, other.bounds
        return low > other_high or other_low > high
