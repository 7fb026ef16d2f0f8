"""The influence diagram of the paper, solved by pyAgrum, is worth what the recursion says."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from sim.hunt.strategies.diagram import Node, diagram, sizes, solve, structure
from sim.hunt.strategies.recursion import closed_loop, open_loop
from tests.sim.hunt.hunts import PUBLISHED, random_hunt
from tests.sim.hunt_reference import star

CASES = [(weights, moves) for weights in PUBLISHED for moves in (1, 2, 3)]


def unseeing(nodes: list[Node]) -> list[Node]:
    """Return a diagram in which no decision sees any z."""
    return [
        node._replace(parents=tuple(name for name in node.parents if name[0] != "z"))
        if node.kind == "decision"
        else node
        for node in nodes
    ]


@pytest.mark.parametrize(("weights", "moves"), CASES)
def test_the_twelve_values(weights, moves):
    case = star(moves, weights)
    nodes = diagram(case)
    closed, fixed = (values[moves - 1] for values in PUBLISHED[weights])
    assert solve(nodes) == pytest.approx(closed, abs=1e-6)
    assert solve(nodes) == pytest.approx(closed_loop(case).value, abs=1e-9)
    assert solve(unseeing(nodes)) == pytest.approx(fixed, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_noisy_hunts_are_worth_the_same(seed):
    case = random_hunt(seed)
    nodes = diagram(case)
    assert solve(nodes) == pytest.approx(closed_loop(case).value, abs=1e-9)
    assert solve(unseeing(nodes)) == pytest.approx(open_loop(case).value, abs=1e-9)


def test_what_is_measured_already_is_not_measured_again():
    case = random_hunt(5)._replace(open=np.array([False, True, True]))
    nodes = diagram(case)
    assert not [value for node in nodes for value in node.values if value.startswith("m0")]
    assert solve(nodes) == pytest.approx(closed_loop(case).value, abs=1e-9)
    assert solve(nodes) < closed_loop(random_hunt(5)).value - 0.1


def test_measurements_as_printed_are_not_the_hunt():
    """Eq. 22 draws z(t) whatever was seen before; one measurement cannot show the difference."""
    values = [solve(diagram(star(moves), printed=True)) for moves in (1, 2)]
    assert values == pytest.approx([6.076140, 7.047651], abs=1e-6)
    assert PUBLISHED[12, 1, 1][0][1] - values[1] > 0.7
    values = [solve(diagram(random_hunt(5), printed)) for printed in (False, True)]
    assert values == pytest.approx([6.13, 12.04], abs=0.005)


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("case", [star(3), random_hunt(3)])
def test_tables_are_distributions(case, printed):
    nodes = diagram(case, printed)
    size = {node.name: len(node.values) for node in nodes}
    for node in nodes:
        shape = tuple(size[parent] for parent in node.parents)
        if node.kind == "chance":
            assert node.table.shape == (*shape, len(node.values)) and (node.table >= 0).all()
            assert node.table.sum(axis=-1) == pytest.approx(np.ones(shape))
        elif node.kind == "utility":
            assert node.table.shape == shape and np.isfinite(node.table).all()


def test_it_is_drawn_as_figure_7():
    graph = structure(diagram(star(3)))
    assert nx.is_directed_acyclic_graph(graph) and len(graph) == 1 + 8 * 3
    for t in (1, 2, 3):
        seen = {f"z({k})" for k in range(1, t + 1)}
        assert set(graph.predecessors(f"y({t})")) == seen
        assert set(graph.successors(f"y({t})")) == {f"B({t})"}
        assert set(graph.predecessors(f"x({t})")) == {f"x({t - 1})", f"a({t})"}
        assert graph.nodes[f"u({t})"] == {"kind": "decision", "slice": t, "values": 2}
    assert set(graph.predecessors("z(3)")) == {"x(3)", "u(3)", "z(1)", "z(2)"}
    text = structure(diagram(star(3), printed=True))
    assert set(text.predecessors("z(3)")) == {"x(3)", "u(3)"}


def test_the_table_of_y_grows_with_every_slice():
    """By a factor of the values of z, 6 outcomes and unobserved: a complexity problem."""
    tables = {node.name: node.table for node in diagram(star(4))}
    grown = [tables[f"y({t})"].size for t in (1, 2, 3, 4)]
    assert grown == [28, 196, 1372, 9604] == list(sizes(star(4)).values())
    assert sizes(star(25))["y(25)"] == 4 * 7**25 > 5e21
    with pytest.raises(ValueError, match="7 moves has a table of 6,588,344 entries"):
        diagram(star(7))
