"""Rows of the moments at which a seat determines the suspect, the weapon and the room.

It is the "time to determine" of [Ferrari & Cai 2009, Tables V to XI], of all three cards.  A card
of the envelope is determined at the first answer, or wrong accusation that everybody hears, after
which the seat takes it for known, by what the player there goes by: players with a belief
(`sim.players.paper.Believing`) by that belief, from their threshold on; `csp` when one card of the
category is left, or one assignment; all others when what they saw proves it.  By the tables as
printed it may be the wrong card, which the row says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from belief.evidence import EvidenceFull
from sim.cards import CATEGORY_MASK
from sim.player import Player
from sim.players.paper import Believing, Opinion
from sim.policies.csp import only_unheard
from sim.rules import Rules
from sim.state import ACCUSED, State, empty
from sim.view import Log, as_seen

CERTAINTY = pa.schema(
    [
        ("match", pa.string()),
        ("game", pa.int64()),
        ("turn", pa.int64()),  # of all players together, from 1
        ("seat", pa.int64()),  # that determined the card
        ("player", pa.string()),  # who sits there
        ("category", pa.string()),  # suspect, weapon or room
        ("own_turn", pa.int64()),  # turns that the seat had begun: 0 before its first
        ("right", pa.bool_()),  # whether it is the envelope's card
    ]
)
"""Columns of the rows of certainties, one a game, seat and category, if that came to it."""

CATEGORIES = ("suspect", "weapon", "room")

PROVED = 1 - 1e-9
"""A chance from which on a card counts as proved."""

Event = tuple[int, int, int, int]


class _Belief:
    """A seat that goes by a belief, from a threshold on."""

    def __init__(self, opinion: Opinion, threshold: float) -> None:
        self._opinion, self._threshold, self._log = opinion, threshold, Log()

    def see(self, event: Event) -> None:
        self._log.append(event)

    def find(self, cards: int) -> int:
        """Return which of ``cards`` (mask) is known to be in the envelope, 0 if none is."""
        try:
            chances = self._opinion.update(self._log)
        except EvidenceFull:
            return 0
        return sum(
            1 << card
            for card, chance in enumerate(chances)
            if cards >> card & 1 and chance >= self._threshold
        )


class _Assignment:
    """A seat that takes any card for possible that it has not seen, as `sim.policies.csp`."""

    def __init__(self, seat: int, seen: int) -> None:
        self._seat, self._seen, self._silent, self._state = seat, seen, 0, empty()[0]

    def see(self, event: Event) -> None:
        asker, cards, answerer, card = event
        if answerer == ACCUSED:
            self._state.heard[asker] = cards
        elif asker == self._seat and answerer < 0:
            self._silent |= cards & ~self._seen
        elif asker == self._seat:
            self._seen |= 1 << card

    def find(self, cards: int) -> int:
        """Return the only one of ``cards`` (mask) that is left, else 0."""
        left = self._possible(cards)
        if left & (left - 1) and self._state.heard.any():
            left = only_unheard(self._state, sum(map(self._possible, CATEGORY_MASK))) & cards
        return 0 if left & (left - 1) else left

    def _possible(self, cards: int) -> int:
        return self._silent & cards or cards & ~self._seen


class Certainties:
    """Certainties of all seats of the game that begins in ``state``.

    ``rules``, ``seats``: as the referee is given them.
    """

    def __init__(self, rules: Rules, seats: Sequence[Player], state: State) -> None:
        self._envelope = int(state.envelope)
        self._minds: list[_Belief | _Assignment] = []
        for seat, player in enumerate(seats):
            hand, face_up = int(state.hand[seat]), int(state.face_up)
            if player.policy is not None and player.policy.name == "csp":
                self._minds.append(_Assignment(seat, hand | face_up))
                continue
            settings = getattr(player, "settings", None)
            evidence, threshold = "exact", PROVED
            if isinstance(settings, Believing):
                evidence, threshold = settings.evidence, settings.threshold
            opinion = Opinion(evidence, rules, seat, hand, face_up)
            self._minds.append(_Belief(opinion, threshold))
        self._open = {(seat, kind) for seat in range(len(seats)) for kind in range(3)}

    def see(self, event: Event) -> Iterator[tuple[int, str, bool]]:
        """Take in an event (`sim.state.EVENT`); yield what it determines.

        Seat, category and whether it is the right card, each once a game.
        """
        for seat, mind in enumerate(self._minds):
            mind.see(as_seen(event, seat))
            for kind, category in enumerate(CATEGORIES):
                if (seat, kind) not in self._open:
                    continue
                found = mind.find(CATEGORY_MASK[kind])
                if found:
                    self._open.remove((seat, kind))
                    yield seat, category, bool(found & self._envelope)
