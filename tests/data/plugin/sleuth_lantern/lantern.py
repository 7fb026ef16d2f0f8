"""Lantern: the uniform player, which suggests in every room that it has been summoned to."""

from __future__ import annotations

import numpy as np

from mcts import jit
from sim.policies import SUGGESTS, roam, uniform

REQUIRES = 0

to_accuse, suggestion = uniform.to_accuse, uniform.suggestion


@jit
def turn(world: np.record, s: np.record, seat: int) -> int:
    """Return `SUGGESTS` where the pawn was summoned, else a walk; consumes ``s.stream``."""
    return SUGGESTS if s.summoned[seat] else roam(world, s, seat)
