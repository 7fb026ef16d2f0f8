"""The search on Cluedo: values, keys, options, threads, and the same tree without a compiler."""

from dataclasses import replace

import numpy as np
import pytest
from positions import (
    SMALL,
    decide,
    find,
    positions,
    searched_position,
    stream_of,
    unsure_positions,
)

from mcts.contract.testing import check_invariants
from mcts.options import Budget, Options, cores
from mcts.tree import EXPANDED
from sim.planning import cluedo
from sim.planning.config import PlannerConfig
from sim.planning.planner import Planner
from sim.rules import preset
from sim.state import END, PASS, SUGGEST


def test_each_simulation_has_chance_of_its_own():
    p, s = searched_position(unsure_positions(1)[0])
    keys, stream = set(), stream_of(9)
    for _ in range(50):
        cluedo.start(p, s, stream)
        keys.add(int(s.state[0].key))
    assert len(keys) == 50
    before = p.root.tobytes()
    cluedo.rollout(p, s, stream)
    assert p.root.tobytes() == before


@pytest.mark.parametrize("name", ["classic", "cai2006", "ferrari2009"])
def test_passing_at_the_end_of_a_turn_is_worth_going_on(name):
    looked_at = 0
    for one in positions(30, (2, 3, 4, 5, 6), rules=preset(name), others="uniform"):
        if one.state.phase != END or looked_at == 3:
            continue
        result = decide(one, replace(SMALL, least_accused=0.0)).result
        values = dict(zip(result.actions.tolist(), result.values.tolist(), strict=True))
        assert len(values) > 1 and result.best == PASS
        assert values.pop(PASS) > max(values.values())
        looked_at += 1
    assert looked_at == 3


def test_every_decision_has_a_key_of_its_own():
    one = unsure_positions(1)[0]
    sat = decide(one)
    before = find(sat)
    sat.decide(one.view)
    assert find(sat)[1:] != before[1:]
    assert (sat.decisions, sat.simulations) == (2, 500)
    assert sat.search_seconds > 0


def test_suggestions_lead_to_nodes_that_are_met_again():
    """Below a suggestion every node holds new evidence: the own, and the others' of a round.

    From 133 up of 1,000 nodes are met again, and so listed; with the others' pawns in the key of
    an observation, 28 at most.
    """
    places = [*unsure_positions(12), *positions(12, (10,)), *positions(12, (20,))]
    met = []
    for one in places:
        if one.state.phase == SUGGEST:
            tree = decide(one, PlannerConfig()).search.tree
            met.append(np.count_nonzero(tree.status == EXPANDED) - 1)
    assert len(met) >= 4
    assert min(met) > 80, met


def test_threads_leave_the_tree_in_order():
    places = unsure_positions(3)
    for threads in (2, 4, 8):
        options = replace(SMALL.options, threads=threads, oversubscribe=True)
        planner = Planner(replace(SMALL, options=options, budget=Budget(simulations=120)))
        for seed in range(9):
            one = places[seed % 3]
            one.take(planner)
            planner._key = seed
            planner.decide(one.view)
            check_invariants(planner.search.tree)
            result = planner.result
            assert result.simulations == result.visits.sum() == 120
        assert len(planner.search._workers) == threads
    with pytest.raises(ValueError, match="more than the"):
        Options(threads=cores() + 1)
