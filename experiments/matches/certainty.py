"""Rows of the moments at which a seat determines the suspect, the weapon and the room.

This is the "time to determine" of [Ferrari & Cai 2009, Tables V to XI], for all three cards.  A
card of the envelope is determined at the first answer, or publicly heard wrong accusation, after
which the seat takes it for known, by its player's own criterion: players with a belief
(`sim.players.paper.Believing`) when that belief reaches their threshold; `csp` when one card of the
category or one assignment is left; all others when what they saw proves it.  Under the tables as
printed the card may be wrong; the row says so.
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
        ("seat", pa.int64()),  # of the player that determined the card
        ("player", pa.string()),  # in that seat
        ("category", pa.string()),  # suspect, weapon or room
        ("own_turn", pa.int64()),  # turns begun by the seat: 0 before its first
        ("right", pa.bool_()),  # whether it is the envelope's card
    ]
)
"""Columns of the rows of certainties: at most one per game, seat and category."""

CATEGORIES = ("suspect", "weapon", "room")

PROVED = 1 - 1e-9
"""Probability from which a card counts as proved."""

Event = tuple[int, int, int, int]


class _Belief:
    """A seat whose belief determines a card at a threshold."""

    def __init__(self, opinion: Opinion, threshold: float) -> None:
        self._opinion, self._threshold, self._log = opinion, threshold, Log()

    def see(self, event: Event) -> None:
        self._log.append(event)

    def find(self, cards: int) -> int:
        """Return the one of ``cards`` (mask) known to be in the envelope, 0 if none is."""
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
    """A seat that considers every unseen card possible, like `sim.policies.csp`."""

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
        """Return the only remaining one of ``cards`` (mask), else 0."""
        left = self._possible(cards)
        if left & (left - 1) and self._state.heard.any():
            left = only_unheard(self._state, sum(map(self._possible, CATEGORY_MASK))) & cards
        return 0 if left & (left - 1) else left

    def _possible(self, cards: int) -> int:
        return self._silent & cards or cards & ~self._seen


class Certainties:
    """Certainties of all seats in the game that begins in ``state``.

    ``rules``, ``seats``: as passed to the referee.
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
        """Process an event (`sim.state.EVENT`); yield what it determines.

        That is seat, category, and whether the card is right; each seat and category once per game.
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
