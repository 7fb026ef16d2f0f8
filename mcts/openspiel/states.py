"""States of an OpenSpiel game: those met before, and those that a player cannot distinguish.

Most steps of a search lead where an earlier one has been.  A `Place` keeps its state, and of that
what OpenSpiel has answered; `Places` finds it again by its history or by the action that leads
there, so such a step crosses into OpenSpiel no more.  Above so many places nothing more is kept.

`consistent` lists all histories that a player cannot distinguish, each with its weight: the chance
of the game's draws in it times that of what the others did, by a policy.  The player is taken to
remember all that it has seen and done [perfect recall].  This is exact, and for games that are
small.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

import pyspiel

from mcts.kernel.waiting import Progress
from mcts.plain.chance import Chance
from mcts.plain.values import number

MOST = 1_000_000
"""States that are looked at before it is given up."""

MOST_PLACES = 50_000
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

    def __init__(self, most: int = MOST_PLACES) -> None:
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


def draw(weighed: Sequence[tuple[Any, float]], chance: Chance) -> Any:
    """Return one of ``weighed``, pairs of a thing and its weight; one draw."""
    sums = list(accumulate(weight for _, weight in weighed))
    place = bisect(sums, chance.random() * sums[-1])
    return weighed[min(place, len(weighed) - 1)][0]


def consistent(
    state: pyspiel.State,
    policy: Callable[[pyspiel.State], Mapping[int, float]],
    words: Callable[[pyspiel.State, int], str],
    most: int = MOST,
) -> list[tuple[pyspiel.State, float]]:
    """Return the states that the mover of ``state`` cannot distinguish from it, with weights.

    ``words`` is the information of a player in a state.  In a terminal a line shows how far it is:
    a game written in Python may take minutes.  Raises ValueError if more than ``most`` states would
    have to be looked at, or none is found.
    """
    me = state.current_player()
    past = _past(state, me, words)
    looked = 0

    def below(at: pyspiel.State, made: int, weight: float) -> Iterator[tuple[Any, float]]:
        nonlocal looked
        looked += 1
        if looked > most:
            raise ValueError(
                f"more than {most:,} states must be looked at to find what may be hidden: give "
                "resample, which draws it"
            )
        if not looked % 64:
            progress.show(looked)
        if at.is_terminal() or weight == 0.0:
            return
        if at.is_chance_node():
            goes_on = [(action, weight * share, made) for action, share in at.chance_outcomes()]
        elif at.current_player() != me:
            goes_on = [(action, weight * share, made) for action, share in policy(at).items()]
        else:
            known, action = past[made]
            if words(at, me) != known:
                return
            if action is None:
                yield at, weight
                return
            goes_on = [(action, weight, made + 1)]
        for action, share, so_far in goes_on:
            after = at.clone()
            after.apply_action(action)
            yield from below(after, so_far, share)

    with Progress(f"states (at most {most:,}) looked at for what may be hidden") as progress:
        found = list(below(state.get_game().new_initial_state(), 0, 1.0))
    if not found:
        raise ValueError("no history agrees with what the player has seen: the policy rules it out")
    return found


def _past(
    state: pyspiel.State, me: int, words: Callable[[pyspiel.State, int], str]
) -> list[tuple[str, int | None]]:
    """Return what ``me`` knew at each of its decisions and what it did; at the last one None."""
    at = state.get_game().new_initial_state()
    past: list[tuple[str, int | None]] = []
    for action in state.history():
        if at.current_player() == me:
            past.append((words(at, me), action))
        at.apply_action(action)
    return [*past, (words(state, me), None)]
