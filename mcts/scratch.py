"""Memory that one thread writes to during a simulation, and timing of the phases."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts import threads
from mcts.kernel.clock import cycles
from mcts.kernel.compile import jit

SELECTING, LISTING_ACTIONS, ROLLING_OUT = 0, 1, 2
"""Places in `Scratch.cycles`."""

_LAP = 3


class Scratch(NamedTuple):
    """Memory that one thread writes to during a simulation, besides the domain's workspaces."""

    edges: np.ndarray
    """int64 (max_depth,): the edges followed ..."""
    rewards: np.ndarray
    """float64 (max_depth,): ... their rewards, in the domain's units ..."""
    movers: np.ndarray
    """int64 (max_depth,): ... and who followed them."""
    payoff: np.ndarray
    """float64 (players,): what the roll-outs of the leaf paid."""
    key: np.ndarray
    """uint64 (perspectives,): of the information set reached ..."""
    node: np.ndarray
    """int64 (perspectives,): ... below the last one at which this perspective decided ..."""
    edge: np.ndarray
    """int64 (perspectives,): ... and the edge that it followed there."""
    actions: np.ndarray
    """int64 (max_actions,): a list on its way into the tree."""
    edge_data: np.ndarray
    """float64 (max_actions,): the number that goes with each action of the list."""
    stream: np.ndarray
    """uint64 (1,): the random stream of the simulation."""
    cycles: np.ndarray
    """int64 (4,): time spent in selection, listing and roll-outs (`mcts.kernel.clock`), and when
    the present lap began."""


def new_scratch(longest: int, depth: int, players: int, perspectives: int) -> Scratch:
    """Return a thread's scratch for lists of ``longest`` actions and ``depth`` decisions."""
    return Scratch(
        edges=threads.private(depth, np.int64),
        rewards=threads.private(depth),
        movers=threads.private(depth, np.int64),
        payoff=threads.private(players),
        key=threads.private(perspectives, np.uint64),
        node=threads.private(perspectives, np.int64),
        edge=threads.private(perspectives, np.int64),
        actions=threads.private(longest, np.int64),
        edge_data=threads.private(longest),
        stream=threads.private(1, np.uint64),
        cycles=threads.private(4, np.int64),
    )


@jit
def begin_lap(scratch: Scratch) -> None:
    """Begin to take the time."""
    scratch.cycles[_LAP] = cycles()


@jit
def end_lap(scratch: Scratch, phase: int) -> None:
    """Add the time since the present lap began to ``phase``, and begin the next lap."""
    now = cycles()
    scratch.cycles[phase] += now - scratch.cycles[_LAP]
    scratch.cycles[_LAP] = now
