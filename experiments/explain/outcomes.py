"""A search as tables and drawings: its root's actions, and the outcomes of its tree.

An outcome has a description, a probability, and the seat's knowledge after it.

The belief at an outcome has the evidence at the root and the answers to own suggestions on the way.
Suggestions of others in between are part of roll-outs, and not of the belief.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import networkx as nx
import numpy as np

from belief.events import check_events, record
from belief.evidence import ContradictoryEvidence
from belief.exact.solver import ExactPosterior
from belief.information import entropy
from experiments.explain.recorded import Decision, prior
from mcts.inspect import root_table
from mcts.outcomes import ENDED
from mcts.search import SearchResult
from sim.cards import CARDS, FIRST_ROOM, FIRST_WEAPON, SUSPECTS, WEAPONS
from sim.planning.information_sets import read_answer
from sim.state import ACCUSE, ASK, PASS, PASSAGE, REVEAL
from sim.suggestion_events import suggestion_events
from sim.words import action_to_string

NO_ROOM = -1
"""The pawn's room is unknown: others may have called it away."""


@dataclass(frozen=True)
class Known:
    """A seat's knowledge at an outcome.

    ``evidence``: array (1,) of `belief.evidence.Evidence`; ``posterior``: of the evidence;
    ``room``: of the own pawn, or `NO_ROOM`.
    """

    evidence: np.ndarray
    posterior: ExactPosterior
    room: int

    @property
    def bits(self) -> float:
        """The entropy of the envelope."""
        return float(entropy(self.posterior.envelope_table().ravel()))

    @property
    def envelope(self) -> dict[str, float]:
        """The probability of each card that may be in the envelope."""
        inside = self.posterior.marginals[:, 0]
        return {CARDS[card]: float(inside[card]) for card in inside.nonzero()[0]}


def see(seat: int, names: Sequence[str], action: int, kind: int) -> str:
    """Return an outcome of ``action`` in words, as ``seat`` saw it.

    ``names``: of the players by seat.
    """
    answer = read_answer(kind)
    if answer is None:
        return "the others play" if action == PASS else ""
    whom = "" if answer.asker == seat else f" {names[answer.asker]}"
    if answer.answerer < 0:
        return f"nobody answers{whom}"
    the = "the card" if answer.card < FIRST_WEAPON else "the"  # players have suspects' names
    shown = f"{the} {CARDS[answer.card]}" if answer.card >= 0 else "something"
    return f"{names[answer.answerer]} shows{whom} {shown}"


def annotate(graph: nx.DiGraph, decision: Decision, evidence: np.record) -> None:
    """Add to a graph of `mcts.inspect.export` the knowledge of ``decision``'s seat at its nodes.

    A node after known answers to all own suggestions gets ``bits`` and ``envelope``, the exact
    entropy and marginals, and, after an own suggestion, ``probability``, that of the answer by the
    preceding exact posterior.  ``evidence``: element of a record array, of the searching seat.
    """
    held = np.array(evidence).reshape(1)
    known: dict[int, Known] = {0: Known(held, ExactPosterior(held[0]), decision.room)}
    for node in graph:  # parents first
        (above,) = graph.predecessors(node) if node else (None,)
        if above in known:
            action, kind = graph.edges[above, node]["action"], graph.nodes[node]["kind"]
            after, chance = _after(decision, action, kind, known[above])
            if chance is not None:
                graph.nodes[node]["probability"] = chance
            if after is not None:
                known[node] = after
        if node in known:
            graph.nodes[node].update(bits=known[node].bits, envelope=known[node].envelope)


def _after(
    decision: Decision, action: int, kind: int, known: Known
) -> tuple[Known | None, float | None]:
    """Return the knowledge after an outcome of ``action``, and its probability, if known."""
    if kind == ENDED:
        return None, None
    answer, seat, players = read_answer(kind), decision.seat, decision.record.rules.players
    if not ASK <= action < ACCUSE:
        if answer is not None:  # to another player, whose decision the tree made
            return None, None
        return replace(known, room=_room_after(decision, action, known.room)), None
    if answer is None or answer.asker != seat or known.room == NO_ROOM:
        return None, None
    suspect, weapon = divmod(action - ASK, len(WEAPONS))
    cards = 1 << suspect | 1 << FIRST_WEAPON + weapon | 1 << FIRST_ROOM + known.room
    asked = (seat, cards, answer.answerer, answer.card)
    events, _ = suggestion_events([asked], seat, players)
    held = known.evidence.copy()
    record(held, check_events(events, held))
    try:
        posterior = ExactPosterior(held[0])
    except ContradictoryEvidence:  # an approximate belief allows it
        return None, 0.0
    chance = math.exp(posterior.log_weight - known.posterior.log_weight)
    return Known(held, posterior, known.room), chance


def _room_after(decision: Decision, action: int, room: int) -> int:
    """Return the pawn's room after an ``action`` other than a suggestion."""
    if action == PASSAGE:
        return int(decision.board.passage[room])
    if action < PASSAGE:
        return action
    return NO_ROOM if action == PASS else room


def list_actions(
    decision: Decision, posterior: ExactPosterior, result: SearchResult
) -> list[dict[str, Any]]:
    """Return the root's actions for JSON, most visited first.

    ``action`` and its ``words``, ``visits``, their ``share``, ``value`` and its standard ``error``,
    ``bits``, which rank candidates, and ``right``, the probability of an accusation by
    ``posterior``; None if not applicable.
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
        for row in root_table(result, action_to_string)
    ]


def list_nodes(graph: nx.DiGraph) -> list[dict[str, Any]]:
    """Return the nodes of a graph of `mcts.inspect.export` for JSON, parents first.

    A node has ``above``, its parent's index in the list (None: the root), and ``visits``.  All but
    the root also have ``seen``, the outcome in words; of the action that led to it ``action`` in
    words, ``played``, how often, ``value``, its mean result, and ``outcomes``, how many it has in
    all; and ``end``.  If known, a node has ``after``, the mean result from there on, and by
    `annotate` ``exact``, the outcome's probability, ``bits`` and ``envelope``, by kind of card the
    cards with their probabilities, the likeliest first.
    """
    listed, names = [], {"value": "after", "probability": "exact", "bits": "bits"}
    for node, about in graph.nodes(data=True):
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
        found |= {ours: about[theirs] for theirs, ours in names.items() if theirs in about}
        if "envelope" in about:
            found["envelope"] = _by_kind(about["envelope"])
        listed.append(found)
    return listed


def _by_kind(envelope: dict[str, float]) -> list[tuple[str, list[tuple[str, float]]]]:
    kinds: dict[str, list[tuple[str, float]]] = {"suspect": [], "weapon": [], "room": []}
    for card, chance in sorted(envelope.items(), key=lambda one: -one[1]):
        kind = "suspect" if card in SUSPECTS else "weapon" if card in WEAPONS else "room"
        kinds[kind].append((card, chance))
    return list(kinds.items())
