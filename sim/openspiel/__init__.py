"""Cluedo with few cards as an OpenSpiel game (extra ``openspiel``), registered on import."""

import mcts.openspiel  # noqa: F401, reports the missing extra
from sim.openspiel import cluedo

__all__ = ["cluedo"]
