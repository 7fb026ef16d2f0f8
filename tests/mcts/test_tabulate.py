"""Tables of problems in plain Python: values, trees, draws, refusals."""

import itertools
import math
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tiger_tables import make_tiger, search_value

from benchmarks.bench_plain import plain
from mcts.contract.testing import check_domain
from mcts.options import Budget, Options
from mcts.plain.enumerating import CannotFollow, list_outcomes
from mcts.plain.problem import Problem
from mcts.search import Search
from mcts.tabular.exact import exact_value
from mcts.tabular.tables import TablesFault, after


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_plain_problem_has_the_values_of_its_tables(steps):
    tables = plain(steps).tabulate()
    assert len(tables.states) == (6 if steps else 2)
    assert exact_value(tables, steps) == pytest.approx(exact_value(make_tiger(), steps), abs=1e-12)
    value = search_value(plain(steps).position(), 3_000, 0.2)
    assert abs(value - search_value(tables.position(), 3_000, 0.2)) < 2


def walk_problem(**more):
    """A walk to the end of a corridor, where only the end is seen."""
    parts = {
        "start": [0, 1],
        "actions": lambda at: [] if at == 3 else ["stay", "go"],
        "step": lambda at, action, chance: (at + (action == "go" and chance.random() < 0.7), -1.0),
        "observation": lambda at: "nothing",
        "low": -20,
        "high": 0,
        "steps": 20,
    }
    return Problem(**parts | more)


def test_terminal_states_are_seen():
    tables = walk_problem().tabulate()
    assert tables.legal_in(tables.states.index(3)) == []
    p = after(tables.position(), 1, 0)
    assert tables.states.index(3) not in p.state
    assert search_value(tables.position(rollout="mdp"), 20_000) == pytest.approx(
        -2.5 / 0.7, abs=0.3
    )
    assert check_domain(tables.position(), draws=64) > 0


def test_outcomes_replace_a_step():
    def outcomes(at, action):
        return [(0.7, at + 1, -1.0), (0.3, at, -1.0)] if action == "go" else [(1, at, -1.0)]

    tables = walk_problem(step=None, outcomes=outcomes).tabulate()
    other = walk_problem().tabulate()
    for action in range(2):
        for one, two in zip(tables.matrices(action), other.matrices(action), strict=True):
            assert one == pytest.approx(two)
    problem = walk_problem(step=None, outcomes=outcomes)
    drawn = [problem.step(0, "go", random.Random(key))[0] for key in range(2_000)]
    assert np.mean(drawn) == pytest.approx(0.7, abs=0.05)


@pytest.mark.parametrize(
    ("draw", "wanted"),
    [
        (lambda c: c.random() < 0.25, {True: 0.25, False: 0.75}),
        (lambda c: c.random() < 0.25, {True: 0.25, False: 0.75}),
        (lambda c: 1 - c.random() < 0.25, {True: 0.25, False: 0.75}),
        (lambda c: c.uniform(1, 3) >= 1.5, {True: 0.75, False: 0.25}),
        (
            lambda c: c.choice("xy") + str(c.randrange(2)),
            dict.fromkeys(["x0", "x1", "y0", "y1"], 0.25),
        ),
        (lambda c: c.choices("ab", [1, 3])[0], {"a": 0.25, "b": 0.75}),
        (
            lambda c: tuple(c.sample(range(3), 2)),
            dict.fromkeys(itertools.permutations(range(3), 2), 1 / 6),
        ),
        (lambda c: int(c.random() * 4), dict.fromkeys(range(4), 0.25)),
        (lambda c: c.randint(3, 4) * c.getrandbits(1), {0: 0.5, 3: 0.25, 4: 0.25}),
    ],
)
def test_chance_enumerates_what_it_can_follow(draw, wanted):
    found = Counter()
    for share, value in list_outcomes(draw):
        found[value] += share
    assert found == pytest.approx(wanted)


def compared_thrice(chance):
    x = chance.random()
    return "a" if x < 0.2 else "b" if x < 0.5 else "c" if x < 0.1 else "d"


def test_one_number_is_compared_several_times():
    found = {value: share for share, value in list_outcomes(compared_thrice)}
    assert found == pytest.approx({"a": 0.2, "b": 0.3, "d": 0.5})


