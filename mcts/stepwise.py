"""One simulation at a time: which way each went down the tree, where it grew it, what it brought.

A search of k + 1 simulations is one of k and one more, if one thread runs it with the same key.  So
what the last of them did is the difference between two trees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mcts.outcomes import OutcomeTree
from mcts.tree import Tree

Way = tuple[tuple[int, int], ...]
"""Actions from the root down, each with the kind of its outcome."""


@dataclass(frozen=True)
class Simulation:
    """A simulation, by outcomes (`mcts.outcomes`).

    Attributes
    ----------
    way : what was done and seen in the tree; a roll-out follows, unless it ended there
    values : its return from each action of the way on, of who decided there
    grew : whether nobody had been at the end of the way before
    """

    way: Way
    values: tuple[float, ...]
    grew: bool


def follow(
    grow: Callable[[int], Tree], simulations: int, low: float = 0.0, high: float = 1.0
) -> list[Simulation]:
    """Return what each of the first ``simulations`` did.

    Raises ValueError if a search is not the one before it and one simulation more.

    Parameters
    ----------
    grow : returns the tree of a search of so many simulations: by one thread, always with one key.
        The tree may be the same object with other contents
    low, high : the 0 and 1 of the scaled returns, as the domain declares them
    """
    found: list[Simulation] = []
    visits: dict[Way, int] = {}
    totals: dict[tuple[Way, int], float] = {}
    for count in range(1, simulations + 1):
        before, returned = visits, totals
        visits, totals = _sums(OutcomeTree(grow(count), low, high))
        added = {way: n - before.get(way, 0) for way, n in visits.items() if n != before.get(way)}
        gone = sorted(added, key=len)
        if set(added.values()) != {1} or [len(way) for way in gone] != [*range(len(gone))]:
            raise ValueError(f"simulation {count} did not add to the tree of those before it")
        edges = [(way[:-1], way[-1][0]) for way in gone[1:]]
        values = tuple(totals[edge] - returned.get(edge, 0.0) for edge in edges)
        found.append(Simulation(gone[-1], values, gone[-1] not in before))
    return found


def _sums(tree: OutcomeTree) -> tuple[dict[Way, int], dict[tuple[Way, int], float]]:
    """Return the visits of all outcomes by the way to them, and what actions returned in all.

    An action is that after a way.
    """
    ways: list[Way] = []
    visits: dict[Way, int] = {}
    totals: dict[tuple[Way, int], float] = {}
    for outcome in tree.top():
        choice, way = outcome.choice, ()
        if choice is not None and outcome.above is not None:
            above = ways[outcome.above]
            way = (*above, (choice.action, outcome.kind))
            totals[above, choice.action] = choice.value * choice.visits
        ways.append(way)
        visits[way] = outcome.visits
    return visits, totals
