"""The verdict on a decision of a recorded game: what it loses to what another player would do.

Whatever needs no search comes first: an accusation is as good as it is likely to be right, and what
the player would do as well loses nothing.  An action that the player does not have on its list is
searched with a longer one; only what cannot be listed at all is left without a figure.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from belief.exact.solver import ExactPosterior
from experiments.explain.recorded import Decision
from mcts.inspect import root_table
from mcts.search import SearchResult
from mcts.searcher import searcher
from sim.chance import search_key
from sim.planning.candidates import offer
from sim.planning.node_belief import believe
from sim.planning.planner import Planner
from sim.policies.common import PAIRS
from sim.state import ACCUSE, N_ACTIONS, REVEAL

PROVED, SAME, AS_GOOD, LESS, UNKNOWN = "proved", "same", "as good", "less", "unknown"
VERDICTS = (PROVED, SAME, AS_GOOD, LESS, UNKNOWN)
"""An accusation that is proved to be right, the action of the player who is asked, another that is
worth no less, another that is worth less, another of which nobody knows what it is worth."""

CERTAIN = 1.0 - 1e-9
_SPREAD = 1.96
"""Standard errors on either side: 95 %."""

Worth = Mapping[int, tuple[float, float]]
"""By action the chance of winning after it, and its standard error."""


@dataclass(frozen=True)
class Verdict:
    """A verdict, one of `VERDICTS`.

    ``loss``, of the chance of winning, and its 95 % on either side, ``spread``: None if they are
    unknown; ``chance``: of winning, before the decision; None if it is unknown.
    """

    kind: str
    loss: float | None
    spread: float | None
    chance: float | None


def judge(played: int, advised: int, worth: Worth) -> Verdict:
    """Return the verdict on the action ``played`` where ``advised`` would have been done."""
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
    """Return what those of ``actions`` that accuse are worth: they win if they are right."""
    envelope = posterior.envelope_table().ravel()
    return {one: (float(envelope[one - ACCUSE]), 0.0) for one in actions if is_accusation(one)}


def weigh(
    player: Planner, decision: Decision, actions: Collection[int], posterior: ExactPosterior
) -> Worth:
    """Return what those of ``actions`` are worth that can be weighed.

    ``player`` has just decided in place of the seat; ``posterior``: of what it knows.
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
    """Return the values that a search found, with errors that hold for few simulations too."""
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
    """Search with the shortest list that has all of ``wanted``; None if no list has them."""
    config, position = player.config, player.position(decision.view)
    options = config.search_options
    if position.clairvoyant or config.options.mode == "root":
        return None
    if posterior.envelope_table().max() > CERTAIN:
        # Else what is proved is all that is on offer; roll-outs still accuse, a tree would not.
        position, options = position._replace(least_accused=2.0), replace(options, nodes=1)
    root, listed, chances = position.root[0], np.empty(N_ACTIONS, np.int64), np.empty(N_ACTIONS)
    if config.belief != "exact":
        believe(position, root, position.posterior)
    for most in range(config.candidates, PAIRS + 1) if config.candidates else [0]:
        longer = position._replace(candidates=most)
        n = offer(longer, root, longer.posterior, listed, chances)
        if set(wanted) <= set(listed[:n].tolist()):
            key = int(search_key(0, decision.line, decision.seat))
            return searcher(longer, options).run(config.budget, key, longer)
    return None
