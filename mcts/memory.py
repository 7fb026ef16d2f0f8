"""Memory of a search's threads: workspaces and scratch, as large as the position asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mcts.domain import Domain
from mcts.scratch import Scratch, new_scratch


class Sizes(NamedTuple):
    """The declarations of a domain by which memory is sized."""

    max_actions: int
    max_depth: int
    players: int
    perspectives: int


def sizes_of(domain: Domain, p: Any) -> Sizes:
    """Return the sizes of the position ``p``; ValueError unless they are whole numbers from 1."""
    found = Sizes(*(domain.declaration(name, p) for name in Sizes._fields))
    for name, value in found._asdict().items():
        if not isinstance(value, (int, np.integer)) or value < 1:
            raise ValueError(f"{name} must be a whole number from 1, not {value!r}")
    return Sizes(*map(int, found))


def arrays(value: Any, path: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays in ``value``, nested tuples included, with their places."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, tuple):
        names = getattr(value, "_fields", range(len(value)))
        for name, part in zip(names, value, strict=True):
            yield from arrays(part, f"{path}.{name}")


class Memory:
    """Two workspaces and a scratch for each of so many ``threads``, made for the position ``p``.

    Attributes
    ----------
    sizes : Sizes
        Of the position that they were last made for.
    """

    def __init__(self, domain: Domain, p: Any, threads: int) -> None:
        self._domain, self._threads = domain, threads
        self._make(p)

    def fit(self, p: Any) -> list[tuple[Any, Any, Scratch]]:
        """Return each thread's memory for ``p``: made again if ``p`` is larger than it.

        The tree goes no deeper than ``p`` declares, however deep an earlier position was.
        """
        sizes = sizes_of(self._domain, p)
        if _exceeds(sizes, self.sizes) or self._outgrown(p):
            self._make(p)
        depth = sizes.max_depth
        return [(s, t, own._replace(edges=own.edges[:depth])) for s, t, own in self._made]

    def _make(self, p: Any) -> None:
        self.sizes = sizes_of(self._domain, p)
        self._made = [
            (self._domain.workspace(p), self._domain.workspace(p), new_scratch(*self.sizes))
            for _ in range(self._threads)
        ]
        self._fitting = {_shapes(p)}

    def _outgrown(self, p: Any) -> bool:
        """Return whether ``p`` needs larger workspaces; asked once for arrays of new shapes."""
        shapes = _shapes(p)
        if shapes not in self._fitting:
            if _exceeds(_shapes(self._domain.workspace(p)), _shapes(self._made[0][0])):
                return True
            self._fitting.add(shapes)
        return False


def _shapes(value: Any) -> tuple[int, ...]:
    return tuple(length for _, array in arrays(value) for length in array.shape)


def _exceeds(needed: tuple[int, ...], held: tuple[int, ...]) -> bool:
    return any(new > old for new, old in zip(needed, held, strict=True))
