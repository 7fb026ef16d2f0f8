"""Damaged input files of all kinds do no harm; and the fuzzers find what would."""

import networks
import problems
import pytest
import search

from experiments.episodes import problems as played
from mcts import search as searches
from mcts.memory import Memory
from mcts.search import Search
from sim.qlearning import network

FUZZERS = {networks: 100, problems: 40, search: 60}


@pytest.mark.parametrize("fuzzer", FUZZERS)
def test_whatever_is_given_is_used_or_refused_in_a_line(fuzzer, tmp_path):
    assert [found for found in fuzzer.attack(FUZZERS[fuzzer], 1, tmp_path) if found] == []


PLANTED = {
    networks: [(network, "check_shapes", lambda *_: None)],
    problems: [(played, "describe", str)],
}
"""By fuzzer, what is put in the place of a check."""


@pytest.mark.parametrize("fuzzer", PLANTED)
def test_a_check_that_is_left_out_is_found(fuzzer, tmp_path, monkeypatch):
    for module, name, careless in PLANTED[fuzzer]:
        monkeypatch.setattr(module, name, careless)
    attack = fuzzer.attack(300, 1, tmp_path)
    assert any("a traceback" in found.complaint for found in attack if found)


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
