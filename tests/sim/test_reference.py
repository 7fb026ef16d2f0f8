"""The compiled search builds a tree bit-identical to BMCTS in plain Python."""

from functools import cache
from itertools import product

import pytest
from heard import BOLD
from positions import position
from presets import spec_of

from belief.matrix import never_certain
from mcts.options import Budget
from mcts.search import Search
from mcts.tree import EXPANDED, NODES, NOWHERE
from sim.planning.planner import Planner
from sim.planning.reference import BMCTS, KINDS
from sim.players.registry import planner_config
from sim.rules import Rules
from sim.state import OVER, SUGGEST, TURN

SIMULATIONS, KEY = 90, 11
SHORT = Rules(turn_cap=72)
LONG, LONG_SIMULATIONS = Rules(turn_cap=500), 24
HEARD = {"rules": Rules(turn_cap=72, accusations="heard"), "others": BOLD}
PLACES = {
    "at a turn": (3, 11, {"rules": SHORT}),
    "in a room": (4, 13, {"rules": SHORT}),
    "after an accusation": (6, 4, HEARD),
}
"""Game, own decisions before, and how it is played."""


@cache
def config(preset):
    """Return the configuration of a preset."""
    return planner_config(spec_of(preset, budget__simulations=SIMULATIONS))


@cache
def run_search(preset, place):
    """Return the parameters of the search of a place."""
    game, decisions, how = PLACES[place]
    one = position(game, decisions, **how)
    assert one.state.heard.any() == (how is HEARD)
    assert one.state.phase == (SUGGEST if place == "in a room" else TURN)
    return one.take(Planner(config(preset))).position(one.view)


def plain(preset, place, kind=BMCTS, key=KEY, exploration=1.0):
    """Return the plain tree: of each node how it was reached, its visits, and its edges."""
    return [
        (
            node.parent,
            node.visits,
            [(edge.action, edge.chance, edge.visits, edge.total) for edge in node.edges or ()],
        )
        for node in kind(run_search(preset, place), exploration).search(SIMULATIONS, key)
    ]


@cache
def run_compiled(preset, place):
    """Return the same of the compiled search."""
    search = Search(run_search(preset, place), config(preset).search_options)
    search.run(Budget(simulations=SIMULATIONS), KEY)
    return tree_of(search)


def tree_of(search):
    """Return of each node how it was reached, its visits, and its edges."""
    tree = search.tree
    nodes = tree.order[: tree.counters[NODES]].tolist()
    number = {node: i for i, node in enumerate(nodes)}
    found = []
    for node in nodes:
        above = tree.parent[node]
        parent = (number[above], tree.action[tree.incoming[node]]) if above != NOWHERE else None
        edges = []
        if tree.status[node] == EXPANDED:
            block = slice(tree.first[node], tree.first[node] + tree.length[node])
            columns = (tree.action, tree.edge_data, tree.edge_visits, tree.edge_total)
            edges = list(zip(*(column[block].tolist() for column in columns), strict=True))
        found.append((parent, tree.visits[node], edges))
    return found


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("preset", ["bmcts_faithful", "ld_bmcts_faithful"])
def test_the_kernel_grows_the_tree_of_the_plain_one(preset, place):
    tree = run_compiled(preset, place)
    assert tree == plain(preset, place)
    assert len(tree) > SIMULATIONS // 2
    # With all pawns in the keys, nodes below 36 suggestions are hardly met twice.
    assert place == "in a room" or any(parent and parent[0] for parent, _, _ in tree)
    assert any(0.0 < total < visits for _, _, edges in tree for *_, visits, total in edges)


class Counting(BMCTS):
    """Counts its roll-outs that go on after the own seat can never be certain any more."""

    hopeless = 0

    def roll_out(self):
        value = super().roll_out()
        self.hopeless += self.s.phase == OVER and never_certain(self.s.belief[self.seat])
        return value


def test_roll_outs_that_are_cut_short_pay_what_they_would_have_paid():
    """The plain one plays on where the kernel stops."""
    one = position(3, 11, rules=LONG)
    p = one.take(Planner(config("bmcts_faithful"))).position(one.view)
    counting = Counting(p, 1.0)
    plain_tree = [
        (node.visits, [edge.total for edge in node.edges or ()])
        for node in counting.search(LONG_SIMULATIONS, KEY)
    ]
    assert counting.hopeless > LONG_SIMULATIONS // 3
    search = Search(p, config("bmcts_faithful").search_options)
    search.run(Budget(simulations=LONG_SIMULATIONS), KEY)
    assert [
        (visits, [total for *_, total in edges]) for _, visits, edges in tree_of(search)
    ] == plain_tree


class Merging(BMCTS):
    """Leaves the other pawns out of what was seen, as `transpositions` does."""

    def observation(self):
        phase, roll, _, *seen = super().observation()
        return phase, roll, seen[3 * self.seat], *seen[3 * self.players :]


class Unpropagated(BMCTS):
    """Draws answers from the belief at the root."""

    def answers_from(self):
        return self.p.root[0].belief[self.seat]


class Certain(BMCTS):
    """Takes its own accusation at the end of a roll-out to be right."""

    def reward(self):
        return 1.0


class Deaf(BMCTS):
    """Takes what was accused aloud for possible."""

    def unheard(self):
        return list(product(*KINDS))


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": Deaf, "place": "after an accusation"},
        {"kind": Merging},
        {"kind": Unpropagated},
        {"kind": Certain},
        {"key": KEY + 1},
        {"exploration": 0.5},
    ],
    ids=[
        "deaf",
        "other pawns left out",
        "belief of the root",
        "certain reward",
        "other chance",
        "other c",
    ],
)
def test_a_plain_one_that_differs_grows_another_tree(changes):
    """The control: that the comparison can fail."""
    where = {"preset": "bmcts_faithful", "place": changes.pop("place", "at a turn")}
    assert plain(**where, **changes) != run_compiled(**where)
