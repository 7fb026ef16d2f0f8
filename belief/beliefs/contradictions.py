"""Events that leave no deal: the first of them, found by the exact posterior."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from belief.events import in_words, record
from belief.evidence import ContradictoryEvidence
from belief.exact.solver import ExactPosterior


def name_contradiction(
    given: np.ndarray, batches: Sequence[np.ndarray]
) -> ContradictoryEvidence | None:
    """Return the exception that names the first event after which no deal is left.

    ``given``: the evidence before the first event; ``batches``: events as they were taken in.  None
    if some deal explains all of them.
    """
    events = np.concatenate(batches)
    if _has_deal(given, events):
        return None
    fine, bad = 0, len(events)
    if not _has_deal(given, events[:0]):
        return None
    while bad - fine > 1:  # what contradicts itself does so whatever comes later
        middle = (fine + bad) // 2
        fine, bad = (middle, bad) if _has_deal(given, events[:middle]) else (fine, middle)
    return ContradictoryEvidence(
        f"no deal explains event {fine}, {in_words(events[fine])}, after those before it"
    )


def _has_deal(given: np.ndarray, events: np.ndarray) -> bool:
    """Return whether some deal explains ``events``."""
    records = given.copy()
    record(records, events)
    try:
        ExactPosterior(records[0])
    except ContradictoryEvidence:
        return False
    return True