@pytest.mark.parametrize(
    "draw",
    [
        lambda c: c.gauss(0, 1),
        lambda c: c.random() * c.random(),
        lambda c: math.exp(c.random()),
        lambda c: c.random() == 0.5,
        lambda c: bool(c.random()),
        lambda c: f"{c.random()}",
        lambda c: c.expovariate(1.0) < 2,
        lambda c: c.getrandbits(40),
    ],
)
def test_a_draw_that_cannot_be_followed_names_the_remedy(draw):
    with pytest.raises(CannotFollow, match=r"give outcomes\(state, action\)") as fault:
        list(list_outcomes(draw))
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (
            {"step": lambda at, action, chance: (at + 1, 0.0), "actions": lambda at: ["go"]},
            "more than 50 states",
        ),
        ({"step": None, "outcomes": lambda at, action: [(0.6, 3, 0.0)]}, "sum to 0.6, not 1"),
        ({"actions": lambda at: [] if at == 3 else ["go", at]}, "depend on what is hidden"),
        ({"actions": lambda at: []}, "over at its start"),
        (
            {"step": None, "outcomes": lambda at, action: [(1.5, 3, 0.0), (-0.5, 3, 0.0)]},
            "negative",
        ),
        (
            {"step": None, "outcomes": lambda at, action: [(1.0, 3)]},
            r"\(probability, state, reward\)",
        ),
        (
            {"step": lambda at, action, chance: (random.randrange(4), 0.0)},
            "step must draw from its chance alone",
        ),
        (
            {
                "available": lambda at, action: True,
                "players": 2,
                "mover": lambda at: 0,
                "seen": lambda at, who: 0,
                "payoff": lambda at, who: 0,
            },
            "several players with available",
        ),
    ],
)
def test_what_has_no_tables_is_refused(parts, said):
    with pytest.raises(TablesFault, match=said) as fault:
        walk_problem(**parts).tabulate(limit=50)
    assert "\n" not in str(fault.value)


def test_lists_may_depend_on_what_was_seen():
    tables = walk_problem(
        actions=lambda at: [] if at == 3 else ["go", at], observation=lambda at: at, start=[0]
    ).tabulate()
    assert [tables.actions[a] for a in tables.legal_in(tables.states.index(2))] == ["go", 2]


def deal(chance):
    """Kuhn poker for player 0 with the middle card: the other's, actions so far."""
    return 2 * chance.below(2), ()


def kuhn_payoff(state, player):
    other, made = state
    if made in ((0, 1, 0), (1, 0)):
        won = 1.0 if len(made) % 2 == 0 else -1.0
    else:
        won = (2.0 if 1 in made else 1.0) * (1 if other < 1 else -1)
    return won if player == 0 else -won


def kuhn_over(state):
    return len(state[1]) == 3 or (len(state[1]) == 2 and state[1] != (0, 1))


KUHN = Problem(
    start=deal,
    actions=lambda state: (0, 1),
    step=lambda state, action, chance: ((state[0], (*state[1], action)), 0.0),
    observation=lambda state: state[1],
    terminal=kuhn_over,
    low=-2.0,
    high=2.0,
    steps=3,
    players=2,
    trees=True,
    mover=lambda state: len(state[1]) % 2,
    seen=lambda state, player: (
        64 * (state[0] + 1) * player
        + 8 * len(state[1])
        + sum(bet << i for i, bet in enumerate(state[1]))
    ),
    payoff=kuhn_payoff,
)


@pytest.mark.parametrize("trees", [True, False])
def test_a_game_of_several_players_grows_the_tree_of_the_plain_one(trees):
    plain_kuhn = replace(KUHN, trees=trees)
    tables = plain_kuhn.tabulate()
    options = Options(selection="availability", exploration=0.5, nodes=1_000)
    found = [
        Search(p, options).run(Budget(simulations=2_000), 1)
        for p in (plain_kuhn.position(), tables.position())
    ]
    assert found[0].visits.tolist() == found[1].visits.tolist()
    assert found[0].values.tolist() == found[1].values.tolist()
    assert found[0].nodes == found[1].nodes
    other = replace(KUHN, trees=not trees).tabulate().position()
    assert (
        Search(other, options).run(Budget(simulations=2_000), 1).values.tolist()
        != found[1].values.tolist()
    )
    assert check_domain(tables.position(), draws=64) > 0
