"""Explain a search: its root as a table, its principal variation, its tree as a graph.

Independent of the game: a function ``words`` names actions.  Values are mean returns from a node or
an action on, of the player who decides there, in units in which ``low`` and ``high`` are the 0 and
1 of the scaled returns.  The root is the node at which the last search began, which must be over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from mcts.outcomes import ENDED, Choice, OutcomeTree
from mcts.search import SearchResult
from mcts.tree import EXPANDED, NODES, TOP, Tree


class Row(NamedTuple):
    """An action at the root."""

    action: int
    words: str
    visits: int
    share: float
    """Share of all visits; nan if there are none."""
    value: float
    """nan without visits."""
    error: float
    """Standard error of the value, treating simulations as independent; nan below two visits."""
    edge_data: float
    """The domain's edge data of the action, in its own units."""


def root_table(result: SearchResult, words: Callable[[int], str] = str) -> list[Row]:
    """Return the root's actions, most visits first (ties: the higher value, then as listed)."""
    visits, values = result.visits, result.values
    known = np.where(visits > 0, values, -np.inf)
    total = int(visits.sum())
    return [
        Row(
            action=int(result.actions[i]),
            words=words(int(result.actions[i])),
            visits=int(visits[i]),
            share=int(visits[i]) / total if total else math.nan,
            value=float(values[i]),
            error=float(result.errors[i]),
            edge_data=float(result.edge_data[i]),
        )
        for i in np.lexsort((np.arange(len(visits)), -known, -visits)).tolist()
    ]


def principal_variation(tree: Tree, low: float = 0.0, high: float = 1.0) -> list[Choice]:
    """Return the most visited actions from the root down (ties: value, then the first listed).

    After each action the most frequent outcome is assumed.
    """
    return OutcomeTree(tree, low, high).line()


def count_decisions(
    tree: Tree, begins: Callable[[int, np.ndarray], bool], max_turns: int = 3
) -> list[float]:
    """Return the shares of simulations that decided in the tree in turns 1 to ``max_turns``.

    To decide is to follow an edge; in roll-outs the roll-out policy decides.

    Parameters
    ----------
    begins : whether a node begins a turn of its player, by the action that leads to it and its own
        (int64 (n,)).  The root is in turn 1
    """
    top = int(tree.counters[TOP])
    turn = {top: 1}
    counts = np.zeros(max_turns + 1, np.int64)
    for node in tree.order[: tree.counters[NODES]].tolist():
        above = int(tree.parent[node])
        if tree.status[node] != EXPANDED or (node != top and above not in turn):
            continue
        block = slice(tree.first[node], tree.first[node] + tree.length[node])
        fresh = True
        if node != top:
            fresh = begins(int(tree.action[tree.incoming[node]]), tree.action[block])
            turn[node] = turn[above] + fresh
        if fresh and turn[node] <= max_turns:
            counts[turn[node]] += tree.edge_visits[block].sum()
    whole = max(1, counts[1])
    return [float(count / whole) for count in counts[1:]]


def export(
    tree: Tree,
    max_outcomes: int | None = None,
    words: Callable[[int], str] = str,
    low: float = 0.0,
    high: float = 1.0,
    seen: Callable[[int, int], str] = lambda action, kind: str(kind),
    deep: int | None = None,
    kinds: int | None = None,
) -> nx.DiGraph:
    """Return the ``max_outcomes`` most visited outcomes from the root down (None: all) as a graph.

    A node is an observation after an action: all nodes of the tree with one kind of outcome after
    the same actions and outcomes (`mcts.outcomes`).  The root is 0.  They have ``visits``,
    ``depth`` (own actions from the root), ``kind``, ``seen`` (the kind in words), ``end`` (the game
    was over or a limit reached) and, if a simulation continued from there, ``value``.  Edges have
    ``action``, ``words``, and the ``visits``, ``value`` and ``kinds`` (number of outcomes) of the
    action over all its observations.  The graph itself has ``root``, and ``nodes``: the number of
    nodes in the tree.  ``seen``: names the kind of outcome of an action in words; ``deep``,
    ``kinds``: as in `mcts.outcomes.OutcomeTree.top`.
    """
    graph = nx.DiGraph(root=0, nodes=int(tree.counters[NODES]))
    for place, outcome in enumerate(OutcomeTree(tree, low, high).top(max_outcomes, deep, kinds)):
        about = {"visits": outcome.visits, "depth": outcome.depth, "kind": outcome.kind}
        about["end"] = outcome.kind == ENDED
        choice = outcome.choice
        if choice is not None:
            about["seen"] = "" if about["end"] else seen(choice.action, outcome.kind)
        if outcome.value is not None:
            about["value"] = outcome.value
        graph.add_node(place, **about)
        if choice is not None:
            played = {"words": words(choice.action), **asdict(choice)}
            graph.add_edge(outcome.above, place, **played)
    return graph


# The picture.  All lengths and coordinates are in inches.
_ROW, _LEAF, _MARGIN, _SLANT, _FAN, _TITLE = 0.36, 0.17, 0.4, 0.3, 0.5, 0.3
_CHARACTER, _LETTER = 0.062, 0.05
_FONT, _SMALL = 7.5, 6.0
_MAIN, _OTHER, _TEXT = "#b3541e", "#7d9cc0", "#333333"


