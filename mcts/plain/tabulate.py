"""Tables of a problem in plain Python, found by walking all of its states.

    tables = problem.tabulate()
    search = Search(tables.position(), Options(nodes=10_000))

`mcts.Problem.tabulate` calls `tabulate`.  States are equal if Python says so; those that cannot be
hashed are named by their content (`mcts.plain.values`).
"""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
from scipy import sparse

from mcts.plain.enumerating import list_outcomes
from mcts.plain.values import number_of, show, truth
from mcts.tabular.games import TabularGame, pack_game
from mcts.tabular.tables import TablesFault, Tabular

LIMIT = 100_000
"""Default maximum number of states."""

_PAIRS = 1_000_000
"""Maximum number of pairs of states whose lists of actions are compared."""


def tabulate(problem: Any, limit: int = LIMIT) -> Tabular | TabularGame:
    """Return the tables of ``problem``, an `mcts.Problem`: of several players a `TabularGame`.

    Raises TablesFault for more than ``limit`` states, probabilities that do not sum to 1, or a list
    of actions that depends on what is hidden; CannotFollow for a draw that cannot be enumerated.
    """
    if problem.players > 1 and problem.available is not None:
        raise TablesFault("a problem of several players with available has no tables")
    return _Walk(problem, limit).walk()


