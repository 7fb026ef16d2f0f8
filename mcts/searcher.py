"""The search that the options name: on this machine's threads, or over Ray."""

from __future__ import annotations

from typing import Any, Protocol

from mcts.options import Budget, Options
from mcts.search import Search, SearchResult


class Searcher(Protocol):
    """Interface common to `Search` and `mcts.root.RootSearch`."""

    def run(self, budget: Budget, key: int, p: Any = None) -> SearchResult:
        """Search the position ``p`` with the randomness named by ``key``."""


def searcher(p: Any, options: Options) -> Searcher:
    """Return a searcher of positions like ``p`` in the mode that ``options`` name.

    Raises ValueError if Ray has no room for the workers of mode ``root``.
    """
    if options.mode != "root":
        return Search(p, options)
    from mcts.root import RootSearch  # Ray takes seconds to import

    return RootSearch(p, options, options.workers, options.merge)
