"""Measures of the loss by parallelization: regret in late positions, or games."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import sim.players.registry
import sim.rules
from benchmarks.strength.virtual_workers import VirtualRoot
from benchmarks.strength.ways import Way
from experiments.matches import lineups
from experiments.settings import config
from mcts.merge import merge
from mcts.options import Budget, Options
from mcts.search import SearchResult
from sim.endgame.random_positions import endgames
from sim.planning.config import PlannerConfig
from sim.planning.planner import Planner
from sim.player import Player
from sim.referee import play

FIELD = ("player=best", "opponent=swift", "opponent.threshold=0.35")
"""The line-up of whole games: one planner, and three who accuse early."""

Row = dict[str, Any]
Measure = Callable[[Way, Iterable[int]], Iterator[tuple[int, list[Row]]]]
"""Maps a way and the numbers of cases to each number with its rows."""


class _Searching(Planner):
    """A planner that searches in a given way."""

    def __init__(self, way: Way, config: PlannerConfig, name: str) -> None:
        super().__init__(config, name)
        self._way = way

    def _run(self, position: Any) -> SearchResult:
        if self.search is None:
            self.search = self._way.make(position, self.config.search_options)
        return super()._run(position)


def in_positions(seed: int, count: int, simulations: int, searches: int) -> Measure:
    """Return the measure of regret, a share of 1, of first decisions in ``count`` positions.

    ``simulations``: per worker; ``searches``: per position.  Leaf parallelization is excluded: from
    a leaf of these positions all roll-outs of a deal end alike.
    """
    positions = list(islice(endgames(seed), count))

    def measure(way: Way, cases: Iterable[int]) -> Iterator[tuple[int, list[Row]]]:
        budget = Budget(simulations=simulations * way.workers)
        planner = _Searching(way, _planner(budget), way.name)
        for case in cases:
            rows = []
            for search in range(searches):
                key = searches * case + search
                positions[case].sit(planner, key)
                began = time.process_time()
                action = positions[case].choice(planner, key)
                seconds = time.process_time() - began
                for rule, chosen in _choices(way, planner, action):
                    lost = positions[case].regret(chosen)
                    rows.append(_row(way.label(rule), way.workers, case, search, lost, seconds))
            yield case, rows

    return measure


def _planner(budget: Budget) -> PlannerConfig:
    """Return the configuration of planners of late positions: as in `docs/results/regret.md`."""
    assert budget.simulations is not None
    options = Options(
        exploration=0.15,
        root_exploration=1.0,
        widening_base=2.0,
        widening_exponent=0.35,
        nodes=budget.simulations + 1,
        oversubscribe=True,
    )
    return PlannerConfig(
        opponents="uniform", candidates=36, accusations=8, options=options, budget=budget
    )


def _choices(way: Way, planner: Planner, action: int) -> Iterator[tuple[str, int]]:
    """Yield each merge rule with its choice."""
    if not way.rules:
        yield "", action
        return
    assert isinstance(planner.search, VirtualRoot)
    for rule in way.rules:
        yield rule, int(merge(planner.search.results, rule).best)


def in_games(seed: int, simulations: int) -> Measure:
    """Return the measure of games lost by ``best`` against three ``swift``; 1 is a lost game."""

    def measure(way: Way, cases: Iterable[int]) -> Iterator[tuple[int, list[Row]]]:
        budget = f"player.budget.simulations={simulations * way.workers}"
        settings = config.compose("compare", [*FIELD, budget, f"seed={seed}"])
        (match,) = lineups.matches(settings)
        rules = sim.rules.preset(**match.rules)

        @cache
        def player(entrant: int, place: int) -> Player:
            made = sim.players.registry.make(match.entrants[entrant], rules)
            if entrant != match.measured:
                return made
            assert isinstance(made, Planner)
            return _Searching(way, replace(made.config), made.name)

        for case in cases:
            who = match.seating.at([case]).tolist()[0]
            seats = [player(one, who[:place].count(one)) for place, one in enumerate(who)]
            began = time.process_time()
            result = play(rules, seats, seed, case)
            seconds = time.process_time() - began
            lost = not result.seats[who.index(match.measured)].won
            yield case, [_row(way.name, way.workers, case, 0, float(lost), seconds)]

    return measure


def _row(way: str, workers: int, case: int, search: int, lost: float, seconds: float) -> Row:
    return {
        "way": way,
        "workers": workers,
        "case": case,
        "search": search,
        "lost": lost,
        "seconds": seconds,
    }
