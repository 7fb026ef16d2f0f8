"""The exact posterior from Python costs little beside its kernel: counted, since clocks waver."""

import numpy as np
import pytest
from histories import random_history

from belief.beliefs.exact import ExactBelief
from belief.contract.history import events_of, setting_of
from belief.evidence import new_evidence
from belief.exact.solver import ExactPosterior, workspace


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


def test_what_was_seen_later_does_not_reach_a_posterior(history):
    ev = history.record()
    posterior = ExactPosterior(ev)
    log_weight, answers = posterior.log_weight, posterior.predict(1 << 2 | 1 << 8 | 1 << 14)[0]
    ev.clauses, ev.shown = 0, 0
    assert posterior.log_weight == log_weight
    assert (posterior.predict(1 << 2 | 1 << 8 | 1 << 14)[0] == answers).all()
    assert ExactPosterior(ev).log_weight != log_weight  # the control
