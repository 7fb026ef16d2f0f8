"""States of a game that were met before, with the answers to what a search asks of them.

Most steps of a search lead where an earlier one has been.  A `Place` keeps its state, and of that
what OpenSpiel has answered; `Places` finds it again by its history or by the action that leads
there, so such a step crosses into OpenSpiel no more.  Above so many places nothing more is kept.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from itertools import accumulate

import pyspiel

from mcts.plain.chance import Chance
from mcts.plain.numbers import number

MOST = 50_000
"""Places kept, of a few kilobytes each with what belongs to them."""
_OWN = 2**62 - 1


class Place:
    """A state, and what is known of it; ``state`` is never changed."""

    __slots__ = ("_chances", "_legal", "_returns", "_seen", "after", "mover", "over", "state")

    def __init__(self, state: pyspiel.State) -> None:
        self.state = state
        self.mover: int = state.current_player()
        self.over = self.mover == pyspiel.PlayerId.TERMINAL
        self.after: dict[int, Place] = {}
        self._seen: dict[int, int] = {}
        self._legal: list[int] | None = None
        self._returns: list[float] | None = None
        self._chances: tuple[list[int], list[float]] | None = None

    def legal(self) -> list[int]:
        """Return the legal actions of the mover."""
        if self._legal is None:
            self._legal = self.state.legal_actions()
        return self._legal

    def returns(self) -> list[float]:
        """Return what each player has got."""
        if self._returns is None:
            self._returns = self.state.returns()
        return self._returns

    def name_seen(self, player: int, words: Callable[[pyspiel.State, int], str]) -> int:
        """Return the number, from 0 to below 2**62, of the ``words`` that ``player`` knows."""
        if player not in self._seen:
            self._seen[player] = number(words(self.state, player)) & _OWN
        return self._seen[player]

    def draw(self, chance: Chance) -> int:
        """Return what the game's chance does here; one draw."""
        if self._chances is None:
            actions, shares = zip(*self.state.chance_outcomes(), strict=True)
            self._chances = list(actions), list(accumulate(shares))
        actions, sums = self._chances
        return actions[min(bisect(sums, chance.random() * sums[-1]), len(sums) - 1)]


class Places:
    """The places met so far, ``most`` of them."""

    def __init__(self, most: int = MOST) -> None:
        self._room = most
        self._by_history: dict[tuple[int, ...], Place] = {}

    def find(self, state: pyspiel.State) -> Place:
        """Return the place of ``state``, which is the caller's no longer."""
        history = tuple(state.history())
        place = self._by_history.get(history)
        if place is None:
            place = Place(state)
            if self._room > 0:
                self._room -= 1
                self._by_history[history] = place
        return place

    def follow(self, place: Place, action: int) -> Place:
        """Return where ``action`` leads."""
        after = place.after.get(action)
        if after is None:
            after = Place(place.state.child(action))
            if self._room > 0:
                self._room -= 1
                place.after[action] = after
        return after


def play_out(place: Place, chance: Chance) -> Place:
    """Return the end of a game that goes on from ``place`` at random; a draw a move.

    Places met before are followed, but no more of them are kept.
    """
    while not place.over:
        chances = place.mover == pyspiel.PlayerId.CHANCE
        action = place.draw(chance) if chances else _choose(place.legal(), chance)
        following = place.after.get(action)
        if following is None:
            return Place(_finish(place.state.child(action), chance))
        place = following
    return place


def _choose(actions: list[int], chance: Chance) -> int:
    """Return one of ``actions``; one draw."""
    return actions[chance.below(len(actions))]


def _finish(state: pyspiel.State, chance: Chance) -> pyspiel.State:
    """Play ``state`` itself to the end at random, and return it."""
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(Place(state).draw(chance))
        else:
            state.apply_action(_choose(state.legal_actions(), chance))
    return state
