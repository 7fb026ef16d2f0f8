"""A finite problem given by its tables: arrays of NumPy or scipy.sparse, a file, or plain Python.

    tiger = Tabular(start=[0.5, 0.5], transitions=T, observations=O, rewards=R, discount=0.95)
    search = Search(tiger.position(), Options(nodes=10_000))
    result = search.run(Budget(simulations=10_000), key=1)
    tiger.actions[result.best]

One type serves all problems, so the search is compiled once.  `mcts.tabular.files.read_pomdp`
reads files, `mcts.plain.tabulate.tabulate` makes one from a `mcts.Problem`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from mcts.kernel.compile import jit
from mcts.kernel.errors import SleuthError
from mcts.options import check_count
from mcts.tabular import domain, values
from mcts.tabular.alias import make_alias
from mcts.tabular.domain import ABSORBED, LIVE, OVER, TabularPosition

TOLERANCE = 1e-5
"""Maximum difference from 1 of a sum of probabilities: files print few digits."""

NEGLIGIBLE = 0.01
"""Discount after which a problem without end is cut off."""

ROLLOUTS = ("random", "policy", "mdp", "fib", "mean")
"""Roll-outs; the last three are values in their place, see `mcts.tabular.values`."""


class TablesFault(SleuthError, ValueError):
    """The tables are no problem, or an observation is impossible; the message is one line."""


class Rows:
    """Sparse rows of probabilities: ``first``, ``column``, ``chance``, as `mcts.tabular.alias`."""

    def __init__(self, matrix: Any) -> None:
        found = sparse.csr_array(matrix, dtype=np.float64)
        found.eliminate_zeros()
        found.sort_indices()
        self.first = found.indptr.astype(np.int64)
        self.column = found.indices.astype(np.int64)
        self.chance = found.data
        self.shape = found.shape
        self.sums = np.asarray(found.sum(axis=1)).ravel()
        self.keep, self.alias = make_alias(self.first, self.chance)


def _stack(parts: Any, count: int) -> sparse.csr_array:
    """Return matrices, one per action, one below another."""
    if len(parts) != count:
        raise TablesFault(f"{len(parts)} matrices were given for {count} actions")
    return sparse.csr_array(sparse.vstack([sparse.csr_array(part) for part in parts]))


@dataclass(frozen=True, kw_only=True, eq=False)
class Tabular:
    """A POMDP of one player as tables, with S states, A actions and O observations.

    Raises TablesFault if a row is no distribution, a number is not finite, or shapes do not fit.
    """

    start: Any
    """(S,): probabilities at the start."""
    transitions: Any
    """A matrices (S, S): P(next state | state, action); an empty row: the action is illegal."""
    observations: Any
    """A matrices (S, O): P(observation | action, next state)."""
    rewards: Any
    """(A, S), or A matrices (S, S) by state and next state: expected rewards."""
    discount: float
    steps: int | None = None
    """Actions of a trial; None: until the discount is negligible."""
    states: Sequence[Any] = ()
    """Names; by default numbers, as for actions and observations."""
    actions: Sequence[Any] = ()
    seen: Sequence[Any] = ()
    policy: Any = None
    """int (S,): actions of a roll-out policy."""
    legal: Sequence[Sequence[int]] | None = None
    """Legal actions of each state in the order to try them; by default those with a row."""

    def __post_init__(self) -> None:
        if not 0 < self.discount <= 1:
            raise TablesFault(f"discount must be above 0 and at most 1, not {self.discount}")
        if self.steps is not None:
            check_count("steps", self.steps)
        elif self.discount == 1:
            raise TablesFault("a discount of 1 needs steps, the actions of a trial")
        self.tables  # noqa: B018, checks them

    @property
    def horizon(self) -> int:
        """Actions of a trial."""
        if self.steps is not None:
            return self.steps
        return math.ceil(math.log(NEGLIGIBLE) / math.log(self.discount))

    @cached_property
    def tables(self) -> TabularPosition:
        """The position at the start, with random roll-outs and returns not bounded yet."""
        start = np.asarray(self.start, np.float64)
        n, count = len(start), len(self.transitions)
        joint, seen = Rows(_by_state(self.transitions, n)), Rows(_stack(self.observations, count))
        self._check(start, joint, seen)
        rows = np.repeat(np.arange(n * count), np.diff(joint.first))
        reward = self._expected_rewards(rows, joint.column, count)
        listed = self.legal
        if listed is None:
            has_row = (np.diff(joint.first) > 0).reshape(n, count)
            listed = [np.flatnonzero(row).tolist() for row in has_row]
        legal_first = np.cumsum([0, *map(len, listed)], dtype=np.int64)
        legal = np.array([action for row in listed for action in row], np.int64)
        kind = np.where(np.diff(legal_first) == 0, OVER, LIVE)
        stays = np.ones(n, bool)
        np.logical_and.at(stays, rows // count, (joint.column == rows // count) & (reward == 0))
        kind[(kind == LIVE) & stays] = ABSORBED
        policy = np.zeros(n, np.int64) if self.policy is None else np.array(self.policy, np.int64)
        none = np.zeros(0, np.int64)
        return TabularPosition(
            *_belief(start),
            *(joint.first, joint.column, joint.chance, joint.keep, joint.alias, reward),
            *(seen.first, seen.column, seen.chance, seen.keep, seen.alias),
            *(legal_first, legal, kind.astype(np.int64), policy, np.zeros((1, n))),
            *(none, np.zeros((0, 0), np.int64), np.zeros((0, 0))),
            actions=count,
            rollout=domain.RANDOM,
            steps=self.horizon,
            discount=float(self.discount),
            low=0.0,
            high=1.0,
            players=1,
            perspectives=1,
            me=0,
            lists_all=0,
            order=0,
            endless=int(self.steps is None),
        )

    def _check(self, start: np.ndarray, joint: Rows, seen: Rows) -> None:
        n, count = len(start), len(self.transitions)
        if joint.shape != (n * count, n) or seen.shape[0] != n * count:
            raise TablesFault(
                f"{n} states and {count} actions need transitions ({count}, {n}, {n}) and "
                f"observations ({count}, {n}, any)"
            )
        for rows, of in ((joint, "transitions"), (seen, "observations")):
            if not (np.isfinite(rows.chance).all() and (rows.chance >= 0).all()):
                raise TablesFault(f"{of}: a probability is negative or not a number")
        wrong = np.flatnonzero((np.diff(joint.first) > 0) & (abs(joint.sums - 1) > TOLERANCE))
        if len(wrong):
            state, action = divmod(int(wrong[0]), count)
            raise TablesFault(
                f"transitions of {self._name('actions', action)} in {self._name('states', state)} "
                f"sum to {joint.sums[wrong[0]]:.6g}, not 1"
            )
        reached = np.unique(
            np.repeat(np.arange(n * count), np.diff(joint.first)) % count * n + joint.column
        )
        wrong = reached[abs(seen.sums[reached] - 1) > TOLERANCE]
        if len(wrong):
            action, state = divmod(int(wrong[0]), n)
            raise TablesFault(
                f"observations of {self._name('actions', action)} in {self._name('states', state)} "
                f"sum to {seen.sums[wrong[0]]:.6g}, not 1"
            )
        if not _is_distribution(start):
            raise TablesFault(f"start sums to {start.sum():.6g}, not 1")

    def _expected_rewards(self, rows: np.ndarray, then: np.ndarray, count: int) -> np.ndarray:
        state, action = rows // count, rows % count
        n = len(self.start)
        if {np.shape(part) for part in self.rewards} not in ({(n,)}, {(n, n)}):
            raise TablesFault(f"rewards need the shape ({count}, {n}) or ({count}, {n}, {n})")
        if len(self.rewards) != count:
            raise TablesFault(f"rewards of {len(self.rewards)} actions were given for {count}")
        if np.ndim(self.rewards[0]) < 2:
            found = np.asarray(self.rewards, np.float64)[action, state]
        else:
            stacked = sparse.csr_array(_stack(self.rewards, count))
            found = np.asarray(stacked[action * n + state, then], np.float64).ravel()
        if not np.isfinite(found).all():
            raise TablesFault("rewards: a number is not finite")
        return np.ascontiguousarray(found)

    def _name(self, kind: str, number: int) -> Any:
        names = getattr(self, kind)
        return names[number] if len(names) else number

    def matrices(self, action: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return dense transitions (S, S), observations (S, O) and expected rewards (S,)."""
        return self._dense[action]

    @cached_property
    def _dense(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        p, n = self.tables, len(self.tables.kind)
        found = []
        for action in range(p.actions):
            joint, reward = np.zeros((n, n)), np.zeros(n)
            emission = np.zeros((n, self._observations))
            for state in range(n):
                row = slice(*p.first[state * p.actions + action :][:2])
                joint[state, p.then[row]] = p.chance[row]
                reward[state] = p.chance[row] @ p.reward[row]
                row = slice(*p.seen_first[action * n + state :][:2])
                emission[state, p.seen[row]] = p.seen_chance[row]
            found.append((joint, emission, reward))
        return found

    def legal_in(self, state: int) -> list[int]:
        """Return the legal actions of a state; none if it is terminal."""
        p = self.tables
        return p.legal[p.legal_first[state] : p.legal_first[state + 1]].tolist()

    def words(self, action: int) -> str:
        """Return the name of an action, for root tables."""
        return str(self._name("actions", int(action)))

    @cached_property
    def _ranges(self) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """The least and the greatest returns of all states, by steps to go."""
        return {}

    @cached_property
    def _leaves(self) -> dict[str, np.ndarray]:
        """Values of all states by the name of the roll-out that they replace."""
        return {}

    def _find_range(self, steps: int) -> tuple[np.ndarray, np.ndarray]:
        if steps not in self._ranges:
            self._ranges[steps] = (
                values.find_values(self.tables, steps, values.LEAST, last=True)[0],
                values.find_values(self.tables, steps, values.MOST, last=True)[0],
            )
        return self._ranges[steps]

    def position(
        self, belief: Any = None, steps: int | None = None, rollout: str = "random"
    ) -> TabularPosition:
        """Return the position for a `Search`: at ``belief``, float (S,), by default the start.

        Returns are scaled by the least and the greatest that can happen.

        Parameters
        ----------
        steps : actions to go, by default and at most those of a trial
        rollout : one of `ROLLOUTS`: random actions, those of ``policy``, or in place of roll-outs
            the values of the MDP, of the fast informed bound, or of random actions in the mean
        """
        p = self.tables._replace(endless=int(self.steps is None and steps is None))
        steps = self.horizon if steps is None else steps
        check_count("steps", steps)
        if belief is not None:
            belief = np.asarray(belief, np.float64)
            if belief.shape != p.kind.shape or not _is_distribution(belief):
                raise TablesFault(f"a belief has {len(p.kind)} probabilities that sum to 1")
            p = _at(p, belief)
        least, greatest = self._find_range(steps)
        low, high = float(least[p.state].min()), float(greatest[p.state].max())
        p = p._replace(steps=steps, low=low, high=high if high > low else low + 1.0)
        if rollout == "policy":
            if self.policy is None:
                raise TablesFault("rollout=policy: the problem has no policy")
            return p._replace(rollout=domain.POLICY)
        if rollout == "random":
            return p
        if rollout not in ROLLOUTS:
            raise TablesFault(f"rollout={rollout}: choose {', '.join(ROLLOUTS)}")
        if rollout not in self._leaves:
            self._leaves[rollout] = self._leaf(rollout)
        return p._replace(rollout=domain.LEAF, leaf=self._leaves[rollout])

    @staticmethod
    def after(position: TabularPosition, action: int, seen: int) -> TabularPosition:
        """Return the position after ``action`` and the observation ``seen``; see `after`."""
        return after(position, action, seen)

    def _leaf(self, kind: str) -> np.ndarray:
        if kind == "mdp":
            return values.find_values(self.tables, self.horizon)
        if kind == "mean":
            return values.find_values(self.tables, self.horizon, values.RANDOM)
        bound = values.fast_informed_bound(self.tables, self.horizon, self._observations)
        legal = np.full(bound.shape[1:], -np.inf)
        p = self.tables
        legal[np.repeat(np.arange(len(p.kind)), np.diff(p.legal_first)), p.legal] = 0.0
        best = (bound + legal).max(axis=2)
        return np.where(p.kind == LIVE, best, 0.0)

    @property
    def _observations(self) -> int:
        return int(self.tables.seen.max()) + 1


def _by_state(transitions: Any, n: int) -> sparse.csr_array:
    """Return the rows of A matrices (S, S) in the order of states, then actions."""
    count = len(transitions)
    stacked = _stack(transitions, count)
    if stacked.shape != (count * n, n):
        return stacked
    order = np.arange(count * n).reshape(count, n).T.ravel()
    return sparse.csr_array(stacked[order])


def _is_distribution(dense: np.ndarray) -> bool:
    """Return whether ``dense`` holds probabilities that sum to 1."""
    return bool((dense >= 0).all() and abs(dense.sum() - 1) < TOLERANCE)


def _at(p: TabularPosition, dense: np.ndarray) -> TabularPosition:
    """Return ``p`` at the belief ``dense``, float64 (S,)."""
    return p._replace(**dict(zip(p._fields, _belief(dense), strict=False)))


def _belief(dense: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the first fields of a position at the belief ``dense``, float64 (S,)."""
    state = np.flatnonzero(dense)
    share = dense[state]
    begin = np.array([0, len(state)], np.int64)
    return begin, state, share, *make_alias(begin, share)


@jit
def _update(p, action, seen, live, out):
    total = 0.0
    for i in range(len(p.state)):
        row = p.state[i] * p.actions + action
        for entry in range(p.first[row], p.first[row + 1]):
            then = p.then[entry]
            if live and p.kind[then] == OVER:
                continue
            row_seen = action * len(p.kind) + then
            for j in range(p.seen_first[row_seen], p.seen_first[row_seen + 1]):
                if p.seen[j] == seen:
                    joint = p.share[i] * p.chance[entry] * p.seen_chance[j]
                    out[then] += joint
                    total += joint
    return total


def after(p: TabularPosition, action: int, seen: int, live: bool = True) -> TabularPosition:
    """Return the position after ``action`` and the observation ``seen``, with the exact belief.

    Steps to go decrease by one.  ``live``: the trial continues, which excludes terminal states.
    Raises TablesFault if the observation is impossible.
    """
    dense = np.zeros(len(p.kind))
    total = _update(p, action, seen, live, dense)
    if not total > 0:
        raise TablesFault(f"observation {seen} is impossible after action {action}")
    return _at(p, dense / total)._replace(steps=p.steps - 1)
