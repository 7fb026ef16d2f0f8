"""Vectors by point-based value iteration: a lower bound, near the optimum where policies come.

Perseus [Spaan & Vlassis 2005] on beliefs of episodes that follow the vectors found so far, or the
fast informed bound, with a random action now and then.  Vectors of blind policies come first, so
that the value is a lower bound at every moment; backups are exact.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchmarks.solvers.look_ahead import LookAhead, live_part
from mcts.kernel.rng import below, derive_key, new_stream, uniform
from mcts.problems.closed_loop import play
from mcts.tabular.domain import TabularPosition
from mcts.tabular.tables import after
from mcts.tabular.values import LEAST, fast_informed_bound, find_values

BELIEFS, SWEEPS = 100, 15
"""Beliefs that a round adds, and sweeps over all of them."""
ROUNDS, WORK = 40, 4e10
"""Ends: rounds, and multiplications."""
_RANDOM = 0.2
"""Share of random actions in the episodes."""


def solve(p: TabularPosition, key: int, work: float | None = None) -> np.ndarray:
    """Return vectors, float64 (states, any), from the start of ``p`` with its ``steps`` ahead."""
    times = 10 * p.steps  # what is left after them is no sum any more
    least = find_values(p, times, LEAST, last=True)[0]
    look = LookAhead(p, least[:, None])
    bound = LookAhead(p, fast_informed_bound(p, p.steps, look.observations)[-1])
    vectors = np.column_stack([least, *(look.blind(a, times) for a in range(p.actions))])
    stream, rows, spent = new_stream(int(derive_key(key, 0))), [live_part(p)], 0.0
    for _ in range(ROUNDS):
        look = LookAhead(p, vectors)
        for guide in (look, bound):
            _collect(guide, rows, len(rows) + BELIEFS // 2, stream)
        first = np.cumsum([0, *(len(state) for state, _ in rows)])
        state, share = map(np.concatenate, zip(*rows, strict=True))
        beliefs = sparse.csr_array((share, state, first), shape=(len(rows), len(p.kind)))
        for _ in range(SWEEPS):
            vectors = _improve(look, beliefs, stream)
            spent += look.work
            if spent > (work or WORK):
                return vectors
            look = LookAhead(p, vectors)
    return vectors


def _collect(look: LookAhead, rows: list, count: int, stream: np.ndarray) -> None:
    """Append beliefs of episodes that ``look`` guides to ``rows`` until there are ``count``."""

    def choose(position: TabularPosition, _: int) -> int:
        belief = live_part(position)
        rows.append(belief)
        if uniform(stream) < _RANDOM:
            legal = position.legal[slice(*position.legal_first[belief[0][0] :][:2])]
            return int(legal[below(stream, len(legal))])
        return look.best(*belief)[0]

    while len(rows) < count:
        play(look.p, after, choose, int(uniform(stream) * 2**53))
    del rows[count:]


def _improve(look: LookAhead, beliefs: sparse.csr_array, stream: np.ndarray) -> np.ndarray:
    """Return vectors that are worth at least as much at each of ``beliefs`` as those before."""
    before, left, found = (beliefs @ look.vectors).max(axis=1), np.arange(beliefs.shape[0]), []
    while len(left):
        at = left[below(stream, len(left))]
        row = slice(*beliefs.indptr[at : at + 2])
        state, share = beliefs.indices[row].astype(np.int64), beliefs.data[row]
        vector = look.best(state, share)[1]
        if share @ vector[state] < before[at]:
            vector = look.vectors[:, (share @ look.vectors[state]).argmax()]
        found.append(vector)
        left = left[((beliefs @ vector)[left] < before[left]) & (left != at)]
    return np.column_stack(found)
