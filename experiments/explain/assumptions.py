"""A planner's assumptions at a decision: its belief, compared with the exact one, and opponents.

The exact posterior is that of the notebook: uniform over all deals that explain the answers.  A
planner may have another belief (``player.belief``), and one with the exact belief may read the
others' suggestions (``own_card_weight``).  One with a mixture of opponents weighs their types by
what each has done (`sim.models.opponent_belief`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from belief.evidence import EvidenceFull
from belief.exact.solver import ExactPosterior
from sim.cards import CARDS
from sim.planning.planner import Planner

LEAST = 0.01
"""Smallest difference of two probabilities that counts."""

MOST_ROWS = 8
MOST_TYPES = 3
"""Number of likeliest types per opponent; the rest are one."""


def list_assumptions(planner: Planner, players: int) -> dict[str, Any]:
    """Return ``belief`` by `compare_beliefs` and ``opponents`` by `list_opponents`, for JSON."""
    return {"belief": compare_beliefs(planner, players), "opponents": list_opponents(planner)}


def compare_beliefs(planner: Planner, players: int) -> dict[str, Any] | None:
    """Return the differences between the belief of ``planner`` and the exact posterior, for JSON.

    ``name`` of the belief, whether it ``reads`` suggestions, the number of places ``differing`` by
    `LEAST` or more, and the ``rows`` that differ most: ``card``, ``holder`` (0 the envelope,
    seat + 1), ``own`` and ``exact`` probability.  None if the exact posterior does not fit into
    memory.
    """
    evidence = planner.evidence
    evidence["own_card_weight"] = 1.0
    try:
        exact = ExactPosterior(evidence[0]).marginals[:, : players + 1]
    except EvidenceFull:
        return None
    own = planner.marginals()[:, : players + 1]
    gap = np.abs(own - exact)
    order = np.argsort(-gap, axis=None, kind="stable")[:MOST_ROWS]
    return {
        "name": planner.config.belief,
        "reads": planner.reads,
        "differing": int(np.count_nonzero(gap >= LEAST)),
        "rows": [
            {
                "card": CARDS[card],
                "holder": int(holder),
                "own": round(float(own[card, holder]), 3),
                "exact": round(float(exact[card, holder]), 3),
            }
            for card, holder in zip(*np.unravel_index(order, gap.shape), strict=True)
            if gap[card, holder] >= LEAST
        ],
    }


def list_opponents(planner: Planner) -> list[dict[str, Any]]:
    """Return the assumed types of the others for JSON: by ``seat`` the likeliest ``types``.

    A type is a pair of its name (`sim.models.types.TYPES`) and its probability.  Empty for a
    planner with one model of all opponents.
    """
    company = planner.opponent_belief
    if company is None:
        return []
    found = []
    for seat in company.opponents:
        chances = company.of_seat(seat)
        order = np.argsort(-chances, kind="stable")[:MOST_TYPES]
        types = [(company.mixture.types[one], round(float(chances[one]), 3)) for one in order]
        found.append({"seat": seat, "types": types})
    return found
