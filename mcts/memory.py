"""Memory of a search's threads: workspaces and scratch, sized by the position.

A scratch also measures the time of the phases (`mcts.kernel.clock`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mcts.domain import Domain
from mcts.kernel.clock import cycles
from mcts.kernel.compile import jit
from mcts.options import check_count
from mcts.threads import private

_SIZES = ("max_actions", "max_depth", "players", "perspectives")
"""The declarations of a domain that determine memory sizes."""

SELECTING, LISTING_ACTIONS, ROLLING_OUT = 0, 1, 2
"""Places in `Scratch.cycles`."""

_LAP = 3


class Scratch(NamedTuple):
    """Memory that one thread writes during a simulation, apart from the domain's workspaces."""

    edges: np.ndarray  # int64 (max_depth,): the edges followed ...
    rewards: np.ndarray  # float64 (max_depth,): ... their rewards, in the domain's units ...
    movers: np.ndarray  # int64 (max_depth,): ... and the players who followed them.
    nodes: np.ndarray
    """int64 (max_depth + 1,): nodes passed; the last is the leaf, `NOWHERE` if it is none."""
    payoff: np.ndarray  # float64 (players,): payoffs of the leaf's roll-outs.
    key: np.ndarray  # uint64 (perspectives,): key of the information set reached ...
    node: np.ndarray
    """int64 (perspectives,): ... below the last one at which this perspective decided ..."""
    edge: np.ndarray  # int64 (perspectives,): ... and the edge that it followed there.
    actions: np.ndarray  # int64 (max_actions,): a list of actions, before it enters the tree.
    edge_data: np.ndarray  # float64 (max_actions,): the number attached to each action of the list.
    stream: np.ndarray  # uint64 (1,): the random stream of the simulation.
    cycles: np.ndarray
    """int64 (4,): time spent in selection, listing and roll-outs (`mcts.kernel.clock`), and the
    start of the current lap."""


def new_scratch(longest: int, depth: int, players: int, perspectives: int) -> Scratch:
    """Return a thread's scratch for lists of ``longest`` actions and ``depth`` decisions."""
    return Scratch(
        edges=private(depth, np.int64),
        rewards=private(depth),
        movers=private(depth, np.int64),
        nodes=private(depth + 1, np.int64),
        payoff=private(players),
        key=private(perspectives, np.uint64),
        node=private(perspectives, np.int64),
        edge=private(perspectives, np.int64),
        actions=private(longest, np.int64),
        edge_data=private(longest),
        stream=private(1, np.uint64),
        cycles=private(4, np.int64),
    )


@jit
def begin_lap(scratch: Scratch) -> None:
    """Start the clock."""
    scratch.cycles[_LAP] = cycles()


@jit
def end_lap(scratch: Scratch, phase: int) -> None:
    """Add the time of the current lap to ``phase``, and begin the next lap."""
    now = cycles()
    scratch.cycles[phase] += now - scratch.cycles[_LAP]
    scratch.cycles[_LAP] = now


class Worker(NamedTuple):
    """Memory of one thread: the domain's workspace, a second one for roll-outs, and scratch."""

    state: Any
    rollout_state: Any
    scratch: Scratch


def arrays(value: Any, path: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays in ``value``, nested tuples included, with their paths."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, tuple):
        names = getattr(value, "_fields", range(len(value)))
        for name, part in zip(names, value, strict=True):
            yield from arrays(part, f"{path}.{name}")


class Memory:
    """A `Worker` for each of ``threads`` threads; `longest`: length of their lists of actions."""

    longest = 0

    def __init__(self, domain: Domain, threads: int) -> None:
        self._domain, self._threads = domain, threads
        self._sizes, self._fitting = [0] * len(_SIZES), set[tuple[int, ...]]()
        self._made: list[Worker] = []

    def fit(self, p: Any) -> list[Worker]:
        """Return each thread's memory for ``p``, reallocated if ``p`` needs more.

        The tree gets no deeper than ``p`` declares, even after a deeper position.  Raises
        ValueError unless sizes are integers of at least 1.
        """
        sizes = [check_count(name, self._domain.declaration(name, p)) for name in _SIZES]
        known = _lengths(p)  # workspaces may depend on them
        if _exceed(sizes, self._sizes) or (
            known not in self._fitting
            and _exceed(_lengths(self._domain.workspace(p)), _lengths(self._made[0].state))
        ):
            self._sizes, self._fitting, self.longest = sizes, set(), sizes[0]
            self._made = [
                Worker(self._domain.workspace(p), self._domain.workspace(p), new_scratch(*sizes))
                for _ in range(self._threads)
            ]
        self._fitting.add(known)
        return [
            made._replace(scratch=made.scratch._replace(edges=made.scratch.edges[: sizes[1]]))
            for made in self._made
        ]


def _lengths(value: Any) -> tuple[int, ...]:
    return tuple(length for _, array in arrays(value) for length in array.shape)


def _exceed(needed: Any, held: Any) -> bool:
    return any(new > old for new, old in zip(needed, held, strict=True))
