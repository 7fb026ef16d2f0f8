"""Closed loops of small problems: the returns of planning over episodes.

    python -m experiments.episodes problem=rocksample map=[7,8] simulations=10000 episodes=300
    python -m experiments.episodes problem=game.py:problem particles=500
    python -m experiments.episodes problem=light_dark planner=pomcpow particles=10000
    python -m experiments.episodes paper=pomcpow episodes=1000 particles=10000

Slow modules are imported late.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

from omegaconf import MISSING, DictConfig

from experiments import study
from experiments.settings import schemas
from experiments.settings.commandline import Refusal
from experiments.settings.limits import WORKERS, as_option, between, one_of
from mcts.options import MOST_NODES, Budget, Options

MOST_EPISODES = 1_000_000
MOST_STEPS = 10_000
MOST_PARTICLES = 1_000_000


@dataclass
class Settings(study.Settings):
    """The schema of the configuration."""

    problem: str = MISSING
    map: list[int] = field(default=MISSING, metadata={"each": {"least": 1, "most": 1000}})
    episodes: int = between(2, MOST_EPISODES)
    steps: int | None = between(1, MOST_STEPS)
    horizon: int | None = between(1, MOST_STEPS)
    simulations: int = as_option(Budget, "simulations")
    nodes: int | None = between(1, MOST_NODES)
    exploration: float | None = field(default=MISSING, metadata={"above": 0, "most": 1e9})
    final: str = as_option(Options, "final")
    rollout: str = one_of("informed", "random", "mdp", "fib", "mean")
    discount: float | None = field(default=MISSING, metadata={"above": 0, "most": 1})
    strict: bool = MISSING
    particles: int = between(1, MOST_PARTICLES)
    workers: int = between(1, WORKERS)
    ray: schemas.Ray = field(default_factory=schemas.Ray)
    planner: str | None = MISSING
    leaf: str | None = one_of(None, "values", "random", "greedy")
    paper: str | None = one_of(None, "pomcpow")
    only: list[str] | None = MISSING


def job(settings: DictConfig, run: study.Run) -> None:
    """Play, write the results and print them."""
    if len(settings.map) != 2:
        raise Refusal(f"map={list(settings.map)}: give n and k, as in map=[7,8]")
    from experiments.episodes import problems, report, workers

    if settings.paper is not None:
        _play_table(settings, run)
        return
    names = {one.name for one in fields(problems.Setup)} - {"map", "path"}
    setup = problems.Setup(map=tuple(settings.map), **{name: settings[name] for name in names})
    problems.check(setup)
    run.claim(report.ROWS, problems.describe_file(setup))
    run.compile(lambda: problems.player(setup))

    def measure(left: list[int], _: Any) -> Generator[tuple[int, list[dict[str, Any]]]]:
        yield from workers.play(setup, left, settings.workers, settings.ray.address)

    rows = run.measure(range(settings.episodes), measure)
    title, bounds = report.title_of(settings), problems.returns(setup)
    run.finish(
        {"problem": title, **report.describe(rows, bounds)},
        [report.table(rows, title, bounds)],
        [report.PLOT],
        lambda folder: report.draw(rows, title, folder / report.PLOT),
    )


def _play_table(settings: DictConfig, run: study.Run) -> None:
    """Play the missing cells of the table, and show all."""
    for name in ("steps", "horizon"):
        if settings[name] is not None:
            raise Refusal(f"{name}={settings[name]}: set by paper={settings.paper}; leave it out")
    from experiments.episodes import report

    run.claim(report.CELL_ROWS)
    portions = report.units(report.cells(settings.only, settings.leaf), settings.episodes)
    how = {name: settings[name] for name in ("simulations", "particles", "seed")}
    rows = run.measure_each(portions, partial(report.measure, **how))
    shown = report.table_of_cells(rows, settings.simulations)
    lines = [list(map(str, line)) for line in shown.rows]
    run.finish({"cells": lines}, [shown], [], lambda _: None)


COMMAND = study.command("episodes", Settings, job)
main = COMMAND.main

if __name__ == "__main__":
    main()
