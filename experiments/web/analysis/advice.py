"""Advice at a decision of a recorded game: a player's choice in the seat's place, and the loss of
the action taken against it.

The player gets only what the seat had seen by then (`experiments.explain`).  A compiled policy
gives an action, a planner also the table of its root.

The verdict needs no search for accusations, which are worth their probability of being right, nor
for actions equal to the player's.  An action outside the player's list is searched with a longer
list; only actions that cannot be listed have no figure.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from belief.evidence import EvidenceFull
from belief.exact.solver import ExactPosterior
from experiments.explain.assumptions import list_assumptions
from experiments.explain.outcomes import annotate, list_actions, list_nodes, see
from experiments.explain.recorded import FIRST_LINE, Decision, consider, decisions, pick
from experiments.web.analysis.notebook import Knowledge, evidence_of
from mcts.inspect import export, principal_variation, root_table
from mcts.search import SearchResult
from mcts.searcher import searcher
from sim.arena import Memory
from sim.chance import search_key
from sim.planning.candidates import offer
from sim.planning.node_belief import believe
from sim.planning.planner import Planner
from sim.player import Player
from sim.players.registry import make
from sim.policies.common import PAIRS
from sim.policies.registry import Policy, seat_policy
from sim.records.record import Record
from sim.rules import world
from sim.state import ACCUSE, N_ACTIONS, REVEAL
from sim.view import Log, replay_evidence
from sim.words import action_to_string as words

PROVED, SAME, AS_GOOD, LESS, UNKNOWN = "proved", "same", "as good", "less", "unknown"
VERDICTS = (PROVED, SAME, AS_GOOD, LESS, UNKNOWN)
"""An accusation that is proved right; the advised action; another that is worth no less; another
that is worth less; another of unknown worth."""

CERTAIN = 1.0 - 1e-9
_SPREAD = 1.96
"""Standard errors to either side: 95 %."""

Worth = Mapping[int, tuple[float, float]]
"""Chance of winning and its standard error, by action."""


@dataclass(frozen=True)
class Verdict:
    """A verdict, one of `VERDICTS`.

    ``loss``: of the chance of winning; ``spread``: half its 95 % interval; ``chance``: of winning
    before the decision.  Each is None if unknown.
    """

    kind: str
    loss: float | None
    spread: float | None
    chance: float | None


def judge(played: int, advised: int, worth: Worth) -> Verdict:
    """Return the verdict on the action ``played`` where a player advised ``advised``."""
    best, own = worth.get(advised), worth.get(played)
    chance = best[0] if best else None
    if own and is_accusation(played) and own[0] > CERTAIN:
        return Verdict(PROVED, 0.0, 0.0, 1.0)
    if played == advised:
        return Verdict(SAME, 0.0, 0.0, chance)
    if best is None or own is None:
        return Verdict(UNKNOWN, None, None, chance)
    loss, spread = best[0] - own[0], _SPREAD * math.hypot(best[1], own[1])
    if loss <= 0.0:
        return Verdict(AS_GOOD, 0.0, 0.0, chance)
    return Verdict(LESS, loss, spread, chance)


def weigh_accusations(actions: Collection[int], posterior: ExactPosterior) -> Worth:
    """Return the worth of accusations among ``actions``: they win if they are right."""
    envelope = posterior.envelope_table().ravel()
    return {one: (float(envelope[one - ACCUSE]), 0.0) for one in actions if is_accusation(one)}


def weigh(
    player: Planner, decision: Decision, actions: Collection[int], posterior: ExactPosterior
) -> Worth:
    """Return the worth of those ``actions`` that can be evaluated.

    ``player`` has just decided in place of the seat; ``posterior`` is of the seat's knowledge.
    """
    known = weigh_accusations(actions, posterior)
    wanted = set(actions) - set(known)
    found = _values(player.result)
    if not wanted <= set(found):
        found = _values(_search_longer(player, decision, wanted, posterior)) | found
    return {one: found[one] for one in wanted if one in found} | dict(known)


def is_accusation(action: int) -> bool:
    """Return whether ``action`` accuses."""
    return ACCUSE <= action < REVEAL


def _values(result: SearchResult | None) -> dict[int, tuple[float, float]]:
    """Return the values of a search, with errors that also hold for few simulations."""
    found = {}
    for row in root_table(result) if result is not None else ():
        if row.visits:
            shrunk = (row.value * row.visits + 2.0) / (row.visits + 4.0)  # Agresti and Coull
            least = math.sqrt(max(0.0, shrunk * (1.0 - shrunk)) / (row.visits + 4.0))
            error = 0.0 if math.isnan(row.error) else row.error
            found[row.action] = row.value, max(error, least)
    return found


def _search_longer(
    player: Planner, decision: Decision, wanted: Collection[int], posterior: ExactPosterior
) -> SearchResult | None:
    """Search with the shortest list that contains ``wanted``; None if there is none."""
    config, position = player.config, player.position(decision.view)
    options = config.search_options
    if position.clairvoyant or config.options.mode == "root":
        return None
    if posterior.envelope_table().max() > CERTAIN:
        # Otherwise only proved actions are listed; roll-outs still accuse, a tree would not.
        position, options = position._replace(least_accused=2.0), replace(options, nodes=1)
    root, listed, chances = position.root[0], np.empty(N_ACTIONS, np.int64), np.empty(N_ACTIONS)
    if config.belief != "exact":
        believe(position, root, position.posterior)
    for candidates in range(config.candidates, PAIRS + 1) if config.candidates else [0]:
        longer = position._replace(candidates=candidates)
        n = offer(longer, root, longer.posterior, listed, chances)
        if set(wanted) <= set(listed[:n].tolist()):
            key = int(search_key(0, decision.line, decision.seat))
            return searcher(longer, options).run(config.budget, key, longer)
    return None


MOST_NODES = 40
"""Maximum number of nodes of the shown tree."""


def advise(
    record: Record, line: int, spec: Mapping[str, Any], seed: int = 0, judged: bool = False
) -> dict[str, Any]:
    """Return the choice of player ``spec`` at the decision on ``line``, for JSON.

    ``action`` and its ``words``; after a search also ``table``, the root's actions, ``tree``,
    the most visited outcomes (both by `experiments.explain.outcomes`), ``line``, the most
    visited line, and ``simulations``; if ``judged``, ``verdict``, that on the action taken
    (`judge`).  ``seed`` determines its random numbers.  Raises
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
    if judged:
        worth = _weigh(player, decision, {action, decision.action})
        about["verdict"] = asdict(judge(decision.action, action, worth))
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


def _weigh(player: Player, decision: Decision, actions: Collection[int]) -> Worth:
    """Return the worth of ``actions``; without a search only of accusations."""
    if isinstance(player, Planner):
        evidence = player.position(decision.view).root[0].evidence[decision.seat]
        return weigh(player, decision, actions, ExactPosterior(evidence))
    record, seat = decision.record, decision.seat
    known = Knowledge.of(record.rules, seat, record.events[: decision.line - FIRST_LINE])
    with suppress(EvidenceFull):
        return weigh_accusations(actions, ExactPosterior(evidence_of(known)))
    return {}


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
