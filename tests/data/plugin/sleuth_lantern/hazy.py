"""Logical closure, with an envelope that it is less sure of."""

from __future__ import annotations

import numpy as np

from belief import ClosureBelief


class HazyBelief(ClosureBelief):
    """`ClosureBelief` with the square root of its envelope table."""

    name = "hazy"

    def envelope_table(self) -> np.ndarray:
        """Return the envelope table (6, 6, 9), normalised."""
        table = np.sqrt(super().envelope_table())
        return table / table.sum()
