"""A seat's notebook: what is proved about each card, how likely the rest is, and the bits left, at
one moment or by turn.

It is computed from the rules, the own hand, the face-up cards and the suggestions and accusations
as the seat saw and heard them, so it cannot reveal anything else.
"""

import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from belief.closure import new_known, update_closure
from belief.events import check_events, record
from belief.evidence import ALL_CARDS, CATEGORY_MASK, EvidenceFull
from belief.exact.solver import ExactPosterior
from belief.information import entropy
from experiments.explain.recorded import list_seen
from sim.cards import CARDS, N_CARDS
from sim.cards import cards_of as names
from sim.records.events import Event
from sim.records.record import knows
from sim.rules import Rules
from sim.suggestion_events import setting_of, suggestion_events

LEAST = 1e-4
"""The smallest chance shown, also for smaller ones."""

_ERROR = 1e-12
"""Rounding error of sums of the exact posterior."""

YES, NO, MAYBE = "yes", "no", "maybe"
KINDS = tuple(
    next(kind for kind, mask in zip(("suspect", "weapon", "room"), CATEGORY_MASK, strict=True)
         if int(mask) >> card & 1)
    for card in range(N_CARDS)
)  # fmt: skip
"""Kind of each card."""


@dataclass(frozen=True)
class Knowledge:
    """The knowledge of a seat.

    ``suggestions``: (asker, cards, answerer or -1, card or -1) as seen by the seat, and accusations
    that it heard to be wrong: (accuser, cards, `sim.state.ACCUSED`, -1).
    """

    rules: Rules
    seat: int
    hand: int  # mask
    face_up: int | None  # mask; None during the deal
    suggestions: Sequence[tuple[int, int, int, int]]
    turns: Sequence[int] = ()  # turns of the suggestions

    @classmethod
    def of(cls, rules: Rules, seat: int, events: Sequence[Event]) -> Self:
        """Return the knowledge of ``seat`` from those ``events`` that it knows."""
        known = [event for event in events if knows(event, seat)]
        dealt = [event for event in known if event["event"] == "deal"]
        open_ = [event for event in known if event["event"] == "face_up"]
        answered = list_seen(known, seat)
        if answered and answered[-1][0] == seat and answered[-1][2] >= 0 > answered[-1][3]:
            answered.pop()  # the card is not shown yet
        aloud = [event for event in known if event["known_to"] == "all"]
        kinds = ("suggestion", "accusation")
        turns = [event["turn"] for event in aloud if event["event"] in kinds]
        return cls(rules, seat, _mask(dealt), _mask(open_) if open_ else None, answered, turns)


def _mask(events: Sequence[Event]) -> int:
    return sum(1 << CARDS.index(card) for event in events for card in event["cards"])


def notebook(knowledge: Knowledge, chance: bool) -> dict[str, Any]:
    """Return the notebook for JSON; with ``chance`` the exact probabilities and the bits left.

    ``cards`` has for each card its name, its kind and by holder (the envelope, then the seats)
    whether it has it: `YES`, `NO` or `MAYBE`, all `NO` for a face-up card.  ``accused`` has the
    cards of each accusation known to be wrong, if the envelope may still contain all three.
    ``chance`` has the probabilities in the same order, ``bits`` the entropy of the envelope; both
    are None without ``chance``, during the deal, or if the posterior does not fit into memory.
    """
    players, seat = knowledge.rules.players, knowledge.seat
    if knowledge.face_up is None:
        has, may = [0] * (players + 1), [ALL_CARDS & ~knowledge.hand] * (players + 1)
        has[1 + seat] = knowledge.hand
        may[1 + seat] = ALL_CARDS
        return _list(has, may)
    evidence, proved = evidence_of(knowledge), new_known()[0]
    update_closure(evidence, proved)
    has, may = (masks[: players + 1].tolist() for masks in (proved.has, proved.may))
    page = _list(has, may)
    heard = evidence["not_envelope"][: evidence["excluded"]].tolist()
    page["accused"] = [names(cards) for cards in heard if cards & ~may[0] == 0]
    with suppress(EvidenceFull):
        if chance:
            exact = ExactPosterior(evidence)
            marginals = exact.marginals[:, : players + 1].tolist()
            page["chance"] = [[round_chance(p) for p in row] for row in marginals]
            page["bits"] = round(float(entropy(exact.envelope_table().ravel())), 3)
    return page


def evidence_of(knowledge: Knowledge) -> np.record:
    """Return a seat's knowledge after the deal as a `belief.evidence.EVIDENCE`."""
    rules, seat, face_up = knowledge.rules, knowledge.seat, knowledge.face_up
    assert face_up is not None
    records = setting_of(rules, seat, knowledge.hand, face_up).records()
    events = suggestion_events(knowledge.suggestions, seat, rules.players)[0]
    plain = records.view(np.ndarray)
    record(plain, check_events(events, plain))
    return records[0]


def round_chance(chance: float) -> float:
    """Return ``chance`` with four digits; only certain values become 0 and 1."""
    if not _ERROR < chance < 1.0 - _ERROR:
        return float(round(chance))
    return min(max(round(chance, 4), LEAST), 1.0 - LEAST)


def _list(has: Sequence[int], may: Sequence[int]) -> dict[str, Any]:
    """Return a notebook without probabilities; masks of certain and possible cards by holder."""
    cards = [
        {
            "card": name,
            "kind": kind,
            "holders": [
                YES if sure >> card & 1 else MAYBE if possible >> card & 1 else NO
                for sure, possible in zip(has, may, strict=True)
            ],
        }
        for card, (name, kind) in enumerate(zip(CARDS, KINDS, strict=True))
    ]
    return {"cards": cards, "accused": [], "chance": None, "bits": None}


_INFORMATIVE = ("deal", "suggestion", "refute", "show", "accusation")
"""Events that may inform a seat."""

Bits = tuple[float | None, ...]
"""Entropy of the envelope under the exact posterior by seat; None if it does not fit in memory."""


class Entropies:
    """The bits of all seats of a game; finished turns are computed once.

    Attribute ``rules``: of the game.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._turns: list[tuple[int, Bits]] = []
        self._at = 0
        self._working = threading.Lock()

    def turns(self, events: Sequence[Event]) -> list[tuple[int, Bits]]:
        """Return number and bits of the finished turns, beginning with the deal.

        ``events``: all events shown; later calls extend those of earlier ones.
        """
        with self._working:
            for end in range(self._at, len(events) - 1):
                if events[end]["turn"] < events[end + 1]["turn"]:
                    self._add(events[self._at : end + 1], events[: end + 1])
                    self._at = end + 1
            return list(self._turns)

    def _add(self, turn: Sequence[Event], events: Sequence[Event]) -> None:
        if self._turns and all(event["event"] not in _INFORMATIVE for event in turn):
            bits = self._turns[-1][1]
        else:
            known = (Knowledge.of(self.rules, seat, events) for seat in range(self.rules.players))
            bits = tuple(notebook(one, chance=True)["bits"] for one in known)
        self._turns.append((turn[0]["turn"], bits))
