"""A search for tables and drawings: its root's actions, and the outcomes of its tree."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx

from belief.exact.solver import ExactPosterior
from experiments.explain.recorded import Decision, prior
from mcts.inspect import root_table
from mcts.search import SearchResult
from sim.actions import action_to_string as words
from sim.cards import SUSPECTS, WEAPONS
from sim.state import ACCUSE, REVEAL


def list_actions(
    decision: Decision, posterior: ExactPosterior, result: SearchResult
) -> list[dict[str, Any]]:
    """Return the root's actions, for JSON, with the most visits first.

    ``action`` and its ``words``, ``visits``, their ``share``, ``value`` and its standard ``error``,
    ``bits``, by which candidates are ranked, and ``right``, the probability of an accusation by
    ``posterior``; None where there is none.
    """
    bits, envelope = prior(decision, posterior.marginals), posterior.envelope_table().ravel()
    return [
        {
            "action": row.action,
            "words": row.words,
            "visits": row.visits,
            "share": row.share,
            "value": None if math.isnan(row.value) else row.value,
            "error": None if math.isnan(row.error) else row.error,
            "bits": bits.get(row.action),
            "right": float(envelope[row.action - ACCUSE])
            if ACCUSE <= row.action < REVEAL
            else None,
        }
        for row in root_table(result, words)
    ]


def list_nodes(graph: nx.DiGraph) -> list[dict[str, Any]]:
    """Return the nodes of a graph of `mcts.inspect.export`, for JSON, each after that above it.

    A node has ``above``, its place in the list (None: the root), and ``visits``; but for the root
    also ``seen``, the outcome in words, and what it is the outcome of: ``action`` in words,
    ``played``, how often, ``value``, the mean result of that, ``outcomes``, how many it has in all;
    and ``end``.  Where they are known it has ``after``, the mean result from there on, and by
    `experiments.explain.outcomes.annotate` ``exact``, the outcome's probability, ``bits`` and
    ``envelope``, by kind of card the cards with their probabilities, the likeliest first.
    """
    return [_node(graph, node) for node in graph]


def _node(graph: nx.DiGraph, node: int) -> dict[str, Any]:
    about = graph.nodes[node]
    found = {"above": None, "visits": about["visits"]}
    for above, _, played in graph.in_edges(node, data=True):
        found |= {
            "above": above,
            "action": played["words"],
            "played": played["visits"],
            "value": played["value"],
            "outcomes": played["kinds"],
            "seen": about["seen"],
            "end": about["end"],
        }
    names = {"value": "after", "probability": "exact", "bits": "bits"}
    found |= {ours: about[theirs] for theirs, ours in names.items() if theirs in about}
    if "envelope" in about:
        found["envelope"] = _by_kind(about["envelope"])
    return found


def _by_kind(envelope: dict[str, float]) -> list[tuple[str, list[tuple[str, float]]]]:
    kinds: dict[str, list[tuple[str, float]]] = {"suspect": [], "weapon": [], "room": []}
    for card, chance in sorted(envelope.items(), key=lambda one: -one[1]):
        kind = "suspect" if card in SUSPECTS else "weapon" if card in WEAPONS else "room"
        kinds[kind].append((card, chance))
    return list(kinds.items())
