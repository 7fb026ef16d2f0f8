"""The search in one file of plain Python (`mcts.reference`) grows the kernel's tree, bit by bit."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from benchmarks.bench_plain import plain
from mcts.kernel.compile import INTERPRETED
from mcts.kernel.rng import fold
from mcts.options import H_MCTS, Budget, Options
from mcts.plain.problem import Problem
from mcts.plain.values import number
from mcts.problems import tiger
from mcts.reference import Reference, best
from mcts.search import Search
from mcts.tree import EXPANDED, NODES, ROOT_KEY, child_key

SIMULATIONS = 150 if INTERPRETED else 600

TIGER = plain(steps=3)
LISTENING = replace(TIGER, rollout=lambda state, chance: tiger.LISTEN)

WALK = Problem(
    start=[3],
    actions=lambda x: ["left", "right"] if x else ["right"],
    step=lambda x, move, chance: (
        x + (1 if move == "right" else -1) * (1 + (chance.gauss() > 0)),
        -1.0,
    ),
    observation=lambda x: x,
    terminal=lambda x: x <= 0 or x > 6,
    low=-8,
    high=0,
    steps=8,
    discount=0.9,
)
"""Everything is seen: UCT.  `Chance.gauss` draws two deviates at once and keeps one."""

HANDS = tuple(combinations((1, 2, 4, 5), 2))


def play(state, card, chance):
    hand, other, table, taken = state
    if len(table) % 2 == 0:
        hand = tuple(c for c in hand if c != card)
    else:
        other = tuple(c for c in other if c != card)
        taken += 1 if table[-1] > card else -1
    return (hand, other, (*table, card), taken), 0.0


TRICKS = Problem(
    start=lambda chance: ((0, 3), HANDS[chance.below(len(HANDS))], (), 0),
    actions=lambda state: (
        state[0]
        if len(state[2]) % 2 == 0
        else [c for c in (1, 2, 4, 5) if c not in state[2]]  # what it may hold, as far as one knows
    ),
    available=lambda state, card: card in state[len(state[2]) % 2],
    step=play,
    observation=lambda state: state[2][-1:],
    terminal=lambda state: len(state[2]) == 4,
    low=-2,
    high=2,
    steps=4,
    players=2,
    mover=lambda state: len(state[2]) % 2,
    seen=lambda state, player: state[2][-1:],
    payoff=lambda state, player: float(state[3] if player == 0 else -state[3]),
)
"""Two cards each; player 0 leads both tricks.  The follower's list is what it may hold."""

CASES = {
    "UCT": (WALK, False),
    "POMCP": (TIGER, False),
    "POMCP, given roll-outs": (LISTENING, False),
    "SO-ISMCTS": (TRICKS, True),
    "SO-ISMCTS, ended by a function": (
        replace(TRICKS, play_out=lambda state, chance: finish(state, chance)),
        True,
    ),
}


def finish(state, chance):
    """Play the first legal card to the end."""
    while len(state[2]) < 4:
        state, _ = play(state, state[len(state[2]) % 2][0], chance)
    return state


def by_kernel(problem, availability, c=0.3, key=7, nodes=50, **options):
    """Return the kernel's tree: key of each node in order, its visits, and its edges."""
    options = {"selection": "availability" if availability else "uct"} | options
    search = Search(problem.position(), Options(exploration=c, nodes=nodes, **options))
    search.run(Budget(simulations=SIMULATIONS), key)
    tree, found = search.tree, {}
    columns = (tree.action, tree.edge_visits, tree.edge_total, tree.edge_available)
    for node in tree.order[: tree.counters[NODES]].tolist():
        first = int(tree.first[node])
        block = slice(first, first + int(tree.length[node]) * (tree.status[node] == EXPANDED))
        edges = list(zip(*(column[block].tolist() for column in columns), strict=True))
        found[int(tree.key[node])] = int(tree.visits[node]), edges
    return found


def by_reference(problem, availability, c=0.3, key=7, nodes=50, **more):
    """Return the same of the plain search."""
    tree = Reference(problem, c, availability, nodes, **more).search(SIMULATIONS, key)
    return {
        key_of(history): (
            node.visits,
            [(number(e.action), e.visits, e.total, e.available) for e in node.edges or ()],
        )
        for history, node in tree.items()
    }


def key_of(history):
    """Return the kernel's key of a history."""
    key = ROOT_KEY
    for step in history:
        key = np.uint64(child_key(key, *step) if isinstance(step, tuple) else fold(key, step))
    return int(key)


@pytest.mark.parametrize("case", CASES)
def test_the_trees_are_equal(case):
    problem, availability = CASES[case]
    found = by_reference(problem, availability)
    assert list(found.items()) == list(by_kernel(problem, availability).items())
    assert len(found) > 10
    # Controls: each of these is another tree.
    assert by_reference(problem, availability, c=0.31) != found
    assert by_reference(problem, availability, key=8) != found
    assert by_reference(problem, availability, nodes=5) != found
    if availability:
        assert by_reference(problem, False) != found
        deaf = replace(problem, seen=lambda state, player: 0)
        assert by_reference(deaf, True) != found


SWITCHES = [
    ({"selection": "puct"}, {"puct": True}),
    ({"unit": "seen"}, {"seen": True}),
    ({"halving": True}, {"halving": True}),
    ({"pruning": 0.3}, {"pruning": 0.3}),
    ({"selection": "puct", "rollout_share": 0.5}, {"puct": True, "rollout_share": 0.5}),
    (H_MCTS, {"puct": True, "seen": True, "rollout_share": 0.5, "pruning": 0.1, "halving": True}),
]


@pytest.mark.parametrize("problem", [TIGER, LISTENING, WALK], ids=["tiger", "listening", "walk"])
@pytest.mark.parametrize(("options", "fields"), SWITCHES)
def test_the_trees_are_equal_with_each_switch(problem, options, fields):
    options = {name: value for name, value in options.items() if name != "exploration"}
    found = by_reference(problem, False, **fields)
    assert list(found.items()) == list(by_kernel(problem, False, **options).items())
    assert found != by_reference(problem, False)  # the control


def test_a_belief_replaces_the_start():
    sure = Reference(TIGER, 0.2, belief=[(True, None)]).search(2_000, 1)
    assert best(sure) == tiger.OPEN_RIGHT
    assert best(Reference(TIGER, 0.2).search(500, 1)) == tiger.LISTEN


def test_the_value_of_tiger_is_the_known_one():
    """Three steps are worth 2.3098; without a tree the roll-out policy hears three sounds."""

    def value(nodes, simulations):
        tree = Reference(LISTENING, 0.1, max_nodes=nodes).search(simulations, 1)
        scaled = max(edge.total / edge.visits for edge in tree[()].edges)
        return LISTENING.low + scaled * (LISTENING.high - LISTENING.low)

    assert value(1_000, 40_000) == pytest.approx(2.3098, abs=0.6)
    assert value(1, 500) == pytest.approx(-1 - 0.95 - 0.95**2)


@pytest.mark.parametrize(("held", "value"), [((1, 2, 4), -1 + 1 / 3), ((1, 2), 0.0)])
def test_the_last_trick_is_worth_what_the_belief_says(held, value):
    belief = [((3,), (card,), (0, 5), -1) for card in held]
    tree = Reference(TRICKS, 0.5, availability=True, belief=belief).search(1_500, 3)
    (edge,) = tree[()].edges
    assert TRICKS.low + 4 * edge.total / edge.visits == pytest.approx(value, abs=0.06)
