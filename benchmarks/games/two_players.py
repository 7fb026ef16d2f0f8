"""Models of the opponent in a compiled two-player game, and the order of untried actions."""

from __future__ import annotations

from typing import Any

from mcts.kernel.compile import jit
from mcts.kernel.rng import fold

ONE_TREE, TREES, OPEN = range(3)
"""Nodes of the searching player alone (SO-ISMCTS); of each player (MO-ISMCTS); or of each with all
hidden cards visible below the root, a control: the search cheats, and plays differently against
every hidden card, which is impossible in the game (strategy fusion [Frank & Basin 1998])."""


def others_trees(p: Any) -> int:
    """Return the perspectives of the position ``p``."""
    return 1 if p.others == ONE_TREE else 2


@jit
def shuffle_untried(out, n, order, known):
    """Shuffle the first ``n`` of ``out`` by a hash of ``order`` and what is ``known`` at the node.

    It consumes no draw: the list remains a function of the mover's information.
    """
    key = fold(fold(0, order), known)
    for i in range(n - 1, 0, -1):
        key = fold(key, i)
        j = int(key >> 11) % (i + 1)
        out[i], out[j] = out[j], out[i]
