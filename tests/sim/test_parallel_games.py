"""Whole games of planners with parallel search: Ray workers, and threads on one tree."""

from __future__ import annotations

import numpy as np
import pytest
from presets import spec_of

from mcts.distributed import local_ray
from mcts.merge import merge
from mcts.root import RootSearch, shares, worker_key
from mcts.search import Search
from sim.player import PolicyPlayer
from sim.players.registry import make
from sim.referee import play
from sim.rules import preset

RULES = preset("speed", turn_cap=16)
BUDGET = {"budget.simulations": 60}
WORKERS = {"search.mode": "root", "search.workers": 2, "search.oversubscribe": True, **BUDGET}


@pytest.fixture(scope="module")
def ray():
    local_ray.start(2)
    return local_ray.ray


def seat(name, **settings):
    """Return the planner and its company, three policies."""
    planner = make(spec_of(name, **settings), RULES)
    return [planner, *(PolicyPlayer("swift") for _ in range(3))]


@pytest.mark.parametrize("name", ["bmcts", "so_ismcts", "ld_bmcts"])
def test_a_game_over_ray_workers_is_that_of_two_searches_made_here(ray, name, monkeypatch):
    decided, processes = [], set()
    run = RootSearch.run

    def compare(self, budget, key, p=None):
        result = run(self, budget, key, p)
        options = self.options
        here = [
            Search(p, options).run(share, worker_key(key, worker), p)
            for worker, share in enumerate(shares(budget, self.workers))
        ]
        expected = merge(here, self.merge, options.final)
        assert np.array_equal(result.visits, expected.visits)
        assert np.array_equal(result.values, expected.values, equal_nan=True)
        decided.append(result.best)
        processes.update(self.places)
        return result

    monkeypatch.setattr(RootSearch, "run", compare)
    played = play(RULES, seat(name, **WORKERS), 5, 0)
    assert len(decided) >= 2 and len(processes) == 2
    assert played.seats[0].simulations == 60 * len(decided)
