"""Tables, lines and graphs of a tree made by hand, and of searches."""

import math
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mcts import inspect
from mcts.inspect import draw, export, principal_variation, root_table
from mcts.options import Budget, Options
from mcts.outcomes import ENDED, Choice
from mcts.problems.tiger import LISTEN_THEN_ACT, TigerParameters
from mcts.search import Search
from mcts.tree import EXPANDED, NODES, ROOT, new_tree

A, B, C, D = 3, 6, 9, 12
"""Nodes below the root."""

EDGES = (
    # node, action, visits, total
    (ROOT, 7, 6, 3.0),
    (ROOT, 5, 3, 2.25),
    (ROOT, 9, 1, 0.0),
    (ROOT, 8, 0, 0.0),
    (A, 1, 1, 1.0),
    (A, 2, 2, 0.5),
)
NODES_BELOW = (
    # node, visits, edge above
    (A, 4, 0),
    (C, 1, 2),
    (B, 2, 0),
    (D, 1, 5),
)


def make():
    """Return the tree of `EDGES` and `NODES_BELOW`: 3 visits of action 5 led to no node."""
    tree = new_tree(8, 8)
    for edge, (node, action, visits, total) in enumerate(EDGES):
        tree.first[node] = min(tree.first[node], edge) if tree.status[node] == EXPANDED else edge
        tree.status[node] = EXPANDED
        tree.length[node] = edge + 1 - tree.first[node]
        tree.action[edge] = action
        tree.edge_visits[edge], tree.edge_total[edge] = visits, total
    tree.visits[ROOT] = 10
    for place, (node, visits, edge) in enumerate(NODES_BELOW, 1):
        tree.key[node], tree.visits[node] = 1, visits
        tree.parent[node], tree.incoming[node] = EDGES[edge][0], edge
        tree.order[place], tree.outcome[node] = node, node
        tree.counters[NODES] += 1
    return tree


def relabel(graph):
    """Return a graph of `make` by the nodes of that tree, an end by -1 and the action before."""

    def name(node):
        kind = graph.nodes[node]["kind"]
        (above,) = graph.predecessors(node) if node else (None,)
        return kind if kind >= 0 else -1 - graph.edges[above, node]["action"]

    return nx.relabel_nodes(graph, {node: name(node) for node in graph})


@pytest.fixture(scope="module")
def tiger():
    """Return a searched tree of tiger."""
    p = TigerParameters(steps=6, rollout=LISTEN_THEN_ACT)
    search = Search(p, Options(nodes=3_000, exploration=0.08))
    search.run(Budget(simulations=2_000), 1)
    return search.tree


def result(visits, values, errors=None):
    """Return what `root_table` reads of a search of the actions 10, 11, ..."""
    number = len(visits)
    return SimpleNamespace(
        actions=np.arange(10, 10 + number),
        edge_data=np.arange(number) / 4,
        visits=np.array(visits),
        values=np.array(values),
        errors=np.array(errors or [math.nan] * number),
    )


def test_the_root_table_is_that_of_the_result():
    rows = root_table(result([2, 6], [0.5, -3.0], [0.25, 0.125]), lambda action: f"do {action}")
    assert rows == [
        (11, "do 11", 6, 0.75, -3.0, 0.125, 0.25),
        (10, "do 10", 2, 0.25, 0.5, 0.25, 0.0),
    ]


@pytest.mark.parametrize(
    ("visits", "values", "order"),
    [
        ([1, 3, 2], [0.9, 0.1, 0.5], [11, 12, 10]),
        ([2, 2, 2], [0.1, 0.3, 0.2], [11, 12, 10]),
        ([2, 2, 2], [0.3, 0.3, 0.3], [10, 11, 12]),
        ([0, 0, 1], [math.nan, math.nan, 0.0], [12, 10, 11]),
    ],
    ids=["visits", "values", "list", "unvisited"],
)
def test_the_root_table_is_in_the_order_of_the_choice(visits, values, order):
    assert [row.action for row in root_table(result(visits, values))] == order


def test_the_principal_variation_by_hand():
    steps = principal_variation(make())
    assert steps == [Choice(7, 6, 0.5, 2), Choice(2, 2, 0.25, 2)]
    assert [step.value for step in principal_variation(make(), low=-8, high=8)] == [0.0, -4.0]


