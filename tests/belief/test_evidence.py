"""The evidence record: what is kept, what is dropped, what is reported."""

import numpy as np
import pytest
from histories import weighted_deals

from belief import evidence
from belief.contract.history import History, mask
from belief.evidence import (
    ALL_CARDS,
    MAX_SHOWN,
    ContradictoryEvidence,
    EvidenceFull,
    check,
    new_evidence,
)
from belief.exact.solver import ExactPosterior


@pytest.fixture
def ev():
    """Return the record of seat 0 of four, with four own and two face-up cards."""
    record = new_evidence()[0]
    sizes = np.array([4, 4, 4, 4])
    evidence.reset(record, 4, 0, sizes, mask((0, 7, 13, 14)), mask((3, 20)))
    return record


def clauses(ev):
    """Return the live clauses as a set of (player, cards)."""
    return {(int(e) >> 21, int(e) & ALL_CARDS) for e in ev.clause[: ev.clauses]}


def test_contradictions_and_full_lists_are_reported(ev):
    check(ev)
    evidence.note_card(ev, 1, 6, mask((2, 6, 18)))
    evidence.note_pass(ev, 1, mask((4, 6, 18)))
    with pytest.raises(ContradictoryEvidence):
        check(ev)
    full = new_evidence()[0]
    evidence.reset(full, 3, 0, np.array([6, 6, 6]), 0, 0)
    for player in (1, 2):
        for room in range(12, 21):
            for weapon in range(6, 12):
                for suspect in range(6):
                    evidence.note_refutation(full, player, mask((suspect, weapon, room)))
    with pytest.raises((EvidenceFull, ContradictoryEvidence)):
        check(full)
    assert full.overflow == 1
    assert full.clauses == evidence.MAX_CLAUSES


def test_a_full_list_of_clauses_is_compacted():
    """Many of 128 clauses follow from others once two suspects are out of the question."""
    ev = new_evidence()[0]
    evidence.reset(ev, 3, 0, np.array([6, 6, 6]), mask(range(15, 21)), 0)
    trios = [(s, w, r) for s in range(6) for w in range(6, 12) for r in range(12, 15)]
    for player in (1, 2):
        for trio in trios[: 64 if player == 1 else 108]:
            if ev.clauses < evidence.MAX_CLAUSES:
                evidence.note_refutation(ev, player, mask(trio))
    assert ev.clauses == evidence.MAX_CLAUSES
    evidence.note_pass(ev, 2, mask((0, 1)))
    assert ev.clauses == evidence.MAX_CLAUSES
    before = clauses(ev)
    evidence.note_refutation(ev, 1, mask((5, 11, 14)))
    check(ev)
    least = {
        (player, cards)
        for player, cards in before
        if not any(other == player and old & ~cards == 0 != cards & ~old for other, old in before)
    }
    assert clauses(ev) == least | {(1, mask((5, 11, 14)))}
    assert len(least) < 100


def test_a_full_list_of_shown_cards_is_compacted():
    """With its constants: the weight of all answers is that of brute force."""
    deal = np.array([1, 2, 3, 1, 1, 0, 3, 2, 2, 3, 4, 0, 3, 2, 2, 3, 4, 4, 4, 4, 0])
    history = History(4, 0, deal)
    pairs = [(weapon, room) for weapon in range(6, 12) for room in range(12, 21)]
    history.events = [("refuted_us", 1, (1, *pair), 1) for pair in pairs]
    history.events += [("passed", 1, (0, 6, 12), None), ("passed", 1, (0, 10, 20), None)]
    history.events.append(("refuted_us", 1, (0, 7, 16), 7))
    assert history.record().shown == len(pairs) + 1
    history.events += [("refuted_us", 2, (2, *pair), 2) for pair in pairs]
    history.events += [("refuted_us", 3, (3, 9, room), room) for room in (17, 18)]
    ev = history.record()
    check(ev)
    assert ev.shown < MAX_SHOWN
    assert ev.log_dropped < 0  # so it was compacted
    _, weight = weighted_deals(history)
    assert ExactPosterior(ev).log_weight == pytest.approx(np.log(weight.sum()), abs=1e-10)
