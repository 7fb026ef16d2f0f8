"""The value of a finite problem by recursion over exact beliefs: what searches must converge to.

For trials of a few steps: its time grows with (actions x observations) to the power of the steps.
"""

from __future__ import annotations

import numpy as np

from mcts.tabular.tables import Tabular


def exact_value(problem: Tabular, steps: int, belief: np.ndarray | None = None) -> float:
    """Return the greatest expected discounted return of ``steps`` actions from ``belief``.

    V(b) = max_a R(b, a) + discount x sum over o of P(o | b, a) V(b'), with beliefs not normalised,
    so that V is homogeneous [Kaelbling, Littman & Cassandra 1998, s. 4].
    """
    b = np.asarray(problem.start if belief is None else belief, np.float64)
    live = [state for state in np.flatnonzero(b) if problem.legal_in(state)]
    if steps == 0 or not live:
        return 0.0
    b = np.where(np.isin(np.arange(len(b)), live), b, 0.0)
    found = []
    for action in problem.legal_in(live[0]):
        transition, emission, reward = problem.matrices(action)
        value = b @ reward
        if steps > 1:
            joint = (b @ transition)[:, None] * emission
            for column in np.flatnonzero(joint.any(axis=0)):
                value += problem.discount * exact_value(problem, steps - 1, joint[:, column])
        found.append(value)
    return float(max(found))
