"""Sources of the hidden cards of a simulation: rows of deals, one envelope, the leaf."""

from dataclasses import replace

import numpy as np
import pytest
from positions import (
    SMALL,
    draw,
    least_p_value,
    searched_position,
    stream_of,
    unsure_positions,
)
from scipy.stats import chisquare

from belief.exact.solver import ExactPosterior
from sim.planning import cluedo
from sim.planning.planner import Planner
from sim.state import ACCUSE, TURN

LD = replace(SMALL, variant="ld_bmcts", redraw="decision")
PREDICTIVE = {"belief": "factored", "answers": "predictive"}


@pytest.fixture(scope="module")
def places():
    """Return positions at which nothing is certain."""
    return unsure_positions(3)


def envelopes(deals):
    """Return the different envelopes of some deals."""
    return {tuple(np.flatnonzero(deal == 0).tolist()) for deal in deals}


@pytest.mark.parametrize("belief", ["factored", "constrained", "particles", "closure"])
def test_rows_of_a_belief_that_cannot_draw_in_a_simulation_are_drawn_alike(belief, places):
    one = places[0]
    p, s = searched_position(one, replace(SMALL, belief=belief))
    assert p.deals.shape == (1000, 21)
    few = p._replace(deals=p.deals[:4].copy())
    rows = [deal.tobytes() for deal in few.deals]
    times = np.zeros(len(rows))
    for deal in draw(few, s, 400):
        deal[deal == one.seat + 1] = few.deals[0][deal == one.seat + 1]
        times[rows.index(deal.tobytes())] += 1
    same = [rows.index(row) for row in rows]  # equal rows are counted at the first
    expected = np.bincount(same, minlength=len(rows)) * 100.0
    kept = expected > 0
    assert chisquare(times[kept], expected[kept]).pvalue > 1e-4


@pytest.mark.parametrize(
    "changes", [{}, {"belief": "factored"}, PREDICTIVE], ids=["exact", "factored", "one by one"]
)
def test_all_deals_of_a_decision_share_one_envelope(changes, places):
    for one in places:
        p, s = searched_position(one, replace(LD, **changes))
        assert len(envelopes(p.deals)) == 1
        assert envelopes(draw(p, s, 100)) == envelopes(p.deals)
        # The control: drawn each simulation.
        p, s = searched_position(one, replace(LD, redraw="simulation", **changes))
        assert len(envelopes(draw(p, s, 100))) > 3


def test_the_envelope_of_a_decision_follows_the_posterior(places):
    one = places[0]
    planner = one.take(Planner(LD))
    deals = []
    for decision in range(24):
        planner.decisions = decision
        deals.append(planner.position(one.view).deals[0])
    in_it = np.where(np.array(deals) == 0, 0, 1)
    marginals = ExactPosterior(one.evidence()).marginals
    two = np.zeros((21, 7))
    two[:, 0] = marginals[:, 0]
    two[:, 1] = 1 - marginals[:, 0]
    assert len(envelopes(deals)) > 5
    assert least_p_value(in_it, two) > 1e-4
    # The control: the same envelope at every decision.
    assert max(least_p_value(np.tile(row, (24, 1)), two) for row in in_it) < 1e-3


# Accusing where the tree moves the others.

BY_TREE = {"opponents": "tree", "rollout_opponents": "heuristic"}


def accuse(one, config, right, key):
    """Return (parameters, workspace) after an accusation of the drawn envelope, or of another."""
    p, s = searched_position(one, config)
    cluedo.start(p, s, stream_of(key))
    suspect, weapon, room = (c for c in range(21) if s.state[0].envelope >> c & 1)
    suspect = suspect if right else (suspect + 1) % 6
    action = ACCUSE + 9 * (6 * suspect + weapon - 6) + room - 12
    assert cluedo.step(p, s, action, 0.5, stream_of(key)) == float(right)
    return p, s


@pytest.mark.parametrize("variant", ["so_ismcts", "mo_ismcts"])
def test_the_others_play_on_when_the_searching_seat_has_accused_wrongly(variant):
    """Each is paid by how the game ends without it; in POMCP, the control, nobody is."""
    turns = [one for one in unsure_positions(12) if one.state.phase == TURN][:2]
    paid = np.zeros(4)
    out, edge_data = np.empty(cluedo.MAX_ACTIONS, np.int64), np.empty(cluedo.MAX_ACTIONS)
    for one in turns:
        for key in range(12):
            p, s = accuse(one, replace(SMALL, variant=variant, **BY_TREE), False, key)
            assert not cluedo.terminal(p, s) and s.state[0].out[one.seat]
            assert cluedo.mover(p, s) != 0
            assert cluedo.actions(p, s, out, edge_data) == 0  # a leaf for ever
            assert cluedo.rollout(p, s, stream_of(key)) == 0.0
            paid += [cluedo.payoff(p, s, player) for player in range(4)]
            p, s = accuse(one, replace(SMALL, variant=variant, **BY_TREE), True, key)
            assert cluedo.terminal(p, s)
            assert [cluedo.payoff(p, s, player) for player in range(4)] == [1.0, 0.0, 0.0, 0.0]
            p, s = accuse(one, replace(SMALL, variant="pomcp"), False, key)
            assert cluedo.terminal(p, s)
            assert not any(cluedo.payoff(p, s, player) for player in range(4))
    assert paid[0] == 0.0 and paid[1:].sum() > 12 and (paid[1:] > 0).all()


# Deals drawn at the leaf.


def at_a_leaf(one, config, key=1):
    """Return (parameters, workspace) a few decisions below the root."""
    p, s = searched_position(one, config)
    stream = stream_of(key)
    cluedo.start(p, s, stream)
    out, edge_data = np.empty(cluedo.MAX_ACTIONS, np.int64), np.empty(cluedo.MAX_ACTIONS)
    for _ in range(3):
        cluedo.actions(p, s, out, edge_data)
        cluedo.step(p, s, out[0], 0.0, stream)
    return p, s


def rolled_out(p, s, count):
    """Return the deals, int64 (count, 21), with which roll-outs from one leaf are played."""
    spare, stream = cluedo.workspace(p), stream_of(5)
    deals = np.full((count, 21), -1)
    for deal in deals:
        cluedo.copy(p, s, spare)
        cluedo.rollout(p, spare, stream)
        state = spare.state[0]
        deal[[card for card in range(21) if state.envelope >> card & 1]] = 0
        for seat in range(p.world[0].players):
            deal[[card for card in range(21) if state.hand[seat] >> card & 1]] = seat + 1
    return deals


def test_a_deal_is_drawn_for_each_roll_out_from_what_is_believed_at_the_leaf(places):
    for one in places[:1]:
        p, s = at_a_leaf(one, replace(SMALL, variant="bmcts_or"))
        learnt = ExactPosterior(s.state[0].evidence[one.seat].copy()).marginals
        deals = rolled_out(p, s, 400)
        assert least_p_value(deals, learnt) > 1e-5
        assert (np.bincount(deals[deals > 0])[1:5] == 1600).all()
        # Controls: what was believed at the root, and a planner that draws no deal at the leaf.
        root = ExactPosterior(one.evidence()).marginals
        assert np.abs(root - learnt).max() > 0.05
        assert least_p_value(deals, root) < 1e-9
        p, s = at_a_leaf(one, SMALL)
        assert len({deal.tobytes() for deal in rolled_out(p, s, 50)}) == 1
