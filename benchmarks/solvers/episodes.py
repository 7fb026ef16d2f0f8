"""Episodes in a closed loop with exact beliefs: the return, and the corrected return.

With any function V of beliefs that is 0 at the end, the return of a policy has the same expectation
as J = V(b0) + sum over t of discount^t [R(b, a) + discount x E V(b') - V(b)] over the beliefs and
actions of the episode, since each term replaces what chance paid by its expectation.  The nearer V
is to the policy's value, the less J varies.  An episode that is cut off counts V for the rest.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.solvers.look_ahead import LookAhead, live_part
from benchmarks.solvers.planners import Choose
from mcts.kernel.rng import derive_key
from mcts.problems.closed_loop import play
from mcts.tabular.domain import TabularPosition
from mcts.tabular.tables import after
from mcts.tabular.values import LEAST, MOST, find_last

NEGLIGIBLE = 1e-3
"""Discount after which an episode is cut off."""


class Decision(NamedTuple):
    """A belief of an episode, and the action there."""

    state: np.ndarray
    """int64 (n,): states with a decision ..."""
    share: np.ndarray
    """float64 (n,): ... and their probabilities, which sum to 1."""
    action: int


def count_steps(discount: float) -> int:
    """Return the actions after which the discount is negligible."""
    return math.ceil(math.log(NEGLIGIBLE) / math.log(discount))


def decide(position: TabularPosition, action: int) -> Decision:
    """Return the decision for ``action``: that it is made shows that the trial is not over."""
    state, share = live_part(position)
    return Decision(state, share / share.sum(), action)


def correct(look: LookAhead, decisions: Sequence[Decision], steps: int | None = None) -> float:
    """Return J of an episode.

    Parameters
    ----------
    look : at the start of the trial, with any vectors
    steps : actions of a trial that ends after them; None: nothing is over when it is cut off
    """
    total, weight = look.value(*live_part(look.p)), 1.0
    for number, (state, share, action) in enumerate(decisions, 1):
        reward, ahead = look.ahead(state, share, action)
        ahead = 0.0 if number == steps else ahead
        total += weight * (reward + look.p.discount * ahead - look.value(state, share))
        weight *= look.p.discount
    return total


class Player:
    """Plays episodes of one problem."""

    def __init__(self, p: TabularPosition, vectors: np.ndarray) -> None:
        self.look = LookAhead(p, vectors)
        least, most = (find_last(p, 10 * p.steps, which) for which in (LEAST, MOST))
        self._settled = (least == 0) & (most == 0)

    def play(self, p: TabularPosition, choose: Choose, seed: int, episode: int) -> dict[str, Any]:
        """Return the figures of an episode, equal in what is hidden for all planners.

        ``p`` is at the start; its ``steps`` are the horizon of each decision, it has the leaf.
        Where no reward can follow, the first legal action is made without a decision.
        """
        decisions: list[Decision] = []
        spent = 0.0

        def decide_and_note(position: TabularPosition, key: int) -> int:
            nonlocal spent
            if self._settled[position.state].all():
                return int(position.legal[position.legal_first[position.state[0]]])
            began = time.process_time()
            action = choose(position, key)
            spent += time.process_time() - began
            decisions.append(decide(position, action))
            return action

        start = p._replace(steps=count_steps(p.discount))
        returned = play(start, after, decide_and_note, int(derive_key(seed, episode)), p.steps)
        return {
            "return": returned,
            "corrected": correct(self.look, decisions),
            "decisions": len(decisions),
            "seconds": spent,
        }
