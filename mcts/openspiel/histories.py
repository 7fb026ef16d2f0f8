"""All histories of an OpenSpiel game that a player cannot distinguish, each with its weight.

The player is taken to remember all that it has seen and done [perfect recall].  The weight of a
history is the chance of the game's draws in it times that of what the others did, by a policy: by
default they do anything with equal chance.  This is exact, and for games that are small.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

import pyspiel

from mcts.kernel.notices import Progress
from mcts.plain.chance import Chance

MOST = 1_000_000
"""States that are looked at before it is given up."""


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
