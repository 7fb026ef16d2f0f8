"""The action to play in the end, from what a search found at its root."""

from __future__ import annotations

import numpy as np


def final_choice(
    visits: np.ndarray, means: np.ndarray, final: str, types: np.ndarray | None = None
) -> int:
    """Return the index of the action to play by the rule ``final`` (see `Options`).

    With ``types`` the type is chosen by that rule, from the sums of its actions, then the action.
    """
    if types is not None:
        _, group = np.unique(types, return_inverse=True)
        added = np.bincount(group, visits)
        totals = np.bincount(group, np.where(visits > 0, visits * means, 0.0))
        averages = np.divide(totals, added, out=np.full(len(added), np.nan), where=added > 0)
        visits = np.where(group == final_choice(added, averages, final), visits, -1)
    known = np.where(visits > 0, means, -np.inf)
    first, second = (visits, known) if final == "visits" else (known, visits)
    return int(np.lexsort((-np.arange(len(visits)), second, first))[-1])
