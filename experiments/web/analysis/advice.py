"""Advice at a decision of a recorded game: a player's choice in the seat's place.

The player gets only what the seat had seen by then (`experiments.explain`).  A compiled policy
gives an action, a planner also the table of its root.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from belief.exact.solver import ExactPosterior
from experiments.explain.assumptions import list_assumptions
from experiments.explain.outcomes import annotate, list_actions, list_nodes, see
from experiments.explain.recorded import Decision, consider, decisions, pick
from mcts.inspect import export, principal_variation
from sim.arena import Memory
from sim.chance import search_key
from sim.planning.planner import Planner
from sim.players.registry import make
from sim.policies.registry import Policy, seat_policy
from sim.records.record import Record
from sim.rules import world
from sim.view import Log, replay_evidence
from sim.words import action_to_string as words

MOST_NODES = 40
"""Maximum number of nodes of the shown tree."""


def advise(record: Record, line: int, spec: Mapping[str, Any], seed: int = 0) -> dict[str, Any]:
    """Return the choice of player ``spec`` at the decision on ``line``, for JSON.

    ``action`` and its ``words``; after a search also ``table``, the root's actions, ``tree``,
    the most visited outcomes (both by `experiments.explain.outcomes`), ``line``, the most
    visited line, and ``simulations``.  ``seed`` determines its random numbers.  Raises
    experiments.settings.commandline.Refusal if the line is not a turn decision with a choice, or
    the belief is missing.  Raises ValueError if the player is unknown, or does not fit the rules.
    """
    decision = pick(list(decisions(record)), line, None)
    player = make(spec, record.rules)
    if player.policy is not None:
        action = _act(decision, player.policy, seed)
    else:
        action = consider(player, decision, seed)
    about: dict[str, Any] = {"player": player.name, "action": action, "words": words(action)}
    if isinstance(player, Planner) and player.result is not None:
        about |= _describe_search(player, decision)
    return about


def _describe_search(player: Planner, decision: Decision) -> dict[str, Any]:
    """Return the part of `advise` on the search with which ``player`` has just decided."""
    assert player.result is not None
    evidence = player.position(decision.view).root[0].evidence[decision.seat]
    tree = getattr(player.search, "tree", None)
    about: dict[str, Any] = {
        "simulations": player.result.simulations,
        "table": list_actions(decision, ExactPosterior(evidence), player.result),
        **list_assumptions(player, decision.record.rules.players),
        "line": [
            {"words": words(step.action), "visits": step.visits, "value": step.value}
            for step in ([] if tree is None else principal_variation(tree))
        ],
    }
    if tree is not None:
        seen = partial(see, decision.seat, decision.record.rules.suspects)
        graph = export(tree, MOST_NODES, words, seen=seen)
        annotate(graph, decision, evidence)
        about["tree"] = list_nodes(graph)
    return about


def _act(decision: Decision, which: Policy, seed: int) -> int:
    """Return the action of the compiled policy ``which``, from what the seat has seen."""
    record, seat = decision.record, decision.seat
    board, state, log = world(record.rules)[0], decision.view.copy(), Log()
    for event in decision.seen:
        log.append(event)
    seat_policy(state[0], seat, which)
    state[0].key = search_key(seed, record.game, seat)
    replay_evidence(board, state[0], seat, log.events)
    return Memory([which]).act(board, state[0])
