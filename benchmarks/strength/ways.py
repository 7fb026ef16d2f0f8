"""Ways to spend the time of several workers on one decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from benchmarks.strength.virtual_workers import VirtualRoot, VirtualSearch
from mcts.options import IN_FLIGHT, MERGES, Options
from mcts.search import Search
from mcts.searcher import Searcher

SPREAD = 0.5
"""Standard deviation of the duration of a simulation, in units of its mean."""

INSIDE = 16
"""Threads on each tree of a root-parallel search with several."""

ONE = "one"
"""The way of a single worker with more time."""

REAL = "real"
"""Suffix of ways with real threads."""


@dataclass(frozen=True)
class Way:
    """A way to search.

    Attributes
    ----------
    name : of the way
    workers : their number; of `ONE` its multiple of the time
    make : from a position and options to a searcher
    rules : merge rules of its trees, each a way of its own in the results; empty: one tree
    """

    name: str
    workers: int
    make: Callable[[Any, Options], Searcher]
    rules: tuple[str, ...] = ()

    def unit(self, case: int) -> str:
        """Return the name of the measurement of ``case``."""
        return f"{self.name}|{self.workers}|{case}"

    def label(self, rule: str) -> str:
        """Return its name in the results with its trees merged by ``rule``."""
        return self.name if len(self.rules) < 2 else f"{self.name}, {rule}"


def ways(times: Sequence[int], workers: Sequence[int], threads: Sequence[int]) -> Iterator[Way]:
    """Yield all ways: one worker, simulated workers, threads of this machine."""
    for longer in times:
        yield Way(ONE, longer, Search)
    for n in workers:
        for treatment in IN_FLIGHT:
            yield Way(f"tree, {treatment}", n, partial(_tree, treatment, n))
        yield Way("root", n, partial(_root, n), MERGES)
        if n > INSIDE:
            yield Way("tree in root", n, partial(_tree_in_root, n // INSIDE), MERGES[:1])
    for n in threads:
        for treatment in IN_FLIGHT:
            yield Way(f"tree, {treatment}, {REAL}", n, partial(_threads, treatment, n))


def _tree(treatment: str, workers: int, p: Any, options: Options) -> VirtualSearch:
    return VirtualSearch(p, replace(options, in_flight=treatment), workers, SPREAD)


def _threads(treatment: str, threads: int, p: Any, options: Options) -> Search:
    return Search(p, replace(options, in_flight=treatment, threads=threads))


def _root(trees: int, _: Any, options: Options) -> VirtualRoot:
    return VirtualRoot(trees, MERGES[0], partial(Search, options=options))


def _tree_in_root(trees: int, _: Any, options: Options) -> VirtualRoot:
    inside = partial(VirtualSearch, options=options, workers=INSIDE, spread=SPREAD)
    return VirtualRoot(trees, MERGES[0], inside)
