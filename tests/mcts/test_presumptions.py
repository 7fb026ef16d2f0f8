"""A search checks what it presumes: one run at a time, a position that fits it and its tree."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from ladder import Ladder, fingerprint, run_search
from tabled import tiger

from benchmarks.bench_plain import plain
from mcts import threads
from mcts.continuous.planner import Planner
from mcts.continuous.planner import Search as Choices
from mcts.options import Budget, Options
from mcts.plain.problem import Problem
from mcts.problems.rocksample import rocksample
from mcts.problems.tiger import RANDOM, TigerParameters
from mcts.search import OutOfRange, Search

FEW = Budget(simulations=200)


def fresh(p, **options):
    """Return the print of the tree of a search made for ``p``."""
    search = Search(p, Options(**{"nodes": 2_000, **options}))
    search.run(FEW, 7)
    return fingerprint(search.tree)


@pytest.mark.parametrize("call", ["run", "advance", "forget"])
def test_a_running_search_refuses_and_is_not_disturbed(call):
    """The problem calls the search that searches it: from one of its threads."""
    refused, calls = [], {"run": (FEW, 1), "advance": (0, 0), "forget": ()}
    usual = plain(3)

    def step(*given):
        if not refused:
            with pytest.raises(RuntimeError, match="is running: make one per thread") as fault:
                getattr(search, call)(*calls[call])
            refused.append(fault)
        return usual.step(*given)

    p = replace(usual, step=step).position()
    search = Search(p, Options(nodes=2_000))
    assert search.run(FEW, 7).visits.sum() == 200
    assert refused and fingerprint(search.tree) == fresh(usual.position())
    search.run(FEW, 7)
    assert fingerprint(search.tree) == fresh(usual.position())


def test_a_planner_checks_what_it_is_given():
    planner = Planner(tiger(), Choices("pomcpow", 60.0, depth=2, leaf="random"), 50)
    belief = np.tile([[0.0], [1.0]], (20, 1))
    planner._turn = None  # as while it runs
    for call in (lambda: planner.choose(belief, 1), lambda: planner.move(tiger())):
        with pytest.raises(RuntimeError, match="this search is running"):
            call()
    del planner._turn
    for wrong in (belief[0], np.hstack([belief, belief]), belief[:0]):
        with pytest.raises(ValueError, match="particles must be rows of 1 numbers"):
            planner.choose(wrong, 1)
    assert planner.choose(belief.astype(np.float32), 1) == planner.choose(belief, 1)
    with pytest.raises(ValueError, match="left must be a whole number from 1, not 0"):
        planner.choose(belief, 1, 0)
    with pytest.raises(ValueError, match="made for another problem"):
        planner.move(tiger()._replace(discount=0.5))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (TigerParameters(steps=2, rollout=RANDOM), TigerParameters(steps=12, rollout=RANDOM)),
        (Ladder(length=2, width=2), Ladder(length=5, width=9)),
        (plain(2).position(), plain(9).position()),
        (rocksample(5, [(1, 1)], steps=9), rocksample(5, [(1, 1), (3, 3), (2, 4)], steps=9)),
    ],
    ids=["deeper", "wider", "plain", "more arrays"],
)
@pytest.mark.parametrize("options", [{}, {"edges": 20}, {"mode": "leaf", "threads": 1}], ids=str)
def test_a_position_of_any_size_is_searched_as_by_a_search_made_for_it(first, second, options):
    search = Search(first, Options(nodes=2_000, **options))
    for p in (second, first, second):
        search.run(FEW, 7, p)
        assert fingerprint(search.tree) == fresh(p, **options)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Search(Ladder(), Options(mode="root", workers=2)), "make a RootSearch"),
        (lambda: Search(Ladder(), 5), "options must be Options, not 5"),
        (lambda: Search(Ladder(length=0)), "max_depth must be a whole number from 1, not 0"),
        (lambda: run_search(9)[0].run(9, 1), "budget must be a Budget, not 9"),
        (lambda: run_search(9)[0].run(FEW, 1, TigerParameters()), "of type Ladder, not Tiger"),
        (lambda: run_search(9)[0].advance("up", 0), "action must be a whole number"),
    ],
)
def test_what_a_search_cannot_use_is_refused(call, said):
    with pytest.raises((ValueError, TypeError), match=said):
        call()


@pytest.mark.parametrize(("how", "playouts"), [({}, 1), ({"threads": 3}, 1), ({"mode": "leaf"}, 2)])
def test_a_cancel_before_the_start_leaves_one_simulation(how, playouts):
    options = Options(**{"nodes": 500, "oversubscribe": True, "threads": playouts, **how})
    search = Search(Ladder(), options)
    search.cancel()
    result = search.run(Budget(seconds=1000.0), 1)
    assert (result.simulations, result.visits.sum(), result.best) == (playouts, 1, 3)
    assert search.run(FEW, 1).simulations == 200  # it is used up


def test_a_cancel_at_any_moment_of_the_start_is_heard(monkeypatch):
    search, run = Search(Ladder(), Options(nodes=500)), threads.run

    def cancel_first(*given):
        search.cancel()
        run(*given)

    monkeypatch.setattr(threads, "run", cancel_first)
    assert search.run(Budget(seconds=1000.0), 1).simulations == 1


def test_a_kept_tree_is_searched_with_a_position_that_fits_it_alone():
    search, _ = run_search(300)
    assert search.advance(3, 1)
    with pytest.raises(ValueError, match="after advance, give run the position that followed"):
        search.run(FEW, 1)
    for other in (Ladder(width=3), Ladder(width=6)):
        with pytest.raises(ValueError, match="position with other actions"):
            search.run(FEW, 1, other)
    kept = search.run(FEW, 1, Ladder(begin=1))
    assert kept.visits.sum() > kept.simulations == 200
    assert search.advance(0, 0)
    search.forget()
    assert search.run(FEW, 1).visits.sum() == 200


def test_a_node_is_kept_if_all_that_it_lists_is_legal():
    search, _ = run_search(300)
    with pytest.raises(ValueError, match="with other actions"):
        search.advance(3, 1, legal=[0, 1, 2])
    search, _ = run_search(300)
    assert search.advance(3, 1, legal=range(9))
    assert search.run(FEW, 1, Ladder(begin=1, width=9)).visits.sum() > 200


def test_nothing_is_kept_of_a_search_that_failed_or_where_nothing_can_be_done():
    search, _ = run_search(300)
    with pytest.raises(ValueError, match="the rung broke"):
        search.run(Budget(simulations=100), 1, Ladder(trap=1))
    assert not search.advance(3, 1)
    assert not run_search(300, p=Ladder(lists=1))[0].advance(3, 1)


def test_a_value_outside_the_declared_range_is_warned_of_in_words(recwarn):
    run_search(50, p=Ladder(tail=16.0))
    assert not recwarn.list
    with pytest.warns(OutOfRange, match="action 3 is worth .*, outside the declared 0 to 16"):
        search, _ = run_search(1, p=Ladder(tail=64.0))
    search.run(FEW, 1)  # once is enough
    assert not recwarn.list
    problem = Problem(
        start=[0],
        actions=lambda state: ["sell", "keep"],
        step=lambda state, action, chance: (1, 50.0 * (action == "sell")),
        observation=lambda state: 0,
        low=0,
        high=20,
        steps=1,
    )
    with pytest.warns(OutOfRange, match="action sell is worth 50, outside the declared 0 to 20"):
        Search(problem.position()).run(FEW, 1)


def test_states_are_numbered_once_by_searches_of_several_threads():
    """Every number is of one state, however threads meet new ones."""
    problem = Problem(
        start=[(0,)],
        actions=lambda state: [1, 2, 3],
        step=lambda state, action, chance: ((*state, action), 0.0),
        observation=lambda state: sum(state),
        low=0,
        high=1,
        steps=6,
        same=True,
    )
    p = problem.position()
    options = Options(nodes=2_000, threads=4, oversubscribe=True)
    searches = [threading.Thread(target=Search(p, options).run, args=(FEW, n)) for n in range(3)]
    for each in searches:
        each.start()
    for each in searches:
        each.join()
    searched = p.number.searched
    first = {state: cells[0] for state, cells in searched.known.items()}
    assert all(searched.states[number] == state for state, number in first.items())
