"""The top of a search's tree, beside the export of the whole."""

from collections import Counter

import pytest
from omegaconf import OmegaConf
from table_setup import COMPUTER, setup

from experiments.explain.recorded import words
from experiments.settings.config import compose
from experiments.web.tables.search_view import (
    MOST_ACTIONS,
    MOST_NODES,
    MOST_OUTCOMES,
    TreeTop,
)
from experiments.web.tables.table import Table
from mcts.inspect import export

ALL = 100_000


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The tree of a search of 200 simulations."""
    spec = compose("compare", ["player=bmcts", "player.budget.simulations=200"]).player
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
    """Nodes, what leads to them, how often and with what result."""
    received, graph = TreeTop(tree).branches(ALL, ALL, ALL), export(tree, words=words)
    ours = Counter(
        (depth, node["action"], node["played"], node["visits"], round(node["value"], 9))
        for depth, node in zip(depths(received), received, strict=True)
        if node["above"] is not None and not node["end"]
    )
    theirs = Counter(
        (
            graph.nodes[below]["depth"],
            act["words"],
            act["visits"],
            graph.nodes[below]["visits"],
            round(act["value"], 9),
        )
        for _, below, act in graph.edges(data=True)
        if not graph.nodes[below]["end"]
    )
    assert ours == theirs and ours.total() > MOST_NODES
    ends = {(node["action"], node["played"]) for node in received if node.get("end")}
    left = {(a["words"], a["visits"]) for _, n, a in graph.edges(data=True) if n < 0}
    assert ends and ends <= left


def test_a_part_of_it_is_the_most_visited(tree):
    received = TreeTop(tree).branches()
    assert len(received) == MOST_NODES and max(depths(received)) <= MOST_ACTIONS
    visits = [node["visits"] for node in received]
    assert visits[0] == 200 and visits == sorted(visits, reverse=True)
    shown = Counter((node["above"], node["action"]) for node in received[1:])
    assert max(shown.values()) <= MOST_OUTCOMES
    outcomes = {(node["above"], node["action"]): node["outcomes"] for node in received[1:]}
    assert max(outcomes.values()) > MOST_OUTCOMES, "the control: some have more"


def test_a_root_alone_is_a_tree(tree):
    assert TreeTop(tree).branches(deep=0) == [{"above": None, "visits": 200}]
