"""Shared parts of the comparisons: interleaved rates, means with intervals, one table."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence

from scipy.special import stdtrit

Work = Callable[[int], object]
"""Runs the given number of simulations of one search."""

LEAST_SECONDS = 0.2
"""Minimum CPU time of one measurement."""


def rates(contestants: dict[str, Work], rounds: int) -> dict[str, list[float]]:
    """Return simulations per CPU second, one figure per round; all contestants play in each round.

    The number of simulations that fill the minimum time is determined first, for each separately.
    """
    simulations = {name: _enough(work) for name, work in contestants.items()}
    found: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, work in contestants.items():
            found[name].append(simulations[name] / _seconds(work, simulations[name]))
    return found


def ratios(found: dict[str, list[float]]) -> dict[str, tuple[float, float, float]]:
    """Return the first contestant's rate over that of each: median, minimum, maximum of the rounds.

    A ratio is within one round, so a machine of varying speed affects it little.
    """
    first = next(iter(found.values()))
    return {
        name: (statistics.median(each), min(each), max(each))
        for name, theirs in found.items()
        for each in [[a / b for a, b in zip(first, theirs, strict=True)]]
    }


def _seconds(work: Work, simulations: int) -> float:
    began = time.process_time()
    work(simulations)
    return max(time.process_time() - began, 1e-6)


def _enough(work: Work) -> int:
    """Return the simulations that fill the minimum time, after a first call that compiles."""
    simulations = 100
    work(simulations)
    while (took := _seconds(work, simulations)) < LEAST_SECONDS / 2:
        simulations *= 4
    return max(1, round(simulations * LEAST_SECONDS / took))


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean, and half the width of its 95 % interval by Student's t; nan below two."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, math.nan
    error = statistics.stdev(values) / math.sqrt(len(values))
    return mean, float(stdtrit(len(values) - 1, 0.975)) * error


def in_time(speed: list[float], milliseconds: float) -> int:
    """Return the simulations that the median of ``speed``, per second, makes in the time."""
    return max(2, round(statistics.median(speed) * milliseconds / 1000))


class Table:
    """One table in Markdown, printed row by row as figures arrive."""

    def __init__(self) -> None:
        print("| problem | what | planner | figure | ours over it |")
        print("|---|---|---|---|---|", flush=True)

    def row(self, problem: str, what: str, planner: str, figure: str, ratio: str = "") -> None:
        """Print a row."""
        print(f"| {problem} | {what} | {planner} | {figure} | {ratio} |", flush=True)

    def speeds(self, problem: str, found: dict[str, list[float]]) -> None:
        """Print rates, and the first planner's over each of the others'."""
        over = ratios(found)
        for i, (name, each) in enumerate(found.items()):
            middle, least, most = over[name]
            ratio = f"{middle:.3g} ({least:.3g} to {most:.3g})" if i else ""
            figure = f"{statistics.median(each):,.0f}"
            self.row(problem, "simulations a CPU second", name, figure, ratio)

    def means(self, problem: str, what: str, found: dict[str, list[float]]) -> None:
        """Print means with their intervals."""
        for name, values in found.items():
            mean, half = interval(values)
            self.row(problem, what, name, f"{mean:.3f} +- {half:.3f} ({len(values)})")
