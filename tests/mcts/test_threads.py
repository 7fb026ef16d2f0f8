"""Several threads on one tree: invariants that hold and can fail, budgets, cancelling, Ctrl-C."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from mcts import threads
from mcts.contract.testing import check_invariants
from mcts.kernel.compile import INTERPRETED
from mcts.options import IN_FLIGHT, Budget, Options
from mcts.problems.tiger import RANDOM, TigerParameters
from mcts.search import Search
from mcts.tree import SIMULATIONS

ROOT_FOLDER = Path(__file__).parents[2]

# Rewards, discount and range (16 x 16 = 256) such that scaled returns are multiples of 1/256.
EXACT = TigerParameters(steps=16, discount=1.0, listen=-1.0, tiger=-12.0, gold=4.0, rollout=RANDOM)
SIMULATED = 200 if INTERPRETED else 10_000


@pytest.mark.parametrize("in_flight", IN_FLIGHT)
@pytest.mark.parametrize("workers", [2, 8])
def test_invariants_hold_under_threads(workers, in_flight):
    options = Options(threads=workers, oversubscribe=True, nodes=SIMULATED, in_flight=in_flight)
    search = Search(EXACT, options)
    for seed in range(2):
        result = search.run(Budget(simulations=SIMULATED), seed)
        assert result.simulations == result.visits.sum() == SIMULATED
        check_invariants(search.tree, tolerance=0.0)


@pytest.mark.parametrize(("workers", "rollouts_per_leaf"), [(2, 1), (2, 8), (4, 2)])
def test_invariants_hold_where_threads_share_leaves(workers, rollouts_per_leaf):
    """(Each leaf is an average over a power of 2, so sums stay exact.)"""
    options = Options(
        mode="leaf",
        threads=workers,
        rollouts_per_leaf=rollouts_per_leaf,
        oversubscribe=True,
        nodes=SIMULATED,
    )
    search, leaves = Search(EXACT, options), SIMULATED // 100
    for seed in range(3):
        result = search.run(Budget(simulations=leaves * workers * rollouts_per_leaf), seed)
        assert result.simulations == leaves * workers * rollouts_per_leaf
        assert result.visits.sum() == search.tree.counters[SIMULATIONS] == leaves
        check_invariants(search.tree, tolerance=0.0)


LONG = Budget(simulations=20_000 if INTERPRETED else 2_000_000)
"""Some 20 seconds of a slow search: a test that fails to stop it ends all the same."""

SOON = 5.0
"""Seconds in which a search that is stopped ends, however busy the machine."""


def slow_search(workers=1, mode="tree"):
    """Return a search whose simulations take a while."""
    options = Options(threads=workers, mode=mode, oversubscribe=True, nodes=1_000)
    return Search(TigerParameters(steps=500, rollout=RANDOM), options)


def nothing_runs(search):
    """Return whether simulations have ceased."""
    before = int(search._control[threads.NEXT])
    time.sleep(0.05)
    return int(search._control[threads.NEXT]) == before


@pytest.mark.parametrize(("workers", "mode"), [(1, "tree"), (2, "tree"), (3, "leaf")])
def test_seconds_are_kept(workers, mode):
    search = slow_search(workers, mode)
    search.run(Budget(seconds=0.01), 0)

    def seconds_over(key):
        began = time.perf_counter()
        result = search.run(Budget(seconds=0.1), key)
        over = time.perf_counter() - began - 0.1
        playouts = search.options.playouts
        assert over >= 0.0
        assert result.simulations == playouts * search.tree.counters[SIMULATIONS] >= playouts
        check_invariants(search.tree)
        assert nothing_runs(search)
        return over

    assert any(seconds_over(key) < 0.02 for key in range(100))  # the machine may be busy


def once_it_searches(search, act):
    """Call ``act`` in a thread when simulations have begun, or after 10 seconds."""
    search._control[threads.NEXT] = 0

    def wait():
        for _ in range(1000):
            if search._control[threads.NEXT] > 1:
                break
            time.sleep(0.01)
        act()

    threading.Thread(target=wait).start()


def to_the_process():
    """Send Ctrl-C as a terminal does; the system chooses the thread, nearly always the main one."""
    os.kill(os.getpid(), signal.SIGINT)


def to_this_thread():
    """Send Ctrl-C to a thread that is not the main one, as the system may."""
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)


@pytest.mark.parametrize(
    ("workers", "mode", "budget", "send"),
    [
        (1, "tree", LONG, to_the_process),
        (1, "tree", Budget(seconds=20.0), to_this_thread),
        (3, "tree", LONG, to_this_thread),
        (3, "leaf", Budget(seconds=20.0), to_the_process),
    ],
)
def test_ctrl_c_stops_at_once(workers, mode, budget, send):
    search = slow_search(workers, mode)
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        send()

    once_it_searches(search, interrupt)
    with pytest.raises(KeyboardInterrupt):
        search.run(budget, 1)
    assert time.perf_counter() - sent[0] < SOON
    assert nothing_runs(search)
    assert search.run(Budget(simulations=12), 1).simulations == 12


@pytest.mark.parametrize(("workers", "mode"), [(1, "tree"), (3, "tree"), (3, "leaf")])
def test_cancel_returns_what_was_found(workers, mode):
    search = slow_search(workers, mode)
    once_it_searches(search, search.cancel)
    began = time.perf_counter()
    result = search.run(LONG, 1)
    assert time.perf_counter() - began < SOON
    assert result.simulations > 1
    check_invariants(search.tree)
    assert nothing_runs(search)


def test_an_error_in_one_worker_stops_the_others():
    control = threads.new_control()
    ended = []

    def call(worker, most):
        if worker == 1:
            raise RuntimeError("worker 1 fell over")
        while most > 1 and not control[threads.STOP]:
            time.sleep(0.001)
        ended.append(worker)
        return 0

    with pytest.raises(RuntimeError, match="worker 1 fell over"):
        threads.run(call, 3, control, 100, None)
    assert sorted(ended) == [0, 0, 2]  # worker 0 also ran the very first simulation


FORKED = """
import os
from mcts.options import Budget, Options
from mcts.search import Search
from mcts.problems.tiger import TigerParameters
search = Search(TigerParameters(), Options(nodes=100))
search.run(Budget(simulations=5), 1)
child = os.fork()
if child == 0:
    os._exit(0 if search.run(Budget(simulations=7), 1).simulations == 7 else 1)
print(os.waitpid(child, 0)[1])
"""


def test_a_forked_process_can_search():
    done = subprocess.run(
        [sys.executable, "-c", FORKED], cwd=ROOT_FOLDER, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "0\n", done.stderr


def test_ctrl_c_while_threads_begin_stops_those_that_have(monkeypatch):
    """Else they would search on behind the user's back."""
    control, begun, pool = threads.new_control(), [], threads._pool

    class Interrupting:
        def submit(self, work, worker):
            if begun:
                raise KeyboardInterrupt
            begun.append(pool.submit(work, worker))
            return begun[0]

    def until_told(worker, most):
        ended = time.monotonic() + 20
        while not control[threads.STOP] and time.monotonic() < ended:
            time.sleep(0.001)
        return int(control[threads.STOP])

    monkeypatch.setattr(threads, "_pool", Interrupting())
    with pytest.raises(KeyboardInterrupt):
        threads.run(until_told, 2, control, 10, None, together=True)
    assert begun[0].done() and control[threads.STOP] == 1
