"""Explain BMCTS: its tree as a graph, with the belief and the bounds at each node."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np

from mcts.bmcts.search import BeliefSearch
from mcts.bmcts.tree import NODES, OPEN, TOP


def export_beliefs(
    search: BeliefSearch,
    most: int = 40,
    words: Callable[[int], str] = str,
    seen: Callable[[int, int], str] = lambda action, observation: str(observation),
    states: int = 5,
) -> nx.DiGraph:
    """Return the ``most`` most visited nodes of the last search as a graph for `mcts.draw`.

    The root is 0.  Each belief is shown once, below its most visited parent.  A node has
    ``visits``, ``depth``, ``value``, ``lower``, ``belief`` (the ``states`` most probable states
    with their probabilities), ``chance`` (of its observation) and ``seen``, its observation in
    words.  An edge has ``action``, ``words``, ``visits``, ``value`` and ``lower``.
    """
    tree = search.tree
    graph = nx.DiGraph(root=0, nodes=int(tree.counters[NODES]))
    waiting: list[tuple[int, int, int, Any]] = [(0, 0, int(tree.counters[TOP]), None)]
    shown: set[int] = set()
    top_depth = int(tree.node_depth[tree.counters[TOP]])
    while waiting and len(graph) < most:
        _, _, node, above = heapq.heappop(waiting)
        if node in shown:
            continue
        shown.add(node)
        place = len(graph)
        about: dict[str, Any] = {
            "visits": int(tree.node_visits[node]),
            "depth": int(tree.node_depth[node]) - top_depth,
            "value": float(tree.node_value[node]),
            "lower": float(tree.node_lower[node]),
            "belief": _most_probable(*search.belief(node), states),
            "end": not tree.node_length[node],
            "chance": 1.0,
        }
        if above is not None:
            parent, edge, outcome = above
            action = int(tree.action[edge])
            about["seen"] = seen(action, int(tree.seen[outcome]))
            about["chance"] = float(tree.chance[outcome])
            graph.add_node(place, **about)
            graph.add_edge(
                parent,
                place,
                action=action,
                words=words(action),
                visits=int(tree.visits[edge]),
                value=float(tree.value[edge]),
                lower=float(tree.lower[edge]),
            )
        else:
            graph.add_node(place, **about)
        for edge in search.edges(node):
            if tree.status[edge] == OPEN:
                for outcome in range(tree.first[edge], tree.first[edge] + tree.length[edge]):
                    child = int(tree.child[outcome])
                    if child >= 0:
                        rank = -int(tree.node_visits[child])
                        heapq.heappush(waiting, (rank, child, child, (place, edge, outcome)))
    return graph


def _most_probable(state: np.ndarray, share: np.ndarray, count: int) -> dict[int, float]:
    """Return the ``count`` most probable states with their probabilities."""
    best = np.argsort(-share, kind="stable")[:count]
    return {int(state[i]): float(share[i]) for i in best}