def test_the_graph_by_hand():
    seen = "{} after {}".format
    graph = relabel(
        export(
            make(),
            words=lambda action: f"do {action}",
            low=0.0,
            high=16.0,
            seen=lambda action, kind: seen(kind, action),
        )
    )
    assert dict(graph.nodes(data=True)) == {
        ROOT: {"visits": 10, "depth": 0, "kind": 0, "value": 8.4, "end": False},
        A: {"visits": 4, "depth": 1, "kind": A, "value": 8.0, "end": False, "seen": seen(A, 7)},
        B: {"visits": 2, "depth": 1, "kind": B, "end": False, "seen": seen(B, 7)},
        C: {"visits": 1, "depth": 1, "kind": C, "end": False, "seen": seen(C, 9)},
        D: {"visits": 1, "depth": 2, "kind": D, "end": False, "seen": seen(D, 2)},
        -6: {"visits": 3, "depth": 1, "kind": ENDED, "end": True, "seen": ""},
        -2: {"visits": 1, "depth": 2, "kind": ENDED, "end": True, "seen": ""},
        -3: {"visits": 1, "depth": 2, "kind": ENDED, "end": True, "seen": ""},
    }
    done = {
        action: {
            "action": action,
            "words": f"do {action}",
            "visits": visits,
            "value": 16 * total / max(visits, 1),
            "kinds": kinds,
        }
        for (_, action, visits, total), kinds in zip(EDGES, (2, 1, 1, 0, 1, 2), strict=True)
    }
    assert {(parent, child): data for parent, child, data in graph.edges(data=True)} == {
        (ROOT, A): done[7],
        (ROOT, B): done[7],
        (ROOT, -6): done[5],
        (ROOT, C): done[9],
        (A, -2): done[1],
        (A, D): done[2],
        (A, -3): done[2],
    }


def test_nodes_with_one_kind_of_outcome_are_one():
    """And so is what follows them: actions, values, outcomes."""
    tree = make()
    tree.outcome[[A, B]] = 1
    tree.first[B], tree.length[B], tree.status[B] = 6, 1, EXPANDED
    tree.action[6], tree.edge_visits[6], tree.edge_total[6] = 2, 1, 1.0
    graph = export(tree)
    (both,) = (node for node, kind in graph.nodes(data="kind") if kind == 1)
    assert graph.nodes[both]["visits"] == 6
    assert graph.nodes[both]["value"] == pytest.approx((1.0 + 0.5 + 1.0) / 4)
    done = {data["action"]: data for *_, data in graph.out_edges(both, data=True)}
    assert done[2]["visits"] == 3 and done[2]["value"] == 0.5 and done[2]["kinds"] == 2


# The picture


def words(action):
    """Return words as long as those of a game."""
    return f"open door number {action}, the one on the left"


def check_readable(graph):
    """Raise AssertionError unless all of ``graph`` is written in its picture, nothing on top."""
    figure = Figure(dpi=100)
    draw(graph, figure)
    (axes,) = figure.axes
    texts = list(axes.texts)
    written = Counter(text.get_text() for text in texts)
    shown = {(node, data["action"]): data["words"] for node, _, data in graph.edges(data=True)}
    for text, times in Counter(shown.values()).items():
        assert written[text] == times
    for text, times in Counter(str(n) for _, n in graph.nodes(data="visits")).items():
        assert written[text] == times
    for text, times in Counter(seen for _, seen in graph.nodes(data="seen") if seen).items():
        assert written[text] == times
    renderer = FigureCanvasAgg(figure).get_renderer()
    # Less half a pixel: boxes are whole pixels.
    boxes = [text.get_window_extent(renderer).padded(-0.5) for text in texts]
    for i, box in enumerate(boxes):
        assert figure.bbox.contains(box.x0, box.y0) and figure.bbox.contains(box.x1, box.y1)
        over = [texts[j].get_text() for j in range(i) if box.overlaps(boxes[j])]
        assert not over, f"{texts[i].get_text()!r} is written over {over}"


def hear(action, kind):
    """Return words as long as those of an answer."""
    return f"somebody shows card {kind}"


@pytest.mark.parametrize("most", [1, 12, 60])
def test_a_picture_is_readable(tiger, most):
    check_readable(export(tiger, most, words, seen=hear))
    check_readable(export(make(), most, words, seen=hear))


@pytest.mark.parametrize("squeezed", ["_ROW _LEAF", "_LEAF", "_CHARACTER", "_LETTER", "_MARGIN"])
def test_the_check_finds_a_picture_that_is_not(tiger, monkeypatch, squeezed):
    for length in squeezed.split():
        monkeypatch.setattr(inspect, length, getattr(inspect, length) / 4)
    with pytest.raises(AssertionError):
        check_readable(export(make(), None, words, seen=hear))
        check_readable(export(tiger, 60, words, seen=hear))


def test_the_program_on_the_page_runs(tmp_path, monkeypatch, capsys):
    page = (Path(__file__).parents[2] / "docs/explain.md").read_text()
    code = page.rpartition("```python\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert (tmp_path / "tiger.png").read_bytes().startswith(b"\x89PNG")
    shown = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert shown[:4] == ["listen", "open", "open", "listen"]
