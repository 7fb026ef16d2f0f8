"""The top of a search's tree, beside the export of the whole."""

from collections import Counter
from functools import partial

import pytest
from omegaconf import OmegaConf
from table_setup import COMPUTER, setup

from experiments.explain.outcomes import see
from experiments.settings.config import compose
from experiments.web.tables.search_view import (
    MOST_ACTIONS,
    MOST_NODES,
    MOST_OUTCOMES,
    TreeTop,
)
from experiments.web.tables.table import Table
from mcts.inspect import export
from sim.actions import action_to_string as words
from sim.rules import Rules

ALL = 100_000
SEEN = partial(see, 0, Rules().suspects)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The tree of a search of 2,000 simulations."""
    spec = compose("compare", ["player=bmcts", "player.budget.simulations=2000"]).player
    planner = OmegaConf.to_container(spec, resolve=True)
    table = Table(setup(planner, *(COMPUTER,) * 3), tmp_path_factory.mktemp("searched"))
    table.game.decide()
    return table.game.seats[0].search.tree


def depths(received):
    found = []
    for node in received:
        found.append(0 if node["above"] is None else found[node["above"]] + 1)
    return found


def test_all_of_it_is_the_export(tree):
    """Outcomes, what leads to them, how often and with what result."""
    received = TreeTop(tree, SEEN).branches(ALL, ALL, ALL)
    graph = export(tree, words=words, seen=SEEN)
    ours = [
        (node["above"], node["action"], node["played"], node["visits"], node["value"], node["seen"])
        for node in received[1:]
    ]
    theirs = [
        (above, act["words"], act["visits"], below["visits"], act["value"], below["seen"])
        for above, place, act in graph.edges(data=True)
        for below in [graph.nodes[place]]
    ]
    assert Counter(ours) == Counter(theirs) and len(ours) > MOST_NODES
    assert [node["visits"] for node in received] == [graph.nodes[n]["visits"] for n in graph]
    assert {node["seen"] for node in received[1:]} > {"", "nobody answers"}
    assert any(node.get("end") for node in received)


def test_a_part_of_it_is_the_most_visited(tree):
    received = TreeTop(tree, SEEN).branches()
    assert len(received) == MOST_NODES and max(depths(received)) <= MOST_ACTIONS
    visits = [node["visits"] for node in received]
    assert visits[0] == 2000 and visits == sorted(visits, reverse=True)
    whole = TreeTop(tree, SEEN).branches(ALL, ALL)
    shown = Counter((node["above"], node["action"]) for node in whole[1:])
    assert max(shown.values()) == MOST_OUTCOMES
    assert max(node["outcomes"] for node in whole[1:]) > MOST_OUTCOMES, (
        "the control: some have more"
    )


def test_a_root_alone_is_a_tree(tree):
    (root,) = TreeTop(tree, SEEN).branches(deep=0)
    assert (root["above"], root["visits"]) == (None, 2000) and 0 < root["after"] < 1
