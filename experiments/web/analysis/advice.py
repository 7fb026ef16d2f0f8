"""Advice at a decision of a recorded game: the choice of a player in the seat's place.

The player gets what the seat had seen by then, and nothing else (`experiments.explain`).  A
compiled policy gives an action, a planner the table of its root as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from belief.exact.solver import ExactPosterior
from experiments.explain.assumptions import list_assumptions
from experiments.explain.drawn import list_actions, list_nodes
from experiments.explain.outcomes import annotate, see
from experiments.explain.recorded import Decision, consider, decisions, pick, words
from mcts.inspect import export, principal_variation
from sim.arena import Memory, act
from sim.chance import search_key
from sim.planning.planner import Planner
from sim.players.registry import make
from sim.policies import greedy
from sim.policies.table import Policy, seat_policy
from sim.records.record import Record
from sim.rules import world
from sim.view import Log, replay_evidence

MOST_NODES = 40
"""Of the tree."""


def advise(record: Record, line: int, spec: Mapping[str, Any], seed: int = 0) -> dict[str, Any]:
    """Return the choice of the player ``spec`` at the decision on ``line``, for JSON.

    ``action`` and its ``words``; of a planner that searched ``table``, the root's actions, and
    ``tree``, the most visited outcomes (both by `experiments.explain.drawn`), ``line``, the most
    visited line, and ``simulations``.  Its random numbers are named by ``seed``.  Raises
    experiments.settings.commandline.Refusal if the line holds no turn decision with a choice, or
    there is no belief to decide with.  Raises ValueError if the player is unknown, or does not fit
    the rules.
    """
    decision = pick(list(decisions(record)), line, None)
    player = make(spec, record.rules)
    if player.policy is not None:
        action = _act(decision, player.policy, seed)
    else:
        action = consider(player, decision, seed)
    about: dict[str, Any] = {"player": player.name, "action": action, "words": words(action)}
    if isinstance(player, Planner) and player.result is not None:
        about["simulations"] = player.result.simulations
        evidence = player.position(decision.view).root[0].evidence[decision.seat]
        about["table"] = list_actions(decision, ExactPosterior(evidence), player.result)
        about |= list_assumptions(player, record.rules.players)
        tree = getattr(player.search, "tree", None)
        about["line"] = [
            {"words": words(step.action), "visits": step.visits, "value": step.value}
            for step in ([] if tree is None else principal_variation(tree))
        ]
        if tree is not None:
            seen = partial(see, decision.seat, record.rules.suspects)
            graph = export(tree, MOST_NODES, words, seen=seen)
            annotate(graph, decision, evidence)
            about["tree"] = list_nodes(graph)
    return about


def _act(decision: Decision, which: Policy, seed: int) -> int:
    """Return the action of the compiled policy ``which``, from what the seat has seen alone."""
    record, seat = decision.record, decision.seat
    board, state, memory, log = world(record.rules)[0], decision.view.copy(), Memory([which]), Log()
    for event in decision.seen:
        log.append(event)
    seat_policy(state[0], seat, which)
    state[0].key = search_key(seed, record.game, seat)
    replay_evidence(board, state[0], seat, log.events)
    while True:
        action = int(act(board, state[0], memory.work, memory.sample))
        if action != greedy.UNSOLVED:
            return action
        memory.grow()
