"""A player that takes the first action on the list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sim import N_ACTIONS, Player, Rules, legal, world


class First(Player):
    """Takes the first legal action."""

    def __init__(self, name: str, rules: Rules) -> None:
        super().__init__(name)
        self._board = world(rules)[0]
        self._options = np.empty(N_ACTIONS, np.int64)

    def decide(self, view: np.recarray) -> int:
        """Return the first legal action."""
        legal(self._board, view[0], self._options)
        return int(self._options[0])


def make(spec: Mapping[str, Any], rules: Rules) -> Player:
    """Return the player that ``spec`` describes: it has a ``label`` and no settings."""
    return First(spec.get("label") or spec["name"], rules)
