"""Actions that a node offers the planner on Cluedo, and their values."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from positions import (
    SMALL,
    leak_of,
    legal_actions,
    position,
    positions,
    searched_position,
    stream_of,
    unsure_positions,
)

from belief import evidence, public
from belief.exact.solver import ExactPosterior
from belief.information import closed_form
from belief.leakage import COLUMNS, tabulate
from sim.cards import ALL_CARDS, FIRST_ROOM, FIRST_WEAPON
from sim.contract.testing import exchange
from sim.planning import cluedo
from sim.planning.planner import Planner
from sim.policies.common import turns_to
from sim.rules import world
from sim.state import ACCUSE, ASK, PASSAGE, REVEAL, SUGGEST, TURN


def accuse(action):
    """Return the three cards that an accusation names."""
    pair, room = divmod(action - ACCUSE, 9)
    return pair // 6, FIRST_WEAPON + pair % 6, FIRST_ROOM + room


def list_actions(p, s):
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
        names, _ = list_actions(*at_start(one, candidates=0))
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
        everything, _ = list_actions(*at_start(one, candidates=40))
        plain, _ = list_actions(*at_start(one, candidates=0))
        assert sorted(everything) == sorted(plain)
        for most in (1, 3, 6):
            names, _ = list_actions(*at_start(one, candidates=most))
            assert set(names) <= set(legal_actions(one))
            assert len(set(names)) == len(names)
            for which in ("ask", "way"):
                some = [action for action in names if kind(action) == which]
                every = [action for action in everything if kind(action) == which]
                assert some == every[:most]
                asked += which == "ask" and len(some) > 0
    assert asked > 5


PRICES = {"hiding": 0.7, "summoning": 0.3}


def nets(one, hiding, summoning):
    """Return the net bits of the 36 pairs where the pawn is, from the log and the deal's sizes."""
    board, s = world(one.rules)[0], one.state
    marginals, view = ExactPosterior(one.evidence()).marginals, np.zeros((21, 7))
    public.open_view(view, board.players, board.hand_sizes, s.face_up)
    for asker, cards, answerer, _ in one.events:
        public.witness(view, board.players, asker, cards, answerer, s.face_up)
    playing = sum(1 << i for i in range(board.players) if i != one.seat and not s.out[i])
    table = np.empty((21, COLUMNS))
    shown = s.has_shown[one.seat]
    tabulate(marginals, view, one.seat, board.players, playing, shown, ALL_CARDS, table)
    room, found = int(board.room_of[s.spot[one.seat]]), []
    for suspect, weapon in product(range(6), range(6)):
        trio = suspect, FIRST_WEAPON + weapon, FIRST_ROOM + room
        bits = closed_form(marginals, one.seat, *trio)
        called = int(board.seat_of[suspect])
        calls = called >= 0 and playing >> called & 1 and board.room_of[s.spot[called]] != room
        cost = hiding * leak_of(table, board.players, *trio) + summoning * bool(calls)
        found.append(max(bits - cost, 0.1 * bits))
    return np.array(found)


def test_suggestions_are_listed_by_what_is_left_of_their_information():
    changed = 0
    for one in unsure_positions(10):
        if one.state.phase != SUGGEST:
            continue
        names, _ = list_actions(*at_start(one, candidates=40, **PRICES))
        asked = [action - ASK for action in names if kind(action) == "ask"]
        left = nets(one, **PRICES)
        assert sorted(asked) == list(range(36))
        assert left[asked] == pytest.approx(sorted(left, reverse=True), abs=1e-9)
        for price in PRICES:  # the control: with one of them left out it is another order
            other = nets(one, **{**PRICES, price: 0.0})[asked]
            changed += (np.diff(other) > 1e-6).any()
    assert changed > 2


def test_a_room_is_worth_its_best_suggestion_by_turns():
    checked = 0
    for one in unsure_positions(12):
        if one.state.phase != TURN:
            continue
        names, _ = list_actions(*at_start(one, candidates=40, **PRICES))
        board, spot, worth = world(one.rules)[0], int(one.state.spot[one.seat]), []
        for action in (name for name in names if name < PASSAGE):
            turns = turns_to(board, one.state, one.seat, action)
            one.state.spot[one.seat] = board.first_door[action]
            worth.append(nets(one, **PRICES).max() / turns)
            one.state.spot[one.seat] = spot
        assert worth == pytest.approx(sorted(worth, reverse=True), abs=1e-9)
        checked += len(set(worth)) > 5
    assert checked > 1


def nodes_below(one, noise, **changes):
    """Yield (parameters, workspace) at own nodes on a random path, with a deal drawn."""
    p, s = at_start(one, **changes)
    stream = stream_of(int(noise.integers(1 << 30)))
    for _ in range(4):
        yield p, s
        names = [action for action in list_actions(p, s)[0] if action < ACCUSE]
        if not names:
            return
        cluedo.step(p, s, int(noise.choice(names)), 0.0, stream)
        if cluedo.terminal(p, s):
            return


def test_a_list_is_a_function_of_what_the_seat_knows():
    """At nodes, with all exchanged that the seat cannot know there: the control looks at it."""
    noise, compared, found_out = np.random.default_rng(3), 0, 0
    hides = {"opponents": "hide", "rollout": "hide", "candidates": 4, **PRICES}
    for one in unsure_positions(6):
        for p, s in nodes_below(one, noise, **hides):
            before = list_actions(p, s)
            kept, other = s.state.copy(), (one.seat + 1) % p.world[0].players
            deal = ExactPosterior(s.state[0].evidence[one.seat]).sample(stream_of(compared), 1)[0]
            s.state[0] = exchange(s.state[0], one.seat, deal, noise)
            assert list_actions(p, s) == before
            s.state[0].public[:] = noise.random((21, 7)) / 7  # as a private matrix would be
            found_out += list_actions(p, s) != before
            s.state[0] = kept[0]
            s.state[0].public[:] = s.state[0].belief[other]
            found_out += list_actions(p, s) != before
            s.state[0] = kept[0]
            compared += 1
    assert compared > 15 and found_out > compared


def witness(world, gathered, seat, asker, cards, answerer, card):
    """Add one suggestion, as ``seat`` sees it, to the evidence ``gathered``."""
    for step in range(1, world.players):
        player = (asker + step) % world.players
        if player == answerer:
            break
        if player != seat:
            evidence.note_pass(gathered, player, cards)
    if answerer not in (-1, seat):
        if seat == asker:
            evidence.note_card(gathered, answerer, card, cards)
        else:
            evidence.note_refutation(gathered, answerer, cards)


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
            names, listed_data = list_actions(p, s)
            truth = ExactPosterior(gathered)
            for action, edge_data in zip(names, listed_data, strict=True):
                if action >= ACCUSE:
                    assert edge_data == pytest.approx(truth.envelope_probability(*accuse(action)))
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
    assert sum(1 << card for card in accuse(action)) == one.state.envelope
