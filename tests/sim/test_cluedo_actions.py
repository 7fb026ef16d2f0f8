"""Which actions a node offers the planner on Cluedo, and what they are worth."""

from dataclasses import replace

import numpy as np
import pytest
from positions import (
    SMALL,
    legal_actions,
    position,
    positions,
    searched_position,
    stream_of,
    unsure_positions,
)

from belief import evidence
from belief.exact.solver import ExactPosterior
from belief.information import closed_form
from sim.cards import FIRST_ROOM, FIRST_WEAPON
from sim.planning import cluedo
from sim.planning.planner import Planner
from sim.rules import world
from sim.state import ACCUSE, ASK, REVEAL, SUGGEST, TURN


def accused(action):
    """Return the three cards that an accusation names."""
    pair, room = divmod(action - ACCUSE, 9)
    return pair // 6, FIRST_WEAPON + pair % 6, FIRST_ROOM + room


def listed(p, s):
    """Return the actions at ``s`` and what stands beside them."""
    out, edge_data = np.empty(cluedo.MAX_ACTIONS, np.int64), np.empty(cluedo.MAX_ACTIONS)
    n = cluedo.actions(p, s, out, edge_data)
    return out[:n].tolist(), edge_data[:n].tolist()


def at_start(one, **changes):
    """Return (parameters, workspace) at the start of a simulation from ``one``."""
    p, s = searched_position(one, replace(SMALL, **changes))
    cluedo.start(p, s, stream_of(1))
    return p, s


def test_all_offers_every_action_that_is_no_accusation():
    kinds = set()
    for one in unsure_positions(8):
        names, _ = listed(*at_start(one, candidates=0))
        wanted = [action for action in legal_actions(one) if not ACCUSE <= action < REVEAL]
        assert sorted(action for action in names if action < ACCUSE) == wanted
        kinds |= {int(one.state.phase)}
    assert kinds == {TURN, SUGGEST}


def kind(action):
    """Return the kind of an action: suggestions, accusations, and ways to walk."""
    return "ask" if ASK <= action < ACCUSE else "accuse" if action >= ACCUSE else "way"


def test_candidates_are_the_best_of_all():
    asked = 0
    for one in unsure_positions(10):
        everything, _ = listed(*at_start(one, candidates=40))
        plain, _ = listed(*at_start(one, candidates=0))
        assert sorted(everything) == sorted(plain)
        for most in (1, 3, 6):
            names, _ = listed(*at_start(one, candidates=most))
            assert set(names) <= set(legal_actions(one))
            assert len(set(names)) == len(names)
            for which in ("ask", "way"):
                some = [action for action in names if kind(action) == which]
                every = [action for action in everything if kind(action) == which]
                assert some == every[:most]
                asked += which == "ask" and len(some) > 0
    assert asked > 5


def test_suggestions_are_listed_by_falling_information():
    checked = 0
    for one in unsure_positions(10):
        marginals = ExactPosterior(one.evidence()).marginals
        names, _ = listed(*at_start(one, candidates=40))
        room = world(one.rules)[0].room_of[one.state.spot[one.seat]]
        bits = [
            closed_form(marginals, one.seat, (a - ASK) // 6, 6 + (a - ASK) % 6, FIRST_ROOM + room)
            for a in names
            if kind(a) == "ask"
        ]
        assert bits == pytest.approx(sorted(bits, reverse=True), abs=1e-9)
        checked += len(set(bits)) > 5
    assert checked > 1


def witness(world, gathered, seat, asker, cards, answerer, card):
    """Add one suggestion, as ``seat`` sees it, to the evidence ``gathered``."""
    for step in range(1, world.players):
        player = (asker + step) % world.players
        if player == answerer:
            break
        if player != seat:
            evidence.passed(gathered, player, cards)
    if answerer not in (-1, seat):
        if seat == asker:
            evidence.refuted_us(gathered, answerer, card, cards)
        else:
            evidence.refuted_other(gathered, answerer, cards)


def test_an_accusation_pays_its_probability_under_the_propagated_belief():
    """Down random paths, against evidence gathered here from the suggestions made on the way."""
    compared, different = 0, set()
    for key, one in enumerate(positions(8, (5, 7, 9), others="uniform")):
        p, s = searched_position(one, replace(SMALL, accusations=4, least_accused=0.001))
        stream, gathered = stream_of(key), one.evidence()
        cluedo.start(p, s, stream)
        for _ in range(5):
            if cluedo.terminal(p, s):
                break
            names, listed_data = listed(p, s)
            truth = ExactPosterior(gathered)
            for action, edge_data in zip(names, listed_data, strict=True):
                if action >= ACCUSE:
                    assert edge_data == pytest.approx(truth.envelope_probability(*accused(action)))
                    different.add(edge_data)
                    compared += 1
                else:
                    assert edge_data == 0.0
            others = [action for action in names if action < ACCUSE]
            reward = cluedo.step(p, s, others[int(stream[0] % len(others))], 0.0, stream)
            assert reward == 0.0
            for event in s.state[0].event[: s.state[0].events].tolist():
                witness(p.world[0], gathered, one.seat, *event)
    assert compared > 50 and len(different) > 20


def test_accusing_ends_the_simulation():
    one = positions(1, (6,), others="uniform")[0]
    p, s = at_start(one)
    assert not cluedo.terminal(p, s)
    assert cluedo.step(p, s, ACCUSE + 100, 0.375, stream_of(1)) == 0.375
    assert cluedo.terminal(p, s)


def certain_position():
    """Return a turn at which what was seen leaves one envelope."""
    for game in range(60):
        for decisions in (16, 24, 32):
            one = position(game, decisions, others="uniform", own="random", seed=5)
            if one and one.state.phase == TURN:
                (_, chance), *_ = ExactPosterior(one.evidence()).likely_envelopes(1)
                if chance > 1 - 1e-12:
                    return one
    raise AssertionError("no such position")


def test_with_one_envelope_left_the_planner_accuses_it_without_a_search():
    one = certain_position()
    planner = one.take(Planner(SMALL))
    action = planner.decide(one.view)
    assert planner.result is None
    assert ACCUSE <= action < REVEAL
    assert sum(1 << card for card in accused(action)) == one.state.envelope
