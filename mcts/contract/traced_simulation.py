"""One traced simulation of a domain by plain calls, in the order of `mcts.simulation`.

`TracedSimulation.run` starts, lists, steps and rolls out as one simulation of the search does, and
keeps the results for `mcts.contract.testing`.  It raises AssertionError if it sees a fault.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mcts.domain import TYPES, Domain
from mcts.kernel.rng import new_stream

History = tuple[tuple[int, int], ...]
"""Key of a node: (action, observation) of each step, with action -1 for another player than the
perspective's."""

_BEYOND = 64
"""Entries after the end of a list's arrays that a domain must not touch."""

_ROUNDING = 1e-9


def ask(holds: bool, complaint: str) -> None:
    """Raise AssertionError with ``complaint`` unless it ``holds``."""
    if not holds:
        raise AssertionError(complaint)


def describe(history: History, last: int | None = None, p: Any = None) -> str:
    """Return a history, and the ``last`` action after it, in the words of ``p`` if it has any."""
    act, see = getattr(p, "words", str), getattr(p, "words_seen", str)
    steps = [
        f"{act(action) if action >= 0 else -1} (seen: {see(seen)})" for action, seen in history
    ]
    steps += [] if last is None else [act(last)]
    return f"actions {', '.join(steps)}" if steps else "no action"


@dataclass
class Trace:
    """Record of one simulation: lists by perspective and history, actions taken with edge data, ...

    ... in time order rewards, observations, pay-offs and the final stream; the searching player's
    observations; return and final stream of the roll-out, and of one from a copy.
    """

    lists: dict[tuple[int, History], tuple[bytes, bytes]] = field(default_factory=dict)
    taken: list[tuple[int, float]] = field(default_factory=list)
    events: list[float] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)
    rolled: tuple[float, int] | None = None
    copied: tuple[float, int] | None = None


