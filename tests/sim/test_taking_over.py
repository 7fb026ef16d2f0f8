"""A simulation that goes on from what another one saw: it sees the same, and draws what is hidden.

(That values found in this way are right is checked on Tiger, whose values are known.)
"""

from dataclasses import replace

import numpy as np
import pytest
from positions import SMALL, cards_of, decide, draw, least_p_value, positions, stream_of

from belief.exact.solver import ExactPosterior
from mcts import inspect
from mcts.kernel.compile import INTERPRETED
from mcts.options import Options
from mcts.tree import EDGES, check_invariants
from sim.planning import cluedo
from sim.planning.config import PlannerConfig
from sim.planning.information_sets import SEEN, begins_turn
from sim.planning.planner import Planner
from sim.state import ASK, SUGGEST

LIMITED = Options(nodes=400, widening_base=2.0, outcomes_base=1.0)
TAKING = replace(SMALL, options=LIMITED, transpositions=False)
DRAWS = 40 if INTERPRETED else 600


@pytest.fixture(scope="module")
def one():
    """Return a suggestion to be made by a seat that has heard something."""
    found = (one for one in positions(20, (6, 7, 9, 10)) if one.state.phase == SUGGEST)
    return next(one for one in found if len(one.events) >= 4)


@pytest.fixture(scope="module")
def node(one):
    """Return the parameters, a workspace at the next own turn, what was saved of it, its key."""
    p = one.take(Planner(TAKING)).position(one.view)
    s, saved = cluedo.workspace(p), np.zeros(1, SEEN).view(np.recarray)
    arrive(p, s, 1)
    cluedo.save(p, s, saved, 0)
    return p, s, saved, int(cluedo.observation(p, s))


def arrive(p, s, key):
    """Simulate up to the next own turn, with suggestions of others before it."""
    stream = stream_of(key)
    while True:
        cluedo.start(p, s, stream)
        cluedo.step(p, s, ASK, 0.0, stream)
        if not cluedo.terminal(p, s) and s.state[0].events > 1:
            return


def take(node, count, key=3):
    """Take the node over so often, from another one; return the deals and the last workspace."""
    p, _, saved, _ = node
    s, stream = cluedo.workspace(p), stream_of(key)
    arrive(p, s, key)
    deals = np.full((count, 21), -1)
    for deal in deals:
        assert cluedo.restore(p, s, saved, 0, stream)
        deal[cards_of(int(s.state[0].envelope))] = 0
        for seat in range(p.world[0].players):
            deal[cards_of(int(s.state[0].hand[seat]))] = seat + 1
    return deals, s


def test_it_sees_the_same(node):
    p, first, saved, key = node
    other = cluedo.workspace(p)
    arrive(p, other, 3)
    assert int(cluedo.observation(p, other)) != key
    s = take(node, 1)[1]
    assert int(cluedo.observation(p, s)) == key
    again = np.zeros(1, SEEN).view(np.recarray)
    cluedo.save(p, s, again, 0)
    assert again.tobytes() == saved.tobytes()
    assert s.state[0].key != first.state[0].key  # dice and cards to come are its own
    events = [row.tolist() for row in s.path[: s.length[0]]]
    assert events == [row.tolist() for row in first.path[: first.length[0]]] and len(events) > 1


def test_deals_are_those_of_the_belief_there(node):
    """Controls: the deal of the first simulation; deals of the belief at the root."""
    p, first, saved, _ = node
    marginals = ExactPosterior(saved[0].evidence).marginals
    deals, s = take(node, DRAWS)
    assert least_p_value(deals, marginals) > 1e-4
    if not INTERPRETED:
        assert least_p_value(draw(p, s, DRAWS), marginals) < 1e-4
    state = first.state[0]
    deal = np.full(21, -1)
    deal[cards_of(int(state.envelope))] = 0
    for seat in range(p.world[0].players):
        deal[cards_of(int(state.hand[seat]))] = seat + 1
    if not INTERPRETED:
        assert least_p_value(np.repeat([deal], DRAWS, axis=0), marginals) < 1e-4


def test_the_others_know_what_they_were_shown_and_their_hands(node):
    p = node[0]
    s = take(node, 5)[1]
    state, own = s.state[0], p.seat
    shown = [*p.events.tolist(), *s.path[: s.length[0]].tolist()]
    for seat in range(p.world[0].players):
        if seat != own:
            cards = [card for asker, _, by, card in shown if (asker, by) == (seat, own)]
            known = int(state.known[seat])
            assert known & int(state.hand[seat]) == state.hand[seat]
            assert set(cards_of(known & int(state.hand[own]))) == set(cards)


def shares(planner):
    """Return the shares of simulations that decide in the tree in the second turn and the third."""
    return inspect.count_decisions(planner.search.tree, begins_turn)[1:]


def test_the_tree_reaches_the_next_turns(one):
    limited = decide(one, replace(TAKING, transpositions=True))
    tree = limited.search.tree
    check_invariants(tree)
    made = tree.edge_outcomes[: tree.counters[EDGES]]
    assert (made <= np.ceil(np.maximum(tree.edge_visits[: len(made)], 1) ** 0.25)).all()
    second, third = shares(limited)
    assert second > 0.5 and third > 0.1
    before = shares(decide(one))
    assert before[0] < second / 2 and before[1] < 0.05


def test_threads_leave_a_good_tree(one):
    threads = replace(LIMITED, threads=4, oversubscribe=True, outcomes_base=2.0)
    check_invariants(decide(one, replace(TAKING, options=threads)).search.tree)


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"belief": "factored"}, "outcomes_base must be 0 with the belief factored"),
        ({"variant": "pimc"}, "outcomes_base must be 0 for pimc"),
        ({"variant": "so_ismcts", "opponents": "tree"}, "outcomes_base must be 0 for so_ismcts"),
        (
            {"variant": "ld_bmcts", "redraw": "decision"},
            "outcomes_base must be 0 for ld_bmcts, whose deal is not drawn again",
        ),
    ],
)
def test_planners_that_cannot(changes, wrong):
    with pytest.raises(ValueError, match=wrong):
        PlannerConfig(options=LIMITED, **changes)
