"""Triples that were heard not to be the envelope: every belief against brute force."""

import numpy as np
import pytest
from histories import histories, means, weighted_deals

from belief.exact.solver import ExactPosterior, log_weight, workspace
from mcts.kernel.compile import INTERPRETED

HISTORIES = 12 if INTERPRETED else 160
TRIPLES = 5


def heard(seed, wanted, limit=None):
    """Yield (history, deals, weights) where somebody heard a wrong accusation."""
    options = {} if limit is None else {"limit": limit}
    for history in histories(seed, wanted, accusations=TRIPLES, **options):
        if history.excluded():
            yield history, *weighted_deals(history)


def unheard(history):
    """Return the evidence of a history without the accusations."""
    ev = history.record()
    ev.excluded = 0
    return ev


def test_posteriors_agree_with_brute_force():
    work, forward_only = workspace(), workspace()
    checked = apart = 0
    for history, deals, weight in heard(31, HISTORIES):
        marginals, table = means(deals, weight / weight.sum())
        ev = history.record()
        posterior = ExactPosterior(ev, work)
        np.testing.assert_allclose(posterior.marginals, marginals, rtol=0, atol=1e-10)
        np.testing.assert_allclose(posterior.envelope_table(), table, rtol=0, atol=1e-10)
        assert posterior.log_weight == pytest.approx(np.log(weight.sum()), abs=1e-10)
        assert log_weight(ev, forward_only) == pytest.approx(posterior.log_weight, abs=1e-10)
        checked += 1
        # The control: who did not hear believes otherwise.
        apart += np.abs(ExactPosterior(unheard(history)).marginals - marginals).max() > 1e-3
    assert checked >= HISTORIES * 3 // 4
    assert apart >= HISTORIES // 6
