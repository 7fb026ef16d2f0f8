"""The contract of domains in which several players decide: sound ones, and planted faults."""

import pytest
from whisper import FAULTS, Whisper

from mcts.contract.testing import check_domain, check_search
from mcts.options import Options


def whisper(fault="none", **how):
    return Whisper(fault=FAULTS.index(fault), **how)


@pytest.mark.parametrize("honest", [0, 1])
@pytest.mark.parametrize("perspectives", [1, 2])
def test_sound_games_pass(perspectives, honest):
    p = whisper(views=perspectives, honest=honest)
    assert check_domain(p) > 100
    check_search(p, Options(nodes=50, selection="availability"))


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("list peeks", r"after actions 0 \(seen: 1\): the list depends on what is not known"),
        ("pay-off too high", r"the return 1\.25 after actions .* leaves the declared range"),
        ("chance of its own", "the domain uses chance of its own"),
        ("mover", "mover is 2, of 2 players"),
        ("perspectives", "perspectives must be 1 or as many as players, not 3"),
    ],
)
def test_every_fault_is_found_and_named(fault, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_domain(whisper(fault))


def test_a_list_may_depend_on_what_its_own_player_knows():
    assert check_domain(whisper("list peeks", views=2)) > 100
