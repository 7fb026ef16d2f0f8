"""A seat's notebook: what is proved about each card, how likely the rest is, and the bits left.

Made from the rules, the own hand, the cards that lie open and the suggestions as the seat saw them:
it is handed nothing else, so it can tell nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from belief.closure import new_known, update_closure
from belief.events import record
from belief.evidence import CATEGORY_MASK, EvidenceFull
from belief.exact.solver import ExactPosterior
from belief.information import entropy
from experiments.explain.recorded import seen
from sim.cards import CARDS, N_CARDS
from sim.planning.suggestion_events import setting_of, suggestion_events
from sim.records.events import Event
from sim.records.record import knows
from sim.rules import Rules

YES, NO, MAYBE = "yes", "no", "maybe"
KINDS = ("suspect", "weapon", "room")


@dataclass(frozen=True)
class Knowledge:
    """What a seat knows.

    Attributes
    ----------
    rules : of the game
    seat : whose
    hand, face_up : masks
    suggestions : (asker, cards, answerer or -1, card or -1), as it saw them
    """

    rules: Rules
    seat: int
    hand: int
    face_up: int
    suggestions: Sequence[tuple[int, int, int, int]]

    @classmethod
    def of(cls, rules: Rules, seat: int, events: Sequence[Event]) -> Knowledge:
        """Return what ``seat`` knows from the ``events`` of which it knows; others do not count."""
        known = [event for event in events if knows(event, seat)]
        dealt = [event for event in known if event["event"] == "deal"]
        open_ = [event for event in known if event["event"] == "face_up"]
        answered = seen(known, seat)
        if answered and answered[-1][0] == seat and answered[-1][2] >= 0 > answered[-1][3]:
            answered.pop()  # the card is still to be shown
        return cls(rules, seat, _mask(dealt), _mask(open_), answered)


def _mask(told: Sequence[Event]) -> int:
    return sum(1 << CARDS.index(card) for event in told for card in event["cards"])


def notebook(knowledge: Knowledge, chance: bool) -> dict[str, Any]:
    """Return the notebook, for JSON; with ``chance`` the exact probabilities and the bits left.

    ``cards`` has for each card its name, its kind and by holder (the envelope, then the seats)
    whether it has it: `YES`, `NO` or `MAYBE`, all `NO` for a card that lies open.  ``chance`` has
    the probabilities in the same order, ``bits`` the entropy of the envelope; both are None without
    ``chance``, or where the posterior does not fit into memory.
    """
    rules, seat = knowledge.rules, knowledge.seat
    setting = setting_of(rules, seat, knowledge.hand, knowledge.face_up)
    evidence = setting.records()[0]
    record(evidence, suggestion_events(knowledge.suggestions, seat, rules.players)[0])
    proved = new_known()[0]
    update_closure(evidence, proved)
    exact = _exact(evidence) if chance else None
    marginals, bits = exact if exact else (None, None)
    return {
        "cards": [
            {
                "card": name,
                "kind": next(
                    kind
                    for kind, mask in zip(KINDS, CATEGORY_MASK, strict=True)
                    if int(mask) >> card & 1
                ),
                "holders": _holders(proved, card, rules.players),
            }
            for card, name in enumerate(CARDS)
        ],
        "chance": None
        if marginals is None
        else [
            [round(float(p), 4) for p in marginals[card, : rules.players + 1]]
            for card in range(N_CARDS)
        ],
        "bits": bits if bits is None else round(bits, 3),
    }


def _holders(proved: np.record, card: int, players: int) -> list[str]:
    told = []
    for holder in range(players + 1):
        has, may = proved.has[holder] >> card & 1, proved.may[holder] >> card & 1
        told.append(YES if has else MAYBE if may else NO)
    return told


def _exact(evidence: np.record) -> tuple[np.ndarray, float] | None:
    """Return the marginals and the envelope's entropy; None if there is no room for them."""
    try:
        posterior = ExactPosterior(evidence)
    except EvidenceFull:
        return None
    return posterior.marginals, float(entropy(posterior.envelope_table().ravel()))
