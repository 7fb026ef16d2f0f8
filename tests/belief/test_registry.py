"""Beliefs by name."""

import pytest
from histories import mask

from belief.beliefs import factored, particles, registry
from belief.beliefs.base import Setting
from belief.beliefs.constrained import ConstrainedBelief
from belief.beliefs.registry import BELIEFS, make_belief
from mcts.kernel.plugins import BrokenPlugin
from mcts.kernel.rng import new_stream

SETTING = Setting(3, 0, (6, 6, 6), mask((0, 6, 7, 12, 13, 14)))


def test_an_unknown_name_is_one_sentence_with_the_choices():
    with pytest.raises(ValueError, match="'bayes'") as raised:
        make_belief("bayes", SETTING, new_stream(1))
    assert str(raised.value) == f"belief must be one of {', '.join(BELIEFS)}, not 'bayes'"


def test_two_beliefs_of_one_name_are_refused(monkeypatch):
    second = type("Second", (ConstrainedBelief,), {"name": "factored", "__module__": "second"})
    monkeypatch.setattr(registry, "modules_of", lambda *_: [factored, factored, particles])
    registry._find_beliefs()  # the control: one class in two modules
    monkeypatch.setattr(particles, "Second", second, raising=False)
    with pytest.raises(BrokenPlugin) as raised:
        registry._find_beliefs()
    assert str(raised.value) == (
        "second has a belief 'factored', as belief.beliefs.factored has: rename one of them"
    )
