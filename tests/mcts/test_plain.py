"""Problems in plain Python: the very tree of the compiled problem, known values, clear errors."""

import pickle
import re
import signal
import traceback
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.bench_plain import plain, step
from mcts.contract.testing import check_domain, check_search
from mcts.kernel.compile import INTERPRETED
from mcts.options import Budget, Options
from mcts.plain.problem import Problem
from mcts.problems import tiger
from mcts.search import Search

STEPS = 3
COMPILED = tiger.TigerParameters(steps=STEPS, rollout=tiger.RANDOM)
PLAIN = plain(STEPS)


def run_search(p, simulations=2_000, **options):
    """Return a search of the position ``p`` that has run, and its result."""
    search = Search(p, Options(**{"exploration": 0.2, "nodes": 1_000, **options}))
    return search, search.run(Budget(simulations=simulations), 1)


def tree(search):
    """Return the nodes and edges of a search with their statistics."""
    tree = search.tree
    nodes, edges = tree.order[: tree.counters[8]], slice(int(tree.counters[16]))
    return [
        tree.key[nodes].tolist(),
        tree.visits[nodes].tolist(),
        tree.action[edges].tolist(),
        tree.edge_visits[edges].tolist(),
        tree.edge_total[edges].tolist(),
    ]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"nodes": 1},
        {"rollouts_per_leaf": 3},
        {"widening_base": 1.0},
        {"common_random_numbers": True},
        {"selection": "availability"},
    ],
    ids=str,
)
def test_the_tree_is_that_of_the_compiled_problem(options):
    of_plain, of_compiled = (
        run_search(p, 200 if INTERPRETED else 2_000, **options)[0]
        for p in (PLAIN.position(), COMPILED)
    )
    assert tree(of_plain) == tree(of_compiled)


@pytest.mark.skipif(INTERPRETED, reason="too many simulations for the interpreter")
def test_three_steps_are_worth_what_they_are():
    """The roll-out policy listens; without a tree it is what three sounds cost."""
    listening = replace(PLAIN, rollout=lambda state, chance: tiger.LISTEN)
    values = run_search(listening.position(), 100_000, exploration=0.1)[1].values
    assert np.nanmax(values) == pytest.approx(2.3098, abs=0.4)
    flat = run_search(listening.position(), 2_000, nodes=1)[1].values
    assert np.nanmax(flat) == pytest.approx(-1 - 0.95 - 0.95**2)


def test_a_search_begins_with_the_belief_that_it_is_given():
    sure = PLAIN.position([(True, None)])
    assert PLAIN.action(run_search(sure)[1].best) == tiger.OPEN_RIGHT
    search, _ = run_search(PLAIN.position())
    assert search.run(Budget(simulations=500), 1, sure).best == tiger.OPEN_RIGHT
    assert search.run(Budget(simulations=500), 1).best == tiger.LISTEN


def test_it_meets_the_contract():
    assert check_domain(PLAIN.position(), paths=4, draws=8) > 10
    check_search(PLAIN.position(), simulations=100)


class Found(Exception):
    """Raised by a problem."""


