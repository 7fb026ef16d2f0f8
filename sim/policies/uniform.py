"""The uniform player: any trio, its own cards included.

Its suggestions do not depend on its hand, so a posterior that ignores what suggestions reveal is
exact against it: the player for calibration and for tests of equivalence.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.rng import below
from sim.knowledge import solved
from sim.policies.common import accusation, kind_of_turn, wander
from sim.state import ASK, MOVE


@jit
def turn(world: np.record, s: np.record, seat: int) -> int:
    """Return the action at the start of a turn; consumes ``s.stream``."""
    envelope = solved(s, seat)
    if envelope:
        return accusation(envelope)
    kind = kind_of_turn(world, s, seat)
    if kind == MOVE:
        return wander(world, s, seat)
    return suggestion(world, s, seat) if kind == ASK else kind


@jit
def suggestion(world: np.record, s: np.record, seat: int) -> int:
    """Return one of the 36 suggestions of this room, uniformly; consumes ``s.stream``."""
    return ASK + below(s.stream, 36)
