"""Advice at a decision of a recorded game: the choice of a player in the seat's place.

The player gets what the seat had seen by then, and nothing else (`experiments.explain`).  A
compiled policy gives an action, a planner the table of its root as well.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from experiments.explain.recorded import Decision, consider, decisions, pick, words
from mcts.inspect import principal_variation, root_table
from sim.arena import Memory, act
from sim.chance import search_key
from sim.planning.planner import Planner
from sim.players.registry import make
from sim.policies import greedy
from sim.policies.table import Policy, seat_policy
from sim.records.record import Record
from sim.rules import world
from sim.view import Log, replay_evidence


def advise(record: Record, line: int, spec: Mapping[str, Any], seed: int = 0) -> dict[str, Any]:
    """Return the choice of the player ``spec`` at the decision on ``line``, for JSON.

    ``action`` and its ``words``; of a planner that searched ``table``, the root's actions with
    visits, values and standard errors (None where unknown), ``line`` its most visited line, and
    ``simulations``.  Its random numbers are named by ``seed``.

    Raises
    ------
    experiments.settings.commandline.Refusal
        If the line holds no turn decision with a choice, or there is no belief to decide with.
    ValueError
        If the player is unknown, or does not fit the rules.
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
        about["table"] = [
            {
                "action": row.action,
                "words": row.words,
                "visits": row.visits,
                "value": _number(row.value),
                "error": _number(row.error),
            }
            for row in root_table(player.result, words)
        ]
        tree = getattr(player.search, "tree", None)
        about["line"] = [
            {"words": words(step.action), "visits": step.visits, "value": _number(step.value)}
            for step in ([] if tree is None else principal_variation(tree))
        ]
    return about


def _number(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), 4)


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
