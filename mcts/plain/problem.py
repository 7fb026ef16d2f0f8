"""A user's problem in plain Python, for the same search as Cluedo and Tiger.

    problem = Problem(start=..., actions=..., step=..., observation=..., low=-10, high=10, steps=20)
    search = Search(problem.position(), Options(nodes=1_000))
    result = search.run(Budget(simulations=2_000), key=1)
    print(problem.action(result.best), root_table(result, problem.words))

States, actions and observations are any Python values.  Chance comes only from the `Chance` that
functions receive, a `random.Random`: then the same key gives the same tree.  Numbers of actions and
observations are those of `mcts.plain.values`.

Limits: Python runs one thread at a time, so several threads search no faster.  States are passed
on, not copied: `step` returns a new one and leaves its argument unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcts.options import check_count
from mcts.plain.chance import Chance
from mcts.plain.domain import PlainPosition, position_of
from mcts.plain.values import MOST, number_of, real, show, truth

if TYPE_CHECKING:
    from mcts.tabular.games import TabularGame
    from mcts.tabular.tables import Tabular

State = Any
Belief = Callable[[Chance], State] | Sequence[State]
"""Draws a state, or a list of equally likely ones."""

_PARTS = ("actions", "observation")
_MAY_BE_NONE = (
    *("step", "outcomes"),
    *("terminal", "rollout", "play_out", "mover", "seen", "payoff"),
    *("available", "action_type", "vary", "likelihood"),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """Actions, steps and observations of a problem; omitted parts have defaults.

    Raises ValueError for a number out of range, TypeError for a part of the wrong kind.
    """

    start: Belief
    """Draws an initial state of a search, hidden parts included."""
    actions: Callable[[State], Sequence[Any]]
    """Legal actions in a state, in the order to try them; independent of what is hidden."""
    step: Callable[[State, Any, Chance], tuple[State, float]] = None  # type: ignore[assignment]
    """Returns the next state and the reward; with several players rewards are ignored."""
    outcomes: Callable[[State, Any], Iterable[tuple[float, State, float]]] | None = None
    """In place of ``step``, or next to it for `tabulate`: probability, state and reward of all."""
    observation: Callable[[State], Any]
    """Observation after a step."""
    low: float
    """Minimum return from the start, scaled to 0 ..."""
    high: float
    """... and the maximum, scaled to 1."""
    steps: int
    """Maximum number of actions of a simulation."""
    discount: float = 1.0
    terminal: Callable[[State], bool] | None = None
    """Whether a state is terminal; by default, if it has no legal actions."""
    rollout: Callable[[State, Chance], Any] | None = None
    """Action of the roll-out policy; by default uniform over legal ones."""
    play_out: Callable[[State, Chance], State] | None = None
    """With several players: the final state of a roll-out; by default from `rollout` and `step`."""
    same: bool = False
    """Whether a repeated state is the same object: its observation is then computed once."""
    most_actions: int = 100
    """Maximum length of a list of actions."""
    players: int = 1
    """With several, `mover`, `seen` and `payoff` must be given; player 0 searches."""
    trees: bool = False
    """Whether each of several players has its own nodes (MO-ISMCTS), or all nodes are player
    0's."""
    mover: Callable[[State], int] | None = None
    """Player to move."""
    seen: Callable[[State, int], Any] | None = None
    """What a player saw of the last step; at the start, for other players than 0, all it knows."""
    payoff: Callable[[State, int], float] | None = None
    """Return of a player at the end."""
    available: Callable[[State, Any], bool] | None = None
    """Whether a listed action is legal in this state, if the list holds possible actions."""
    action_type: Callable[[Any], int] | None = None
    """The type of an action, from 0 to 7, for searches with the option ``action_types``."""
    vary: Callable[[State, Chance], State] | None = None
    """For particles of a belief: a state with one hidden part changed ..."""
    likelihood: Callable[[State, Any, Any], float] | None = None
    """... and P(observation) after an action that led to the state; searches use neither."""
    _values: dict[int, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("low", "high", "discount"):
            object.__setattr__(self, name, real(getattr(self, name), name))
        for name in (*_PARTS, *_MAY_BE_NONE):
            part = getattr(self, name)
            if not callable(part) and (part is not None or name in _PARTS):
                raise TypeError(f"{name} must be a function, not {show(part)}")
        if self.step is None:
            if self.outcomes is None:
                raise TypeError("step must be a function, not None, unless outcomes is given")
            object.__setattr__(self, "step", self._draw_outcome)
        if not self.low < self.high:
            raise ValueError(
                f"returns must have a range, low below high: {self.low} to {self.high}"
            )
        if not 0 < self.discount <= 1:
            raise ValueError(f"discount must be above 0 and at most 1, not {self.discount}")
        for name in ("steps", "most_actions", "players"):
            check_count(name, getattr(self, name))
        if self.players > 1:
            for name in ("mover", "seen", "payoff"):
                if getattr(self, name) is None:
                    raise ValueError(f"a problem of {self.players} players needs {name}")

    def position(self, belief: Belief | None = None, steps: int | None = None) -> PlainPosition:
        """Return the position for a `Search`: from ``belief``, by default from ``start``.

        ``steps``: actions to go, by default those of the problem.
        """
        belief = self.start if belief is None else belief
        steps = self.steps if steps is None else steps
        check_count("steps", steps)
        if not callable(belief):
            if not hasattr(belief, "__getitem__") or isinstance(belief, (str, bytes, dict)):
                is_not = f"is a function that draws a state, or a list of them, not {show(belief)}"
                raise TypeError(f"a belief {is_not}")
            if len(belief) == 0:
                raise ValueError("a belief needs a state")
        for action in self.list_actions(self.draw(belief, Chance())):  # also for searches elsewhere
            self.number(action)
        return position_of(self, belief, steps)

    def action(self, found: int) -> Any:
        """Return the action of a number that a search reported; KeyError for an unknown number."""
        return self._values[int(found)]

    def words(self, found: int) -> str:
        """Return the action of a number in words, for root tables."""
        return str(self.action(found))

    def number(self, action: Any) -> int:
        """Return the number of ``action``, and remember the action."""
        found = number_of(action, "an action")
        self._values.setdefault(found, action)
        return found

    def list_actions(self, state: State) -> Sequence[Any]:
        """Return the legal actions as a list; `actions` may also return an array.

        Raises TypeError if they are neither, or unordered.
        """
        found = self.actions(state)
        if isinstance(found, (list, tuple)):
            return found
        if isinstance(found, (set, frozenset, str, bytes)) or not isinstance(found, Iterable):
            raise TypeError(f"actions(state) must return a list, not {show(found)}")
        return list(found)

    def step_checked(self, state: State, action: Any, chance: Chance) -> tuple[State, float]:
        """Return the next state and the reward from `step`.

        Raises TypeError for any other result.  Raises ValueError if the reward is infinite, nan, or
        beyond `mcts.plain.values.MOST`.
        """
        came = self.step(state, action, chance)
        try:
            following, reward = came
        except (TypeError, ValueError):
            raise TypeError(
                "step(state, action, chance) returns the next state and the reward, a number, not "
                f"{show(came)}"
            ) from None
        if type(reward) is float and -MOST <= reward <= MOST:  # fast path: run at every step
            return following, reward
        return following, real(reward, f"step's reward of {show(action)}")

    def _draw_outcome(self, state: State, action: Any, chance: Chance) -> tuple[State, float]:
        listed = list(self.list_outcomes(state, action))
        _, then, reward = chance.choices(listed, [share for share, *_ in listed])[0]
        return then, reward

    def list_outcomes(self, state: State, action: Any) -> Iterator[tuple[float, State, float]]:
        """Yield probability, next state and reward of all outcomes of ``action``.

        Raises mcts.plain.enumerating.CannotFollow if ``step`` draws in a way that cannot be
        enumerated, and ``outcomes`` is not given.
        """
        if self.outcomes is not None:
            for share, then, reward in self.outcomes(state, action):
                yield real(share, "a probability"), then, real(reward, "a reward")
            return
        from mcts.plain.enumerating import list_outcomes

        for share, found in list_outcomes(lambda chance: self.step_checked(state, action, chance)):
            yield share, *found

    def tabulate(self, limit: int = 100_000) -> Tabular | TabularGame:
        """Return the problem as tables, which are searched at the speed of compiled code.

        Raises what `mcts.plain.tabulate.tabulate` raises: for more than ``limit`` states, and for
        draws that cannot be enumerated.
        """
        from mcts.plain.tabulate import tabulate

        return tabulate(self, limit)

    def over(self, state: State) -> bool:
        """Return whether ``state`` is terminal."""
        if self.terminal is None:
            return not self.list_actions(state)
        return truth(self.terminal(state), "terminal(state)")

    def draw(self, belief: Belief, chance: Chance) -> State:
        """Return a state of ``belief``; one draw if it is a list."""
        return belief(chance) if callable(belief) else belief[chance.below(len(belief))]
