"""The exact posterior from Python costs little beside its kernel: counted, since clocks waver."""

import numpy as np
import pytest
from histories import random_history

from belief.beliefs.exact import ExactBelief
from belief.contract.history import events_of, setting_of
from belief.evidence import (
    EVIDENCE,
    ContradictoryEvidence,
    EvidenceFull,
    has_card,
    new_evidence,
)
from belief.exact.solver import ExactPosterior, workspace
from belief.exact.workspace import FIRST_STATES


@pytest.fixture
def history():
    return random_history(np.random.default_rng(1), 4, 10, face_up=2)


def test_an_event_takes_few_calls(history, calls):
    belief = ExactBelief(setting_of(history))
    belief.observe(events_of(history)[:1])
    belief.marginals()
    for row in events_of(history)[1:]:
        taken = calls(lambda row=row: (belief.observe(row[None]), belief.marginals()))
        assert taken <= 12  # the machinery of records alone made it 60
        assert calls(belief.marginals) <= 4  # solved already


def test_a_posterior_takes_few_calls(history, calls):
    ev, work = history.record(), workspace()
    ExactPosterior(ev, work)
    assert calls(lambda: ExactPosterior(ev, work)) <= 3
    records = new_evidence()
    copied = calls(lambda: [records[0].seat for _ in range(3)])
    assert copied > 3  # the control: reading three fields of a record


def test_a_belief_keeps_the_workspace_that_it_needed(history, monkeypatch):
    monkeypatch.setattr("belief.beliefs.exact.FIRST_STATES", 8)
    made = []
    monkeypatch.setattr(
        "belief.exact.solver.workspace", lambda states: made.append(states) or workspace(states)
    )
    small, other = ExactBelief(setting_of(history)), ExactBelief(setting_of(history))
    other._work = workspace(FIRST_STATES)
    for row in events_of(history):
        for belief in (small, other):
            belief.observe(row[None])
        assert (small.marginals() == other.marginals()).all()
    assert made == sorted(set(made)) and made[0] == 32


def test_what_was_seen_later_does_not_reach_a_posterior(history):
    ev = history.record()
    posterior = ExactPosterior(ev)
    log_weight, answers = posterior.log_weight, posterior.predict(1 << 2 | 1 << 8 | 1 << 14)[0]
    ev.clauses, ev.shown = 0, 0
    assert posterior.log_weight == log_weight
    assert (posterior.predict(1 << 2 | 1 << 8 | 1 << 14)[0] == answers).all()
    assert ExactPosterior(ev).log_weight != log_weight  # the control


def test_what_is_wrong_is_raised_by_its_name(history):
    belief = ExactBelief(setting_of(history))
    belief.evidence.overflow = 1
    with pytest.raises(EvidenceFull):
        belief.observe(events_of(history)[:1])
    with pytest.raises(EvidenceFull):
        ExactPosterior(belief.evidence)
    ev = new_evidence()
    ev[0] = history.record()
    other = next(p for p in range(history.players) if p != history.seat)
    for player in (history.seat, other):
        has_card(ev[0], player, int(np.flatnonzero(history.deal == history.seat + 1)[0]))
    with pytest.raises(ContradictoryEvidence, match="contradict each other"):
        ExactPosterior(ev[0])


def test_evidence_may_be_an_element_of_any_array(history):
    """Also of a field of a larger record, whose fields are no attributes."""
    held = np.zeros(2, [("before", np.int64), ("evidence", EVIDENCE)])
    held["evidence"][1] = history.record()
    void = held["evidence"][1]
    assert (ExactPosterior(void).marginals == ExactPosterior(history.record()).marginals).all()
    cramped = ExactPosterior(void, workspace(8))  # where it has to be looked into
    assert cramped.log_weight == ExactPosterior(history.record()).log_weight
