"""Strength per core: the gain of several simulated workers, against one that searches longer.

    python -m benchmarks.strength
    python -m benchmarks.strength measure=games simulations=8 count=600 workers=[4,16]

Slow modules are imported late.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from omegaconf import MISSING, DictConfig

from experiments import study
from experiments.settings.commandline import Refusal
from experiments.settings.limits import between, one_of
from mcts.kernel.allocation import cores

if TYPE_CHECKING:
    from benchmarks.strength.measures import Measure
    from benchmarks.strength.ways import Way

MOST = 100_000
"""Maximum number of positions or games, and of simulations per worker."""

_WORKERS = {"each": {"least": 1, "most": 4096}}


@dataclass
class Settings(study.Settings):
    """The schema of the configuration."""

    measure: str = one_of("positions", "games")
    count: int = between(2, MOST)
    searches: int = between(1, 1000)
    simulations: int = between(1, MOST)
    times: list[int] = field(default=MISSING, metadata=_WORKERS)
    workers: list[int] = field(default=MISSING, metadata=_WORKERS)
    threads: list[int] = field(default=MISSING, metadata=_WORKERS)


def job(settings: DictConfig, run: study.Run) -> None:
    """Measure, write the results and print them."""
    check(settings)
    from benchmarks.strength import measures, report
    from benchmarks.strength.ways import ways

    run.claim(report.ROWS)
    asked = list(ways(settings.times, settings.workers, settings.threads))
    by_name = {(way.name, way.workers): way for way in asked}

    def measure_of() -> Measure:
        if settings.measure == report.GAMES:
            found = measures.in_games(settings.seed, settings.simulations)
        else:
            found = measures.in_positions(
                settings.seed, settings.count, settings.simulations, settings.searches
            )
        for way in {way.name: way for way in reversed(asked)}.values():
            list(found(way, [0]))
        return found

    measured = run.compile(measure_of)
    units = [way.unit(case) for way in asked for case in range(settings.count)]
    rows = run.measure(units, partial(_measure, measured, by_name))
    found = report.figures(rows, settings.seed)
    described = {"measure": settings.measure, "figures": report.records(found)}
    asked_for: dict[str, Any] = {key: settings[key] for key in ("measure", "simulations")}
    shown = [report.table(found, asked_for)]
    run.finish(described, shown, [report.PLOT], partial(report.draw, found, asked_for))


def check(settings: DictConfig) -> None:
    """Raise Refusal for settings that ranges cannot exclude."""
    for name in ("times", "workers", "threads"):
        if len(set(settings[name])) < len(settings[name]):
            raise Refusal(f"{name} must list different numbers")
    if not settings.times or 1 not in settings.times:
        raise Refusal("times must include 1: the others are compared with one worker alone")
    if settings.measure == "games" and settings.searches > 1:
        raise Refusal("searches: each way plays a game once; give searches=1")
    if settings.threads and max(settings.threads) > cores():
        most = max(settings.threads)
        raise Refusal(f"threads={most}: this machine has {cores()} cores; give fewer")


def _measure(
    measured: Measure, by_name: dict[tuple[str, int], Way], left: list[str], _: Callable
) -> Generator[tuple[str, list[dict[str, Any]]]]:
    """Yield each unit of ``left`` with its rows, way by way."""
    split = (unit.rsplit("|", 2) for unit in left)
    for (name, workers), of_way in groupby(split, lambda parts: (parts[0], int(parts[1]))):
        way = by_name[name, workers]
        cases: Iterator[int] = (int(parts[2]) for parts in of_way)
        for case, rows in measured(way, cases):
            yield way.unit(case), rows


COMMAND = study.command("strength", Settings, job)
main = COMMAND.main

if __name__ == "__main__":
    main()