def draw(graph: nx.DiGraph, figure: Any) -> None:
    """Draw a graph of `export` into ``figure``, an empty ``matplotlib.figure.Figure``.

    From left to right: a circle is an outcome, with its visits; a line is an action, as wide as its
    share of visits, labelled with visits and value, and fans out into the observations after it, in
    words; a square is an end.  The most visited line has its own colour.  The figure is sized to
    fit, at most a third of an inch per node; it is readable up to some 60 nodes.
    """
    root = graph.graph["root"]
    heights: dict[Any, float] = {}
    lowest = _place(graph, root, 0.0, heights)
    columns, fans = _columns(graph)
    title = f"{len(graph)} most visited outcomes; {graph.graph['nodes']} nodes in the tree"
    width = max(columns[-1], _CHARACTER * len(title)) + 2 * _MARGIN
    figure.set_size_inches(width, lowest + 2 * _MARGIN + _TITLE)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-_MARGIN, width - _MARGIN), ylim=(lowest + _MARGIN, -_MARGIN - _TITLE))
    axes.set_axis_off()
    main, whole = set(_main_line(graph, root)), graph.nodes[root]["visits"]

    def write(text: str, at: Any, off: tuple[float, float], size: float, **style: Any) -> None:
        """Write next to ``at``, ``off`` by points: above it, below it or level with it."""
        level = "bottom" if off[1] > 0 else "top" if off[1] < 0 else "center_baseline"
        style |= {"va": level, "fontsize": size, "color": _TEXT}
        axes.annotate(text, at, off, textcoords="offset points", **style)

    def line(xs: tuple[float, ...], ys: tuple[float, ...], visits: int, on: bool) -> float:
        """Draw a line of a share of ``visits``; return half its width."""
        wide = 0.5 + 6 * visits / whole
        style = {"color": _MAIN if on else _OTHER, "zorder": 2 if on else 1}
        axes.plot(xs, ys, linewidth=wide, solid_capstyle="round", **style)
        return wide / 2

    for node, seen in graph.nodes.items():
        depth, at = seen["depth"], (columns[seen["depth"]], heights[node])
        marker, color = "s" if seen["end"] else "o", _MAIN if node in main else _OTHER
        axes.scatter(*at, s=22, marker=marker, color=color, zorder=3)
        style: dict[str, Any] = {}
        if graph.out_degree(node):
            halo = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
            style = {"ha": "center", "bbox": halo, "zorder": 4}
        write(f"{seen['visits']}", at, (0, -5) if style else (5, 0), _SMALL, **style)
        for action, children in _branches(graph, node):
            played, y = graph.edges[node, children[0]], heights[node, action]
            start, fan = columns[depth] + _SLANT, fans[depth + 1]
            for child in children:
                after, height = graph.nodes[child], heights[child]
                xs, ys = (fan, fan + _FAN, columns[depth + 1]), (y, height, height)
                above = line(xs, ys, after["visits"], {node, child} <= main)
                write(after["seen"], (fan + _FAN, height), (0, 1 + above), _SMALL)
            on = {node, children[0]} <= main
            half = line((at[0], start, fan), (at[1], y, y), played["visits"], on)
            write(played["words"], (start, y), (0, 2 + half), _FONT)
            figures = f"{played['visits']}   {played['value']:.3g}"
            write(figures, (start, y), (3, -2 - half), _SMALL)
    write(title, (0.0, -_MARGIN), (0, 0), _FONT)


def _branches(graph: nx.DiGraph, node: int) -> list[tuple[int, list[int]]]:
    """Return the actions of ``node`` with their outcomes, each by decreasing visits."""
    branches: dict[int, list[int]] = {}
    for _, child, action in graph.out_edges(node, data="action"):  # most visits first
        branches.setdefault(action, []).append(child)

    def rank(branch: tuple[int, list[int]]) -> tuple[int, float]:
        played = graph.edges[node, branch[1][0]]
        return -played["visits"], -played["value"]

    return sorted(branches.items(), key=rank)


def _main_line(graph: nx.DiGraph, node: int) -> Iterator[int]:
    """Yield ``node`` and its most visited continuation."""
    yield node
    for _, children in _branches(graph, node)[:1]:
        yield from _main_line(graph, children[0])


def _place(graph: nx.DiGraph, node: int, top: float, heights: dict[Any, float]) -> float:
    """Place ``node`` and all below it from ``top`` on; return the next free height.

    ``heights`` gets the height of nodes, and of actions by (node, action): halfway between their
    first and last outcome.
    """
    lines = []
    for action, children in _branches(graph, node):
        free = top
        for child in children:
            free = _place(graph, child, free, heights)
        lines.append((heights[children[0]] + heights[children[-1]]) / 2)
        heights[node, action] = lines[-1]
        top = max(free + _LEAF / 2, top + _ROW)
    heights[node] = (lines[0] + lines[-1]) / 2 if lines else top
    return top if lines else top + _LEAF


def _columns(graph: nx.DiGraph) -> tuple[list[float], list[float]]:
    """Return the x of the nodes of each depth, and of the fans before them, with room for words."""
    acts: dict[int, int] = {}
    seen: dict[int, int] = {}
    for _, child, words in graph.edges(data="words"):
        depth = graph.nodes[child]["depth"]
        acts[depth] = max(acts.get(depth, 12), len(words))
        seen[depth] = max(seen.get(depth, 0), len(graph.nodes[child]["seen"]))
    columns, fans = [0.0], [0.0]
    for depth in sorted(acts):
        fans.append(columns[-1] + _SLANT + _CHARACTER * acts[depth])
        columns.append(fans[-1] + _FAN + _LETTER * seen[depth])
    return columns, fans
