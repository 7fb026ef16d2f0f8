"""Episodes in a closed loop with exact beliefs: the return, and the corrected return.

With any function V of beliefs that is 0 where nothing can follow, the return has the expectation of

    J = V(b0) + sum over t of discount^t [R(b, a) + discount x E V(b') - V(b)]

over the beliefs and actions of the episode.  The nearer V is to the policy's value, the less J
varies.  Where an episode is cut off, V is the rest.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.solvers.look_ahead import LookAhead, live_part
from benchmarks.solvers.planners import Choose
from mcts.problems.closed_loop import play
from mcts.tabular.domain import TabularPosition
from mcts.tabular.tables import after
from mcts.tabular.values import LEAST, MOST, find_values

NEGLIGIBLE = 1e-3
"""Discount after which an episode is cut off."""


def correct(
    look: LookAhead, decisions: Sequence[tuple[TabularPosition, int]], steps: int | None = None
) -> float:
    """Return J of an episode, by any vectors of ``look``, which is at the start.

    ``steps`` : actions of a trial that ends after them; None: it has no end
    """
    total, weight = look.value(*live_part(look.p)), 1.0
    for number, (position, action) in enumerate(decisions, 1):
        state, share = live_part(position)
        share = share / share.sum()  # that there is a decision shows that the trial is not over
        reward, ahead = look.ahead(state, share, action)
        ahead = 0.0 if number == steps else look.p.discount * ahead
        total += weight * (reward + ahead - look.value(state, share))
        weight *= look.p.discount
    return total


class Player:
    """Plays episodes of the problem ``p`` and corrects their returns by ``vectors``."""

    def __init__(self, p: TabularPosition, vectors: np.ndarray) -> None:
        self.look = LookAhead(p, vectors)
        least, most = (find_values(p, 10 * p.steps, which, last=True)[0] for which in (LEAST, MOST))
        self._settled = (least == 0) & (most == 0)

    def play(self, p: TabularPosition, choose: Choose, key: int) -> dict[str, Any]:
        """Return the figures of an episode of ``choose`` from the start ``p``.

        ``p`` has the leaf and, as ``steps``, the horizon of each decision.  Where no reward can
        follow, the first legal action is made without a decision.
        """
        decisions: list[tuple[TabularPosition, int]] = []
        spent = 0.0

        def note(position: TabularPosition, key: int) -> int:
            nonlocal spent
            if self._settled[position.state].all():
                return int(position.legal[position.legal_first[position.state[0]]])
            began = time.process_time()
            decisions.append((position, choose(position, key)))
            spent += time.process_time() - began
            return decisions[-1][1]

        steps = math.ceil(math.log(NEGLIGIBLE) / math.log(p.discount))
        return {
            "return": play(p._replace(steps=steps), after, note, key, p.steps),
            "corrected": correct(self.look, decisions),
            "decisions": len(decisions),
            "seconds": spent,
        }