class _Walk:
    """The states met so far, with their actions and transitions."""

    def __init__(self, problem: Any, limit: int) -> None:
        self._problem, self._limit = problem, limit
        self._index: dict[Any, int] = {}
        self._states: list[Any] = []
        self._actions = _Numbers("an action")
        self._seen = _Numbers("an observation")
        self._listed: list[list[int]] = []
        self._rows: list[tuple[int, int, int, float, float]] = []

    def walk(self) -> Tabular | TabularGame:
        """Return the tables of all states that can be reached."""
        problem = self._problem
        start: dict[int, float] = {}
        draws = (
            problem.start
            if callable(problem.start)
            else lambda drawn: problem.draw(problem.start, drawn)
        )
        for chance, state in list_outcomes(draws):
            at = self._find(state)
            start[at] = start.get(at, 0.0) + chance
        while len(self._listed) < len(self._states):
            self._visit(len(self._listed), self._states[len(self._listed)])
        if not self._rows:
            raise TablesFault("the problem is over at its start")
        return self._game(start) if problem.players > 1 else self._tables(start)

    def _find(self, state: Any) -> int:
        """Return the number of a state, after adding it if it is new."""
        try:
            found = self._index.setdefault(state, len(self._states))
        except TypeError:  # it cannot be hashed
            key = "", number_of(state, "a state")
            found = self._index.setdefault(key, len(self._states))
        if found == len(self._states):
            if found >= self._limit:
                raise TablesFault(
                    f"there are more than {self._limit:,} states, the last one {show(state)}: "
                    "raise limit, or make equal states equal (== and hash)"
                )
            self._states.append(state)
        return found

    def _visit(self, at: int, state: Any) -> None:
        """List the actions and transitions of a state."""
        problem = self._problem
        listed = [] if problem.over(state) else problem.list_actions(state)
        if problem.available is not None:
            listed = [a for a in listed if truth(problem.available(state, a), "available")]
        self._listed.append([self._actions.find(action) for action in listed])
        for place, action in zip(self._listed[at], listed, strict=True):
            total, rows = 0.0, dict[int, tuple[float, float]]()
            for chance, then, reward in self._outcomes(state, action):
                if chance < 0:
                    raise TablesFault(
                        f"the probability of an outcome of {show(action)} is negative"
                    )
                total += chance
                to = self._find(then)
                before, paid = rows.get(to, (0.0, 0.0))
                rows[to] = before + chance, paid + chance * reward
            if not abs(total - 1.0) < 1e-9:
                raise TablesFault(
                    f"the outcomes of {show(action)} in {show(state)} sum to {total:.9g}, not 1"
                )
            self._rows += [
                (place, at, to, chance, paid / chance)
                for to, (chance, paid) in rows.items()
                if chance > 0
            ]

    def _outcomes(self, state: Any, action: Any) -> list[tuple[float, Any, float]]:
        """Return all outcomes, after trying the first twice: it must come again."""
        try:
            found = list(self._problem.list_outcomes(state, action))
        except ValueError as fault:
            if self._problem.outcomes is None or "unpack" not in str(fault):
                raise
            raise TablesFault(
                "outcomes(state, action) returns (probability, state, reward) of each outcome"
            ) from None
        for first, again in zip(found, self._problem.list_outcomes(state, action), strict=False):
            if self._find(first[1]) != self._find(again[1]) or first[2] != again[2]:
                raise TablesFault(
                    f"{show(action)} in {show(state)} came to something else the second time: "
                    "step must draw from its chance alone"
                )
            break
        return found

    def _tables(self, start: dict[int, float]) -> Tabular:
        problem, n, count = self._problem, len(self._states), len(self._actions.values)
        action, at, to, chance, reward = (np.array(part) for part in zip(*self._rows, strict=True))
        seen = np.zeros(n, np.int64)
        for state in np.unique(to):
            if self._listed[state]:
                seen[state] = self._seen.find(problem.observation(self._states[state]))
        self._compare_lists([*start], seen)

        def by_action(values: np.ndarray) -> list[Any]:
            of = [action == i for i in range(count)]
            return [sparse.csr_array((values[i], (at[i], to[i])), (n, n)) for i in of]

        dense = np.zeros(n)
        dense[[*start]] = [*start.values()]
        return Tabular(
            start=dense,
            transitions=by_action(chance),
            observations=[sparse.csr_array((np.ones(n), (np.arange(n), seen)))] * count,
            rewards=by_action(reward),
            discount=problem.discount,
            steps=problem.steps,
            states=self._states,
            actions=self._actions.values,
            seen=self._seen.values,
            legal=self._listed,
        )

    def _game(self, start: dict[int, float]) -> TabularGame:
        problem, n, count = self._problem, len(self._states), len(self._actions.values)
        players = range(problem.players)
        self._rows.sort(key=lambda row: (row[1], row[0]))
        action, at, to, chance, _ = (np.array(part) for part in zip(*self._rows, strict=True))
        first = np.searchsorted(at * count + action, np.arange(n * count + 1))
        pairs = list(zip(self._states, self._listed, strict=True))

        def ask(part: Any, everywhere: bool) -> list[list[Any]]:
            """Return ``part`` by state and player: of terminal states alone, or of all."""
            return [
                [part(state, who) if everywhere or not listed else 0 for who in players]
                for state, listed in pairs
            ]

        tables = pack_game(
            (first, to, chance),
            self._listed,
            [problem.mover(state) if listed else 0 for state, listed in pairs],
            [[*map(self._seen.find, row)] for row in ask(problem.seen, True)],
            ask(problem.payoff, False),
            actions=count,
            steps=problem.steps,
            discount=problem.discount,
            low=problem.low,
            high=problem.high,
            perspectives=problem.players if problem.trees else 1,
        )
        dense = np.zeros(n)
        dense[[*start]] = [*start.values()]
        return TabularGame(tables, dense, self._states, self._actions.values)

    def _compare_lists(self, start: list[int], seen: np.ndarray) -> None:
        """Refuse lists of actions that differ between states with one history."""
        lists = {tuple(listed) for listed in self._listed if listed}
        if len(lists) == 1:
            return
        following: dict[tuple[int, int, int], list[int]] = {}
        for action, at, to, *_ in self._rows:
            if self._listed[to]:
                following.setdefault((at, action, int(seen[to])), []).append(to)
        live = sorted(state for state in start if self._listed[state])
        waiting = list(itertools.combinations_with_replacement(live, 2))
        met = set(waiting)
        while waiting:
            one, other = waiting.pop()
            if self._listed[one] != self._listed[other]:
                raise TablesFault(
                    f"actions differ in {show(self._states[one])} and {show(self._states[other])}, "
                    "which no observation separates: a list must not depend on what is hidden"
                )
            if len(met) > _PAIRS:
                warnings.warn("too many states to compare their lists of actions", stacklevel=4)
                return
            for action, sight in itertools.product(self._listed[one], np.unique(seen).tolist()):
                ahead = following.get((one, action, sight), ())
                for pair in itertools.product(ahead, following.get((other, action, sight), ())):
                    ordered = min(pair), max(pair)
                    if ordered not in met:
                        met.add(ordered)
                        waiting.append(ordered)


class _Numbers:
    """Values in the order in which they were met, each with its place."""

    def __init__(self, of: str) -> None:
        self._of, self.values = of, list[Any]()
        self._places: dict[int, int] = {}

    def find(self, value: Any) -> int:
        """Return the place of ``value``, after adding it if it is new."""
        found = self._places.setdefault(number_of(value, self._of), len(self.values))
        if found == len(self.values):
            self.values.append(value)
        return found