@dataclass
class TracedSimulation:
    """One simulation that can be repeated."""

    domain: Domain
    p: Any
    stream: int  # key of the stream of the simulation
    choices: dict[tuple[int, History], int]
    """By perspective and history, the index in the list of the action to take (modulo its length;
    the next that is available); drawn from ``rng`` if missing."""
    rng: np.random.Generator
    depth: int  # decisions before the roll-out

    def run(
        self, s: Any, rollout_state: Any, follow: list[tuple[int, float]] | None = None
    ) -> Trace:
        """Simulate in the workspace ``s``; with ``follow``, take these actions and request no list.

        The roll-out is played first from a copy, in the workspace ``rollout_state``.
        """
        domain, p, found = self.domain, self.p, Trace()
        players, views = (domain.declaration(name, p) for name in ("players", "perspectives"))
        discount = float(domain.declaration("discount", p))
        stream = new_stream(self.stream)
        domain.start(p, s, stream)
        ask(not domain.terminal(p, s), "the position searched is terminal")
        keys: list[History] = [()]
        keys += [((-1, self._view_key(s, view)),) for view in range(1, views)]
        value, weight, over = 0.0, 1.0, False
        while not over and len(found.taken) < self.depth:
            who = int(domain.mover(p, s))
            ask(0 <= who < players, f"mover is {who}, of {players} players")
            view = who if views > 1 else 0
            if follow is None:
                taken = self._choose(s, view, keys[view], found)
            else:
                taken = follow[len(found.taken)] if len(found.taken) < len(follow) else None
            if taken is None:
                break
            reward = float(domain.step(p, s, *taken, stream))
            over = bool(domain.terminal(p, s))
            found.taken.append(taken)
            found.events += [reward, over]
            where = f"after {describe(keys[0], taken[0], p)}"
            ask(over == domain.terminal(p, s), f"terminal changes between calls {where}")
            ask(math.isfinite(reward), f"the reward is {reward} {where}")
            value, weight = value + weight * reward, weight * discount
            if not over:
                for view in range(views):
                    seen = self._view_key(s, view)
                    keys[view] = (*keys[view], (taken[0] if view == who else -1, seen))
                    found.events.append(seen)
                found.seen.append(keys[0][-1][1])
        if not over:
            other = stream.copy()
            domain.copy(p, s, rollout_state)
            found.copied = float(domain.rollout(p, rollout_state, other)), int(other[0])
            found.rolled = float(domain.rollout(p, s, stream)), int(stream[0])
            rest = found.rolled[0]
            ask(math.isfinite(rest), f"the roll-out returns {rest} after {describe(keys[0], p=p)}")
            found.events.append(rest)
            value += weight * rest
        paid = [value] if players == 1 else self._payoffs(s)
        found.events += [*paid, int(stream[0])]
        where = f"after {describe(keys[0], found.taken[-1][0] if over else None, p)}"
        low, high = (domain.declaration(name, p) for name in ("low", "high"))
        slack = _ROUNDING * (high - low)
        for value in paid:
            inside = low - slack <= value <= high + slack
            ask(inside, f"the return {value} {where} leaves the declared range {low} to {high}")
        return found

    def _view_key(self, s: Any, view: int) -> int:
        """Return the key of a perspective's observation at ``s``."""
        if self.domain.declaration("players", self.p) == 1:
            return int(self.domain.observation(self.p, s)) % 2**64
        return int(self.domain.observation_of(self.p, s, view)) % 2**64

    def _payoffs(self, s: Any) -> list[float]:
        players = range(self.domain.declaration("players", self.p))
        return [float(self.domain.payoff(self.p, s, player)) for player in players]

    def _choose(
        self, s: Any, view: int, history: History, found: Trace
    ) -> tuple[int, float] | None:
        """List the actions, and return an available one with its edge data, or None."""
        where = f"after {describe(history, p=self.p)}"
        actions, edge_data = self._list_actions(s, where, np.nan)
        found.lists[view, history] = actions.tobytes(), edge_data.tobytes()
        again = tuple(part.tobytes() for part in self._list_actions(s, where, -1.0))
        same = again == found.lists[view, history]
        ask(same, f"listed twice {where}, actions or edge data differ")
        ask(bool(found.taken) or len(actions) > 0, "the position searched offers no action")
        ask(bool((actions >= 0).all()), f"an action below 0 is listed {where}: {actions}")
        once = len(np.unique(actions)) == len(actions)
        ask(once, f"an action is listed twice {where}: {actions}")
        kinds = {int(self.domain.action_type(self.p, s, int(action))) for action in actions}
        ask(kinds <= set(range(TYPES)), f"types of actions {where} are not below {TYPES}: {kinds}")
        legal = [i for i, a in enumerate(actions) if self.domain.available(self.p, s, int(a))]
        if not legal:
            return None
        if (view, history) not in self.choices:
            self.choices[view, history] = int(self.rng.integers(len(actions)))
        chosen = self.choices[view, history] % len(actions)
        place = next((i for i in legal if i >= chosen), legal[0])
        return int(actions[place]), float(edge_data[place])

    def _list_actions(self, s: Any, where: str, blank: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the list at ``s`` and its edge data, written over ``blank``."""
        longest = int(self.domain.declaration("max_actions", self.p))
        out = np.full(longest + _BEYOND, -2, np.int64)
        edge_data = np.full(longest + _BEYOND, blank)
        beyond = out[longest:].tobytes() + edge_data[longest:].tobytes()
        try:
            n = int(self.domain.actions(self.p, s, out[:longest], edge_data[:longest]))
        except IndexError:  # with bounds checks: in the interpreter, or by NUMBA_BOUNDSCHECK
            n = longest + 1
        untouched = beyond == out[longest:].tobytes() + edge_data[longest:].tobytes()
        ask(
            0 <= n <= longest and untouched,
            f"more actions than max_actions, {longest}, are listed {where}",
        )
        return out[:n], edge_data[:n]
