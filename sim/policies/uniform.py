"""The uniform player: it suggests any trio, its own cards included.

Its suggestions do not depend on its hand, so a posterior that ignores suggestions is exact against
it.  It serves for calibration and for tests of equivalence.
"""

from __future__ import annotations

from mcts.kernel.compile import jit
from mcts.kernel.rng import below
from sim.policies.common import roam, unseen_envelope
from sim.state import ASK, State, World

REQUIRES = 0

to_accuse, turn = unseen_envelope, roam


@jit
def suggestion(world: World, s: State, seat: int) -> int:
    """Return one of the 36 suggestions of this room, uniformly; consumes ``s.stream``."""
    return ASK + below(s.stream, 36)
