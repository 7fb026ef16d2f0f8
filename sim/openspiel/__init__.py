"""Cluedo with few cards as a game of OpenSpiel (extra ``openspiel``)."""

import mcts.openspiel  # noqa: F401, which says what to install where it is missing