@pytest.mark.parametrize("part", ["start", "actions", "step", "observation", "rollout", "terminal"])
@pytest.mark.parametrize("threads", [1, 2])
def test_what_a_problem_raises_comes_out_with_the_place(part, threads):
    calls = []

    def fails_the_third_time(*given):
        calls.append(given)
        if len(calls) > 2:
            raise Found("here")
        return getattr(replace(PLAIN, rollout=lambda *_: 0, terminal=lambda _: False), part)(*given)

    faulty = replace(PLAIN, **{part: fails_the_third_time})
    with pytest.raises(Found, match="here") as caught:
        run_search(faulty.position(), threads=threads, oversubscribe=True)
    message = "".join(traceback.format_exception(caught.value))
    assert "fails_the_third_time" in message
    assert run_search(PLAIN.position())[1].simulations == 2_000  # nothing of it is left


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"low": 3.0, "high": 3.0}, "low below high: 3.0 to 3.0"),
        ({"players": 2}, "a problem of 2 players needs mover"),
        ({"most_actions": 2}, "3 actions are more than the problem's most_actions, 2: raise it"),
        ({"step": lambda *_: ((True, 1), float("nan"))}, "is nan: it must be a number"),
        ({"low": -1e308, "high": 1e308}, "low is -1e.308: it must be a number, at most 1e"),
        ({"step": 5}, "step must be a function, not 5"),
        ({"start": 5}, "a belief is a function that draws a state, or a list of them, not 5"),
        ({"step": lambda *_: None}, "returns the next state and the reward, a number, not None"),
        ({"step": lambda *_: ((True, 1), "9")}, r"reward of 0 must be a number, not '9'"),
        ({"step": lambda *_: ((True, 1), np.ones(1))}, r"must be a number, not array\(\[1.\]\)"),
        ({"step": lambda *_: ((True, 1), 10**5000)}, "is an integer too large: it must be"),
        ({"observation": lambda _: 10**5000}, "observation.state. is a value of type int: Exceeds"),
        ({"available": lambda *_: 2}, "available.state, action. must be True or False, not 2"),
        ({"rollout": lambda *_: 7}, r"rollout.state, chance. chose 7, which is illegal in \("),
        ({"observation": lambda _: object()}, "made of numbers, words and tuples of them"),
        ({"actions": lambda _: "go"}, "actions.state. must return a list, not 'go'"),
        ({"actions": lambda _: None}, "actions.state. must return a list, not None"),
        ({"actions": lambda _: []}, r"began in a terminal state, \((True|False), None\)"),
    ],
)
def test_a_faulty_problem_is_refused(parts, message):
    with pytest.raises((ValueError, TypeError), match=message) as fault:
        run_search(replace(PLAIN, **parts).position(), action_types="action_type" in parts)
    assert "\n" not in str(fault.value)


def test_a_step_that_changes_the_state_it_is_given_is_found():
    """All simulations share the states of a belief that is a list."""

    def step(state, action, chance):
        state.append(action)
        return state, 0.0

    changing = replace(
        PLAIN,
        start=[[0], [1]],
        step=step,
        observation=lambda state: 0,
        terminal=lambda state: False,
    )
    with pytest.raises(AssertionError, match="leave its argument unchanged"):
        check_domain(changing.position(), paths=1, draws=2)
    leaving = replace(changing, step=lambda state, action, chance: ([*state, action], 0.0))
    check_domain(leaving.position(), paths=1, draws=2)


CORRIDOR = Problem(
    start=[0],
    actions=lambda state: ["left", "right"] if state else ["right"],
    step=lambda state, action, chance: (state + (1 if action == "right" else -1), 1.0),
    observation=lambda state: state,
    low=0,
    high=3,
    steps=3,
)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"rollout": lambda state, chance: "left"}, "chose 'left', which is illegal in 0"),
        (
            {"available": lambda at, move: at < 2 or move == "left", "rollout": lambda *_: "right"},
            "chose 'right', which is illegal in 2",
        ),
        ({"high": 2}, r"the return 3.0 after actions right \(seen: 1\), .* leaves the declared"),
    ],
)
def test_the_check_of_a_problem_speaks_of_its_actions(parts, said):
    with pytest.raises((AssertionError, ValueError), match=said):
        check_domain(replace(CORRIDOR, **parts).position(), paths=4, draws=8)


@pytest.mark.parametrize("seen", [lambda x: x, lambda x: ("at", np.array([x])), round])
def test_observations_that_never_recur_are_warned_of(seen, recwarn):
    """Rounded ones are the control."""
    noisy = replace(
        CORRIDOR,
        start=lambda chance: (0, 0.5),
        actions=lambda state: ["left", "right"],
        step=lambda state, action, chance: ((state[0] + 1, chance.random()), 1.0),
        observation=lambda state: seen(state[1]),
    )
    check_domain(noisy.position(), paths=2, draws=8)
    warned = [str(each.message) for each in recwarn.list]
    if seen is round:
        assert not warned
    else:
        (line,) = warned
        assert re.search("were seen once, .* looks only one action ahead; round .* POMCPOW", line)


def test_ctrl_c_ends_a_search_and_the_next_one_runs():
    calls = []

    def interrupts(state, action, chance):
        calls.append(action)
        if len(calls) == 5_000:  # the main thread has begun to wait
            signal.raise_signal(signal.SIGINT)
        return step(state, action, chance)

    with pytest.raises(KeyboardInterrupt):
        run_search(replace(PLAIN, step=interrupts).position(), 10_000_000)
    assert len(calls) >= 5_000
    assert run_search(PLAIN.position())[1].simulations == 2_000


def test_a_position_travels_to_another_process():
    sent = pickle.loads(pickle.dumps(PLAIN.position()))
    assert tree(run_search(sent)[0]) == tree(run_search(PLAIN.position())[0])
