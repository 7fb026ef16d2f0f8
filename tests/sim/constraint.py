"""The constraint satisfaction player by the text of its papers, in plain Python.

Variables are the hidden cards S, W, R and the cards C_ji of the others [Cai & Ferrari 2008, s. IV;
Ferrari & Cai 2009, s. VIII]:

* C1: S, W and R differ from every C_ji;
* C2: no two C_ji are the same card.

"When the i-th player disproves [a suggestion], an instantiation C_ji = c is obtained"; "in order
to make a suggestion, the CSP searches an assignment for S, W, and R that satisfies (C1)-(C2)".
Passes and cards shown to others are ignored.  `sim.policies.csp` is the compiled player and lists
what the papers leave open; the tests compare it with this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from mcts.kernel.rng import below, derive_key, new_stream
from mcts.limits import one_of
from sim.board import N_ROOMS
from sim.cards import CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON, N_CARDS
from sim.movement import barred_room
from sim.players.paper import PaperPlayer
from sim.policies.csp import WALKS
from sim.rules import Rules
from sim.seat import Seat
from sim.state import ACCUSE, ASK, END, MOVE, PASS, PASSAGE, SUGGEST

KINDS = [[card for card in range(N_CARDS) if kind >> card & 1] for kind in CATEGORY_MASK]
"""The cards that S, W and R may be: suspects, weapons, rooms."""

Assignment = tuple[int, ...]

SPEC = {"_target_": "tests.sim.constraint.Settings", "name": "constraint"}
"""Values by which `sim.players.registry.make` makes it."""


class Constraints:
    """Knowledge of one seat about S, W, R and the C_ji.

    Attributes
    ----------
    instantiated : the cards that some C_ji is known to be, and its own and face-up ones, which no
        variable can be
    hidden : values that S, W or R is known to have, as nobody else holds them
    """

    def __init__(self, own: set[int]) -> None:
        self.own, self.instantiated, self.hidden = own, set(own), set()

    def note_disproof(self, card: int) -> None:
        """Add the instantiation C_ji = ``card``; by C2 one that was there before adds nothing."""
        self.instantiated.add(card)

    def note_silence(self, cards: set[int]) -> None:
        """Add that no C_ji is among the ``cards`` of a suggestion that nobody could disprove."""
        self.hidden |= cards - self.instantiated

    def domain(self, kind: int) -> list[int]:
        """Return the values of S, W or R (``kind`` 0 to 2) that satisfy C1, lowest first."""
        known = [card for card in KINDS[kind] if card in self.hidden]
        return known or [card for card in KINDS[kind] if card not in self.instantiated]

    def assignments(self) -> list[Assignment]:
        """Return all assignments of S, W and R that satisfy C1 and C2."""
        return list(product(*map(self.domain, range(3))))


@dataclass(kw_only=True)
class Settings(Seat):
    """Settings of the player."""

    name: str = one_of("constraint", default="constraint")
    walk: str = one_of(*WALKS, default="nearest")

    def make(self, rules: Rules) -> ConstraintPlayer:
        """Return the player; it fits all rules."""
        return ConstraintPlayer(**vars(self))


class ConstraintPlayer(PaperPlayer):
    """The player in a seat."""

    settings_class = Settings

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        super().begin(rules, seat, view, key)
        mine = self.hand | self.face_up
        self.constraints = Constraints({card for card in range(N_CARDS) if mine >> card & 1})
        self._goal: int | None = None

    def see(self, event: tuple[int, int, int, int]) -> None:
        super().see(event)
        asker, cards, answerer, card = event
        if asker == self.seat:
            if answerer >= 0:
                self.constraints.note_disproof(card)
            else:
                self.constraints.note_silence(
                    {card for card in range(N_CARDS) if cards >> card & 1}
                )

    def act(self, s: np.record) -> int:
        """Return the action: accuse the only assignment, suggest if that is possible, or walk."""
        left = self.constraints.assignments()
        if s.phase != SUGGEST:
            if len(left) == 1:
                suspect, weapon, room = left[0]
                return ACCUSE + 9 * (6 * suspect + weapon - FIRST_WEAPON) + room - FIRST_ROOM
            if s.phase == END:
                return PASS
        here = int(self.world.room_of[s.spot[self.seat]])
        if s.phase == SUGGEST or (here >= 0 and s.summoned[self.seat]):
            return self._suggest(left, self.stream(s))
        barred = max(here, int(barred_room(self.world, s, self.seat)))
        return self._walk(left, int(s.spot[self.seat]), here, barred)

    def stream(self, s: np.record) -> np.ndarray:
        """Return the random numbers of the decision at hand, a stream of its own."""
        return new_stream(derive_key(self.key, int(s.turn), int(s.phase)))

    def _suggest(self, left: list[Assignment], stream: np.ndarray) -> int:
        """Suggest S and W of an assignment, each alike; the room is the one where the pawn is."""
        suspect, weapon = (
            _any(sorted({assignment[kind] for assignment in left}), stream) for kind in (0, 1)
        )
        return ASK + 6 * suspect + weapon - FIRST_WEAPON

    def _walk(self, left: list[Assignment], spot: int, here: int, barred: int) -> int:
        """Return the move towards a room where something can be found out."""
        suspects, weapons, rooms = ({assignment[kind] for assignment in left} for kind in range(3))
        wanted = {room - FIRST_ROOM for room in rooms} - {barred}
        if self.settings.walk == "adjacent" and len(suspects) + len(weapons) > 2:
            if here >= 0 or self._goal is None:
                self._goal = self._nearest(set(range(N_ROOMS)) - {barred}, spot, here)
            room = self._goal
        else:
            room = self._nearest(wanted or set(range(N_ROOMS)) - {barred}, spot, here)
        return PASSAGE if self._has_passage(here, room) else MOVE + room

    def _nearest(self, rooms: set[int], spot: int, here: int) -> int:
        """Return the room in fewest steps; a secret passage is none, of equals the first listed."""

        def far(room: int) -> tuple[int, int]:
            return 0 if self._has_passage(here, room) else int(self.world.steps[room, spot]), room

        return min(rooms, key=far)

    def _has_passage(self, here: int, room: int) -> bool:
        """Return whether a passage leads from the room ``here`` (-1: none) to ``room``."""
        return here >= 0 and self.world.passage[here] == room


def _any(cards: list[int], stream: np.ndarray) -> int:
    """Return one of ``cards``, uniformly; one draw if there are several."""
    return cards[below(stream, len(cards))] if len(cards) > 1 else cards[0]
