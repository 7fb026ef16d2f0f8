"""Root parallelization: the result of the same searches made here, whatever befalls the workers.

Ray runs as two nodes of one CPU on this machine.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np
import pytest
from numba import typeof

from mcts import root
from mcts.distributed import local_ray
from mcts.merge import merge
from mcts.options import MERGES, Budget, Options, cores
from mcts.problems.tiger import RANDOM, TigerParameters
from mcts.root import RootSearch, SearchersLost, shares, worker_key
from mcts.search import Search, SearchResult

ray = root.ray

TIGER = TigerParameters(left=0.7, steps=60, rollout=RANDOM)
ELSEWHERE = TIGER._replace(left=0.2)
OPTIONS = Options(exploration=0.1, nodes=2_000)
BUDGET = Budget(simulations=301)
LONG = Budget(simulations=250_000)
"""About a third of a second a worker."""
ENDLESS = Budget(simulations=30_000_000)
"""Some 20 seconds a worker, so that a test that fails to stop it ends all the same."""


@pytest.fixture(scope="module", autouse=True)
def two_nodes() -> Iterator[None]:
    from ray.cluster_utils import Cluster

    others = ray.is_initialized()  # other tests of this process may use it, before and after
    local_ray.stop()
    with local_ray.authentication(), local_ray.without_onlookers():
        node = {"num_cpus": 1, "object_store_memory": 128 * 1024**2}
        cluster = Cluster(True, head_node_args=node | {"include_dashboard": False})
        try:
            cluster.add_node(**node)
            ray.init(cluster.address, logging_level="critical", log_to_driver=False)
            yield
        finally:
            ray.shutdown()
            cluster.shutdown()
    if others:
        local_ray.start(cores())


@pytest.fixture(scope="module")
def shared_searches(two_nodes: None) -> Iterator[list[RootSearch]]:
    searches: list[RootSearch] = []
    yield searches
    for search in searches:
        search.close()


@pytest.fixture
def workers(shared_searches: list[RootSearch]) -> RootSearch:
    """Two workers, on all the CPUs, for tests that leave two living ones."""
    if not shared_searches:
        shared_searches.append(RootSearch(TIGER, OPTIONS, 2))
    return shared_searches[0]


def made_here(
    rule: str = "visits", budget: Budget = BUDGET, p: TigerParameters = TIGER, key: int = 1
) -> SearchResult:
    """Return what two workers should find, searched one after the other in this process."""
    search = Search(p, OPTIONS)
    results = [
        search.run(share, worker_key(key, worker)) for worker, share in enumerate(shares(budget, 2))
    ]
    return merge(results, rule, OPTIONS.final)


def same(one: SearchResult, other: SearchResult) -> bool:
    """Return whether two results are equal to the last bit, times apart."""
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name), equal_nan=True)
        if isinstance(getattr(one, field.name), np.ndarray)
        else getattr(one, field.name) == getattr(other, field.name)
        for field in fields(SearchResult)
        if field.name not in ("seconds", "phases", "lost")
    )


def has_ended(process: int) -> bool:
    """Wait until ``process`` is gone; return whether it is."""
    for _ in range(500):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def test_shares_are_equal_and_complete():
    split = shares(Budget(simulations=11, seconds=2.0), 4)
    assert [share.simulations for share in split] == [3, 3, 3, 2]
    assert {share.seconds for share in split} == {2.0}
    assert shares(Budget(simulations=2), 4) == [Budget(simulations=1)] * 2
    assert shares(Budget(seconds=0.5), 3) == [Budget(seconds=0.5)] * 3


def test_one_position_after_another_as_searched_here(workers):
    first = workers.run(BUDGET, 1)
    assert same(first, made_here())
    assert (first.workers, first.replaced, first.lost) == (2, 0, 0)
    assert repr(first).startswith("RootResult(best ")
    assert first.visits.sum() == first.simulations == 301
    assert not same(first, workers.run(BUDGET, 2)), "another key, the same search"
    assert same(workers.run(BUDGET, 1, ELSEWHERE), made_here(p=ELSEWHERE))
    assert same(first, workers.run(BUDGET, 1))


@pytest.mark.parametrize("rule", MERGES)
def test_roots_are_merged_by_the_rule(workers, rule, monkeypatch):
    monkeypatch.setattr(workers, "merge", rule)
    assert same(workers.run(BUDGET, 3), made_here(rule, key=3))


class Mixed(NamedTuple):
    """All kinds of arrays that a position may hold."""

    table: np.recarray
    nested: TigerParameters
    tuples: tuple
    fixed: np.ndarray
    number: int


def test_positions_arrive_with_the_same_numba_type():
    record = np.dtype([("hand", np.int64, (3,)), ("seat", np.int8)], align=True)
    fixed = np.arange(50_000.0)  # large enough for Ray's store, where arrays are read-only
    fixed.flags.writeable = False
    sent = Mixed(
        table=np.zeros(2, record).view(np.recarray),
        nested=TIGER,
        tuples=(np.arange(50_000), np.zeros((3, 2), order="F"), np.zeros(0, record)),
        fixed=fixed,
        number=3,
    )

    @ray.remote(num_cpus=0)
    def describe_types(position, packed):
        return str(typeof(pickle.loads(packed))), str(typeof(position.tuples))

    packed = pickle.dumps(sent, pickle.HIGHEST_PROTOCOL)
    by_pickle, by_ray = ray.get(describe_types.remote(ray.put(sent), ray.put(packed)))
    assert by_pickle == str(typeof(sent))
    assert by_ray != str(typeof(sent.tuples)), "Ray's own way would do"


def test_a_worker_killed_while_idle_is_replaced(workers):
    before = list(workers.places)
    os.kill(before[1].process, signal.SIGKILL)
    result = workers.run(BUDGET, 1)
    assert (result.replaced, result.lost) == (1, 0)
    assert same(result, made_here())
    assert workers.places[0] == before[0]
    assert workers.places[1].process != before[1].process
    assert workers.run(BUDGET, 1).replaced == 0


def test_a_worker_killed_while_searching_is_replaced(workers):
    kill = threading.Timer(0.1, os.kill, (workers.places[0].process, signal.SIGKILL))
    kill.start()
    result = workers.run(LONG, 1)
    assert (result.replaced, result.lost) == (1, 0)
    assert same(result, made_here(budget=LONG))


def test_the_share_of_a_worker_that_always_dies_is_reported_lost(workers, monkeypatch):
    search_of_the_living = workers._search

    def doom(*doomed):
        def search(tasks):
            for worker in doomed:
                ray.kill(workers._actors[worker])
                assert has_ended(workers.places[worker].process)  # it might answer first
            return search_of_the_living(tasks)

        monkeypatch.setattr(workers, "_search", search)

    doom(1)
    monkeypatch.setattr(root, "DEATHS_SURVIVED", 1)
    result = workers.run(BUDGET, 1)
    assert (result.workers, result.replaced, result.lost) == (2, 1, 1)
    assert same(result, Search(TIGER, OPTIONS).run(Budget(simulations=151), worker_key(1, 0)))

    doom(0, 1)
    monkeypatch.setattr(root, "DEATHS_SURVIVED", 0)
    with pytest.raises(SearchersLost, match="none of the 2 workers"):
        workers.run(BUDGET, 1)

    doom()
    monkeypatch.setattr(root, "DEATHS_SURVIVED", 1)
    monkeypatch.setattr(root, "_node_cpus", lambda: [1.0])  # as if a node had gone
    result = workers.run(BUDGET, 1)
    assert (result.replaced, result.lost) == (1, 1)
    monkeypatch.undo()
    healed = workers.run(BUDGET, 1)
    assert (healed.replaced, healed.lost) == (1, 0)
    assert same(healed, made_here())


def test_cancel_returns_what_was_found(workers):
    canceller = threading.Timer(0.3, workers.cancel)
    canceller.start()
    result = workers.run(ENDLESS, 1)
    canceller.join()
    assert 0 < result.simulations == result.visits.sum() < ENDLESS.simulations
    assert same(workers.run(BUDGET, 1), made_here())


def test_a_cancel_before_the_start_leaves_one_simulation_of_one_search(workers):
    workers.cancel()
    workers._turn = None  # as while it runs
    with pytest.raises(RuntimeError, match="this search is running"):
        workers.run(BUDGET, 1)
    del workers._turn
    assert workers.run(ENDLESS, 1).simulations == 1
    assert same(workers.run(BUDGET, 1), made_here())


def test_a_cancel_ends_the_search_that_it_is_of_and_no_other():
    """It may arrive in a worker before that search, or after."""
    worker = root._Worker()
    worker.prepare((root.Search, type(TIGER), root._pack(TIGER)), OPTIONS, root.digest())
    worker.cancel(1)
    assert worker.run({}, BUDGET, 1, 1).simulations == 1
    worker.cancel(1)
    assert worker.run({}, BUDGET, 1, 2).simulations == BUDGET.simulations


def test_ctrl_c_ends_the_search_and_leaves_the_workers(workers):
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        workers.run(ENDLESS, 1)
    result = workers.run(BUDGET, 1)
    assert result.replaced == 0
    assert same(result, made_here())


def test_what_a_search_raises_is_raised_here(workers):
    with pytest.raises(ValueError, match=r"an empty range$"):
        workers.run(BUDGET, 1, TIGER._replace(steps=0))
    assert same(workers.run(BUDGET, 1), made_here())


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"workers": 3}, "3 workers of 1 CPUs each are more than the 2 that Ray's nodes hold"),
        ({"workers": 1, "cpus_per_worker": 2}, "1 workers of 2 CPUs each are more than the 0"),
        ({"workers": 0}, "workers must be a whole number from 1, not 0"),
        ({"merge": "best"}, "merge must be visits or value or vote, not 'best'"),
    ],
)
def test_what_cannot_be_is_refused_at_once(wanted, message):
    with pytest.raises(ValueError, match=message):
        RootSearch(TIGER, OPTIONS, **wanted)


def test_workers_that_find_no_room_are_not_waited_for_for_ever(workers):
    with pytest.raises(TimeoutError, match=r"Ray started 0 of 1 workers in 0.2 seconds"):
        RootSearch(TIGER, OPTIONS, 1, start_seconds=0.2)


def test_oversubscribed_workers_fit_and_end_when_closed(shared_searches):
    while shared_searches:  # they have all the CPUs
        shared_searches.pop().close()
    options = replace(OPTIONS, threads=2, oversubscribe=True)
    with RootSearch(TIGER, options, 3) as search:
        processes = {place.process for place in search.places}
        handles = list(search._actors)  # without any, Ray would end the processes by itself
        result = search.run(BUDGET, 1)
    assert result.visits.sum() == result.simulations == 301
    assert len(processes) == 3
    assert handles and all(has_ended(process) for process in processes)
    search.close()
    with pytest.raises(ValueError, match="the search is closed"):
        search.run(BUDGET, 1)
