"""Cluedo with few cards as a game of OpenSpiel (extra ``openspiel``), registered when imported."""

import mcts.openspiel  # noqa: F401, which says what to install where it is missing
from sim.openspiel import cluedo

__all__ = ["cluedo"]
