"""Information of suggestions about the asker: players rarely name their own cards."""

from dataclasses import replace

import numpy as np
import pytest
from positions import SMALL, decide, find, searched_position, unsure_positions

from belief import matrix as factored
from belief.exact.solver import ExactPosterior
from sim.cards import FIRST_ROOM
from sim.rules import world
from sim.state import EVIDENCE, FACTORED
from sim.view import Log, replay_evidence

CHOSEN = (1 << FIRST_ROOM) - 1
"""Suspects and weapons: the room is the one that the asker is in."""


# What is learnt.


def learnt(one, own_card_weight, tracks=EVIDENCE | FACTORED):
    """Return the state in which the seat of a position has relived what it saw."""
    made = one.view
    state, log = made[0], Log()
    state.tracks[one.seat], state.own_card_weight[one.seat], state.inference[one.seat] = (
        tracks,
        own_card_weight,
        1,
    )
    for event in one.seen:
        log.append(event)
    replay_evidence(world(one.rules)[0], state, one.seat, log.events)
    return state


def named_by(one):
    """Return the suspects and weapons that each of the others has asked for, as masks."""
    named = [0] * 6
    for asker, cards, _, _ in one.seen:
        if asker != one.seat:
            named[asker] |= cards & CHOSEN
    return named


def test_what_others_name_is_kept_but_for_the_room_and_our_own_questions():
    rooms = 0
    for one in unsure_positions(4):
        facts = learnt(one, 0.25).evidence[one.seat]
        assert (facts.own_card_weight[:4] == 0.25).all()
        assert facts.named.tolist() == named_by(one)
        rooms += sum(cards & ~CHOSEN > 0 for _, cards, _, _ in one.seen)
        assert any(named_by(one)) and facts.named[one.seat] == 0
    assert rooms > 0


@pytest.mark.parametrize("own_card_weight", [1.0, 0.0], ids=["weight 1", "unset"])
def test_who_reads_nothing_learns_what_it_always_did(own_card_weight):
    for one in unsure_positions(4):
        state = learnt(one, own_card_weight)
        facts = state.evidence[one.seat]
        assert (facts.own_card_weight == 1.0).all() and not facts.named.any()
        matrix = by_hand(one, 1.0)
        np.testing.assert_array_equal(state.belief[one.seat], matrix)
        # The control: who reads believes otherwise.
        assert not np.array_equal(learnt(one, 0.25).belief[one.seat], matrix)


def by_hand(one, own_card_weight):
    """Return the factored belief of the seat of a position, each card doubted once a player."""
    players, seat = one.rules.players, one.seat
    hand, face_up = int(one.state.hand[seat]), int(one.state.face_up)
    matrix, known, named = np.zeros((21, 7)), hand | face_up, [0] * 6
    factored.start(matrix, players, seat, hand, face_up)
    for asker, cards, answerer, card in one.seen:
        asked = [(asker + i) % players for i in range(1, players)]
        for passer in asked[: asked.index(answerer)] if answerer >= 0 else asked:
            if passer != seat:
                factored.note_pass(matrix, passer, cards)
        if answerer >= 0 and asker == seat:
            factored.note_card(matrix, answerer, card)
        elif answerer not in (-1, seat):
            factored.note_refutation(matrix, answerer, cards, 21 - known.bit_count())
        if asker == seat and answerer >= 0:
            known |= 1 << card
        fresh = cards & CHOSEN & ~named[asker]
        named[asker] |= fresh
        for suspected in range(FIRST_ROOM):
            entry = matrix[suspected, asker + 1]
            if own_card_weight < 1 and asker != seat and fresh >> suspected & 1 and 0 < entry < 1:
                matrix[suspected, asker + 1] *= own_card_weight
                matrix[suspected] /= matrix[suspected].sum()
    return matrix


def test_the_matrix_doubts_each_card_once_a_player():
    for one in unsure_positions(4):
        state = learnt(one, 0.25)
        np.testing.assert_allclose(state.belief[one.seat], by_hand(one, 0.25), rtol=0, atol=1e-12)
        # A seat without evidence does not know whether a card is new, and reads nothing.
        plain = learnt(one, 0.25, tracks=FACTORED).belief[one.seat]
        np.testing.assert_array_equal(plain, by_hand(one, 1.0))


def test_a_planner_reads_by_its_doubt():
    for one in unsure_positions(2):
        for own_card_weight in (0.3, 1.0):
            p, _ = searched_position(one, replace(SMALL, own_card_weight=own_card_weight))
            facts = p.root[0].evidence[one.seat]
            assert (facts.own_card_weight[:4] == own_card_weight).all()
            assert facts.named.tolist() == (named_by(one) if own_card_weight < 1 else [0] * 6)
            truth = ExactPosterior(one.evidence(own_card_weight=own_card_weight))
            np.testing.assert_array_equal(p.posterior.marginals, truth.marginals)
        assert find(decide(one, replace(SMALL, own_card_weight=1.0))) == find(decide(one))
