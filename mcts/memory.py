"""Memory of a search's threads: workspaces and scratch, as large as the position asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mcts.domain import Domain
from mcts.scratch import Scratch, new_scratch

_SIZES = ("max_actions", "max_depth", "players", "perspectives")
"""The declarations of a domain by which memory is sized."""


def arrays(value: Any, path: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays in ``value``, nested tuples included, with their places."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, tuple):
        names = getattr(value, "_fields", range(len(value)))
        for name, part in zip(names, value, strict=True):
            yield from arrays(part, f"{path}.{name}")


class Memory:
    """Two workspaces and a scratch for each of so many ``threads``; `longest` list they hold."""

    longest = 0

    def __init__(self, domain: Domain, threads: int) -> None:
        self._domain, self._threads = domain, threads
        self._sizes, self._fitting = [0] * len(_SIZES), set[tuple[int, ...]]()
        self._made: list[tuple[Any, Any, Scratch]] = []

    def fit(self, p: Any) -> list[tuple[Any, Any, Scratch]]:
        """Return each thread's memory for ``p``, which is made again if ``p`` is larger than it.

        The tree goes no deeper than ``p`` declares, however deep an earlier position was.  Raises
        ValueError unless sizes are whole numbers from 1.
        """
        sizes = [self._domain.declaration(name, p) for name in _SIZES]
        for name, size in zip(_SIZES, sizes, strict=True):
            if not isinstance(size, (int, np.integer)) or size < 1:
                raise ValueError(f"{name} must be a whole number from 1, not {size!r}")
        known = _lengths(p)  # workspaces may depend on them
        if _exceed(sizes, self._sizes) or (
            known not in self._fitting
            and _exceed(_lengths(self._domain.workspace(p)), _lengths(self._made[0][0]))
        ):
            self._sizes, self._fitting, self.longest = sizes, set(), sizes[0]
            self._made = [
                (self._domain.workspace(p), self._domain.workspace(p), new_scratch(*sizes))
                for _ in range(self._threads)
            ]
        self._fitting.add(known)
        return [(s, t, own._replace(edges=own.edges[: sizes[1]])) for s, t, own in self._made]


def _lengths(value: Any) -> tuple[int, ...]:
    return tuple(length for _, array in arrays(value) for length in array.shape)


def _exceed(needed: Any, held: Any) -> bool:
    return any(new > old for new, old in zip(needed, held, strict=True))
