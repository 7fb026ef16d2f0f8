"""A posterior in parts, for evidence that does not fit into one.

Where a state has too many flags, or the workspace too few states, the evidence is divided by who
holds one open card, and each part solved by itself, divided again if need be.  The parts exclude
each other and leave no deal out, so the posterior is their mixture by the weight of their deals.
It is exact, and slower by the number of parts: the way out, not the way.
Nothing here consumes randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from belief.evidence import ALL_CARDS, ENVELOPE, N_CARDS, has_card, new_evidence, note_pass
from belief.exact.workspace import CONTRADICTORY, SOLVED


def _card_to_split(evidence, plan) -> int:
    """Return the open card in most clauses and bonds; among equals, of most candidates."""
    coupled = [int(clause) & ALL_CARDS for clause in plan.clause[: plan.clauses]]
    for entry in evidence.others[: evidence.shown]:
        cards = int(entry & plan.open & plan.known.may[(entry >> N_CARDS) + 1])
        if cards & (cards - 1):
            coupled.append(cards)

    def rank(card: int) -> tuple[int, int]:
        chosen = sum(cards >> card & 1 for cards in coupled)
        return chosen, sum(int(may) >> card & 1 for may in plan.known.may)

    return max((card for card in range(N_CARDS) if int(plan.open) >> card & 1), key=rank)


def divide(evidence, plan) -> np.recarray:
    """Return records of the evidence, one for every possible holder of one open card.

    ``plan`` is the one that did not fit.
    """
    card = _card_to_split(evidence, plan)
    holders = [
        holder for holder in range(evidence.players + 1) if int(plan.known.may[holder]) >> card & 1
    ]
    records = new_evidence(len(holders))
    for i, holder in enumerate(holders):
        records[i] = evidence
        if holder == ENVELOPE:
            for player in range(evidence.players):
                note_pass(records[i], player, 1 << card)
        else:
            has_card(records[i], holder - 1, card)
    return records


def parts(evidence, attempt: Callable[[np.record], np.record]) -> Iterator[np.record]:
    """Yield records that can be solved and together hold all deals of ``evidence``.

    ``attempt`` tries to solve a record and returns the plan; when a record is yielded, it has just
    succeeded with it.  Parts without a deal are left out.
    """
    plan = attempt(evidence)
    if plan.status == SOLVED:
        yield evidence
    elif plan.status != CONTRADICTORY:
        for part in divide(evidence, plan):
            yield from parts(part, attempt)
