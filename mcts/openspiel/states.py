"""States of an OpenSpiel game: a cache of those met, and those that a player cannot distinguish.

Most steps of a search lead to a known state, so they make no call to OpenSpiel: `Places` finds it
by its history or by the action that leads there.

`consistent` lists all histories that a player cannot distinguish, each with its weight: the
probability of the game's draws in it times that of the others' actions under a policy.  The player
is assumed to have perfect recall.  This is exact, and for small games.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import pyspiel

from mcts.kernel.waiting import Progress
from mcts.plain.chance import Chance
from mcts.plain.values import number

MOST = 1_000_000
"""Maximum number of states to examine."""

MOST_PLACES = 50_000
"""Maximum number of places, a few kilobytes each."""
_OWN = 2**62 - 1


class Place:
    """A state with OpenSpiel's answers about it, each asked for once; ``state`` never changes."""

    def __init__(self, state: pyspiel.State) -> None:
        self.state = state
        self.mover: int = state.current_player()
        self.over = self.mover == pyspiel.PlayerId.TERMINAL
        self.after: dict[int, Place] = {}
        self._seen: dict[int, int] = {}

    @cached_property
    def legal(self) -> list[int]:
        """The legal actions of the mover."""
        return self.state.legal_actions()

    @cached_property
    def returns(self) -> list[float]:
        """Each player's returns so far."""
        return self.state.returns()

    @cached_property
    def _chances(self) -> tuple[list[int], list[float]]:
        actions, shares = zip(*self.state.chance_outcomes(), strict=True)
        return list(actions), list(accumulate(shares))

    def name_seen(self, player: int, words: Callable[[pyspiel.State, int], str]) -> int:
        """Return the number, from 0 to below 2**62, of the ``words`` that ``player`` knows."""
        if player not in self._seen:
            self._seen[player] = number(words(self.state, player)) & _OWN
        return self._seen[player]

    def draw(self, chance: Chance) -> int:
        """Return a chance outcome of the game; one draw."""
        actions, sums = self._chances
        return actions[_draw_place(sums, chance)]


class Places:
    """Cache of at most ``max_places`` places."""

    def __init__(self, max_places: int = MOST_PLACES) -> None:
        self._room = max_places
        self._by_history: dict[tuple[int, ...], Place] = {}

    def find(self, state: pyspiel.State) -> Place:
        """Return the place of ``state``, taking ownership of it."""
        history = tuple(state.history())
        return self._by_history.get(history) or self._add(self._by_history, history, state)

    def follow(self, place: Place, action: int) -> Place:
        """Return the place that ``action`` leads to."""
        known = place.after.get(action)
        return known or self._add(place.after, action, place.state.child(action))

    def _add(self, places: dict[Any, Place], key: Any, state: pyspiel.State) -> Place:
        place = Place(state)
        if self._room > 0:
            self._room -= 1
            places[key] = place
        return place


def play_out(place: Place, chance: Chance) -> Place:
    """Return the end of a random play-out from ``place``; one draw per move.

    Cached places are used, but no new ones are added.
    """
    while not place.over:
        chances = place.mover == pyspiel.PlayerId.CHANCE
        action = place.draw(chance) if chances else _choose(place.legal, chance)
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


def _draw_place(sums: list[float], chance: Chance) -> int:
    """Return a place drawn by the weights whose cumulative ``sums`` are given; one draw."""
    return min(bisect(sums, chance.random() * sums[-1]), len(sums) - 1)


def draw(weighed: Sequence[tuple[Any, float]], chance: Chance) -> Any:
    """Return one of ``weighed``, pairs of an object and its weight; one draw."""
    return weighed[_draw_place(list(accumulate(weight for _, weight in weighed)), chance)][0]


def consistent(
    state: pyspiel.State,
    policy: Callable[[pyspiel.State], Mapping[int, float]],
    words: Callable[[pyspiel.State, int], str],
    max_states: int = MOST,
) -> list[tuple[pyspiel.State, float]]:
    """Return the states that the mover of ``state`` cannot distinguish from it, with weights.

    ``words`` is the information of a player in a state.  A terminal shows progress in a line: a
    game written in Python may take minutes.  Raises ValueError if more than ``max_states`` states
    would have to be examined, or none is found.
    """
    me = state.current_player()
    past = _past(state, me, words)
    looked = 0

    def below(at: pyspiel.State, made: int, weight: float) -> Iterator[tuple[Any, float]]:
        nonlocal looked
        looked += 1
        if looked > max_states:
            raise ValueError(
                f"more than {max_states:,} states to examine for the hidden part: give resample, "
                "which draws it"
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

    with Progress(f"states (at most {max_states:,}) examined for the hidden part") as progress:
        found = list(below(state.get_game().new_initial_state(), 0, 1.0))
    if not found:
        raise ValueError("no history fits the player's observations: the policy rules it out")
    return found


def _past(
    state: pyspiel.State, me: int, words: Callable[[pyspiel.State, int], str]
) -> list[tuple[str, int | None]]:
    """Return the information and action of ``me`` at its decisions; the last action is None."""
    at = state.get_game().new_initial_state()
    past: list[tuple[str, int | None]] = []
    for action in state.history():
        if at.current_player() == me:
            past.append((words(at, me), action))
        at.apply_action(action)
    return [*past, (words(state, me), None)]
