"""One step ahead of an exact belief, with the value of a belief from vectors.

V(b) is the greatest sum over s of b(s) vector(s), over states with a decision: others are worth 0.
A belief is sparse: its states and their shares, which need not sum to 1.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit
from mcts.tabular.domain import LIVE, TabularPosition


@jit
def _look_ahead(p, state, share, action, vectors, joint, dots):
    """Fill ``dots`` (observations, vectors) with the values after each; return the reward.

    ``joint`` : float64 (states,) of zeros, which it is again at the end
    """
    dots[:] = 0.0
    reward = 0.0
    for i in range(len(state)):
        row = state[i] * p.actions + action
        for entry in range(p.first[row], p.first[row + 1]):
            chance = share[i] * p.chance[entry]
            reward += chance * p.reward[entry]
            if p.kind[p.then[entry]] == LIVE:
                joint[p.then[entry]] += chance
    for then in range(len(p.kind)):
        if joint[then] > 0.0:
            row = action * len(p.kind) + then
            for j in range(p.seen_first[row], p.seen_first[row + 1]):
                chance = joint[then] * p.seen_chance[j]
                for k in range(vectors.shape[1]):
                    dots[p.seen[j], k] += chance * vectors[then, k]
            joint[then] = 0.0
    return reward


@jit
def _back_up(p, action, vectors, best, out):
    """Write the value of ``action`` in each state if vector ``best[o]`` follows observation o.

    It is minus infinity where the action is illegal.
    """
    for state in range(len(p.kind)):
        row = state * p.actions + action
        value = -np.inf if p.first[row] == p.first[row + 1] else 0.0
        for entry in range(p.first[row], p.first[row + 1]):
            then = p.then[entry]
            value += p.chance[entry] * p.reward[entry]
            seen = action * len(p.kind) + then
            if p.kind[then] == LIVE:
                for j in range(p.seen_first[seen], p.seen_first[seen + 1]):
                    chance = p.discount * p.chance[entry] * p.seen_chance[j]
                    value += chance * vectors[then, best[p.seen[j]]]
        out[state] = value if p.kind[state] == LIVE else 0.0


def live_part(p: TabularPosition) -> tuple[np.ndarray, np.ndarray]:
    """Return the states with a decision of the belief of ``p``, and their shares."""
    live = p.kind[p.state] == LIVE
    return p.state[live], p.share[live]


class LookAhead:
    """Values of beliefs, and of actions at beliefs, from ``vectors``, float64 (states, any)."""

    def __init__(self, p: TabularPosition, vectors: np.ndarray) -> None:
        self.p, self.vectors = p, np.ascontiguousarray(vectors)
        self.observations = int(p.seen.max()) + 1
        self.work = 0.0  # multiplications of `best`
        self._joint = np.zeros(len(p.kind))
        self._dots = np.zeros((self.observations, vectors.shape[1]))

    def value(self, state: np.ndarray, share: np.ndarray) -> float:
        """Return V(b)."""
        return float((share @ self.vectors[state]).max()) if len(state) else 0.0

    def ahead(self, state: np.ndarray, share: np.ndarray, action: int) -> tuple[float, float]:
        """Return R(b, a) and the expectation of V at the next belief."""
        work = self.vectors, self._joint, self._dots
        reward = _look_ahead(self.p, state, share, action, *work)
        return float(reward), float(self._dots.max(axis=1).sum())

    def best(self, state: np.ndarray, share: np.ndarray) -> tuple[int, np.ndarray]:
        """Return the action with the greatest R(b, a) + discount x E V(b'), and its vector."""
        p, found = self.p, []
        sums = len(state) * len(p.seen) / len(p.seen_first) + self.observations
        self.work += p.actions * (self.vectors.shape[1] * sums + len(p.kind))
        for action in p.legal[slice(*p.legal_first[state[0] :][:2])]:
            reward, ahead = self.ahead(state, share, int(action))
            best = self._dots.argmax(axis=1)
            found.append((reward + p.discount * ahead, -int(action), best))
        _, action, best = max(found, key=lambda one: one[:2])
        vector = np.empty(len(p.kind))
        _back_up(p, -action, self.vectors, best, vector)
        return -action, vector

    def blind(self, action: int, times: int) -> np.ndarray:
        """Return the vector of a policy that repeats ``action``, up to ``times`` backups."""
        vector, none = np.zeros((len(self.p.kind), 1)), np.zeros(self.observations, np.int64)
        for _ in range(times):
            _back_up(self.p, action, vector, none, vector[:, 0])
        return vector[:, 0]
