"""Advice at a decision of a recorded game: the choice of a player in the seat's place.

The player gets what the seat had seen by then, and nothing else (`experiments.explain`).  A
compiled policy gives an action, a planner the table of its root as well.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any

from belief.evidence import EvidenceFull
from belief.exact.solver import ExactPosterior
from experiments.explain.assumptions import list_assumptions
from experiments.explain.drawn import list_actions, list_nodes
from experiments.explain.outcomes import annotate, see
from experiments.explain.recorded import FIRST_LINE, Decision, consider, decisions, pick
from experiments.web.analysis import verdict
from experiments.web.analysis.notebook import Knowledge, evidence_of
from mcts.inspect import export, principal_variation
from sim.actions import action_to_string as words
from sim.arena import Memory, act
from sim.chance import search_key
from sim.planning.planner import Planner
from sim.player import Player
from sim.players.registry import make
from sim.policies import greedy
from sim.policies.registry import Policy, seat_policy
from sim.records.record import Record
from sim.rules import world
from sim.view import Log, replay_evidence

MOST_NODES = 40
"""Of the tree."""


def advise(
    record: Record, line: int, spec: Mapping[str, Any], seed: int = 0, judged: bool = False
) -> dict[str, Any]:
    """Return the choice of the player ``spec`` at the decision on ``line``, for JSON.

    ``action`` and its ``words``; of a planner that searched ``table``, the root's actions, and
    ``tree``, the most visited outcomes (both by `experiments.explain.drawn`), ``line``, the most
    visited line, and ``simulations``; where it is ``judged``, ``verdict``, that on the action done
    (`experiments.web.analysis.verdict`).  Its random numbers are named by ``seed``.  Raises
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
        about |= _describe_search(player, decision)
    if judged:
        worth = _weigh(player, decision, {action, decision.action})
        about["verdict"] = asdict(verdict.judge(decision.action, action, worth))
    return about


def _describe_search(player: Planner, decision: Decision) -> dict[str, Any]:
    """Return what `advise` says of the search by which ``player`` has just decided."""
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


def _weigh(player: Player, decision: Decision, actions: Collection[int]) -> verdict.Worth:
    """Return what ``actions`` are worth; of a player that searches not, those that accuse."""
    if isinstance(player, Planner):
        evidence = player.position(decision.view).root[0].evidence[decision.seat]
        return verdict.weigh(player, decision, actions, ExactPosterior(evidence))
    record, seat = decision.record, decision.seat
    known = Knowledge.of(record.rules, seat, record.events[: decision.line - FIRST_LINE])
    with suppress(EvidenceFull):
        return verdict.weigh_accusations(actions, ExactPosterior(evidence_of(known)))
    return {}


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
