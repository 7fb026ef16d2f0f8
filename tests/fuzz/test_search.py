"""Random calls of a search find nothing wrong; and what does not check is found."""

import pytest
import search

from mcts import search as searches
from mcts.memory import Memory
from mcts.search import Search


def test_whatever_is_called_is_right_or_refused(tmp_path):
    assert [found for found in search.attack(60, 1, tmp_path) if found] == []


FIT = Memory.fit
FAULTS = {
    "visits of": (searches, "clear", lambda tree: None),
    "legal is": (Search, "_check_kept", lambda *_: None),
    "fresh": (Memory, "fit", lambda self, p: self._made or FIT(self, p)),
    "is not documented": (searches, "check_types", lambda *_: None),
    "several lines": (searches, "check_integer", lambda name, value, end: _shout(name)),
    "two runs": (Search, "run", Search.run.__wrapped__),
}
"""By what is said, what is put in the place of a check of a search."""


def _shout(name):
    raise ValueError(f"{name}:\nno")


@pytest.mark.parametrize("said", FAULTS)
def test_a_search_that_does_not_check_is_found(said, monkeypatch, tmp_path):
    monkeypatch.setattr(*FAULTS[said])
    assert any(said in found.complaint for found in search.attack(200, 1, tmp_path) if found)
