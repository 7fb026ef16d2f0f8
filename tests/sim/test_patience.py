"""An accusation waits until its probability exceeds the value of continuing by the margin."""

import numpy as np
import pytest

from mcts.search import SearchResult
from sim.planning.planner import withhold_accusation
from sim.state import ACCUSE, MOVE


def result(chance, value, best=ACCUSE, visits=(50, 30, 20)):
    """Return a search of one accusation and two moves, of which the second is worth less."""
    return SearchResult(
        actions=np.array([ACCUSE, MOVE, MOVE + 1]),
        edge_data=np.array([chance, 0.0, 0.0]),
        visits=np.array(visits),
        values=np.array([chance, value, value - 0.1]),
        errors=np.full(3, 0.05),
        best=best,
        simulations=sum(visits),
        seconds=1.0,
        nodes=1,
        full=False,
    )


@pytest.mark.parametrize(
    ("chance", "value", "patience", "accuses"),
    [
        (0.6, 0.4, 0.1, True),
        (0.5, 0.4, 0.11, False),
        (0.3, 0.4, 0.1, False),
        (0.5, 0.4, 0.0, True),
        (0.3, 0.4, 0.0, True),  # the control: without patience the search has its way
        (1.0, 0.95, 0.1, True),  # it is certain
    ],
)
def test_an_accusation_waits(chance, value, patience, accuses):
    found = withhold_accusation(result(chance, value), patience)
    assert (found.best == ACCUSE) is accuses
    if not accuses:
        assert found.best == MOVE


def test_what_was_not_tried_is_not_played():
    assert withhold_accusation(result(0.3, np.nan, visits=(100, 0, 0)), 0.1).best == ACCUSE
    assert withhold_accusation(result(0.3, 0.4, visits=(60, 0, 40)), 0.1).best == MOVE + 1


def test_other_actions_are_left_alone():
    one = result(0.9, 0.4, best=MOVE + 1)
    assert withhold_accusation(one, 0.5) is one
