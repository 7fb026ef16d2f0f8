"""A player that goes to the room of most gain, and else plays as the Bayesian-network player does.

It believes, suggests and accuses as `sim.players.bayes`; a player of its kind says by `gains` what
each room promises.  The room where the pawn stands is a choice as well: where it was summoned it
suggests at once, else it steps out in front of the door, to come back.  Where the rules or a pawn
keep it from that, that room is no choice.  Of equal rooms the first listed is taken, so nothing is
drawn.
"""

from __future__ import annotations

import numpy as np

from sim.board import N_ROOMS
from sim.cards import FIRST_ROOM
from sim.players.moves import reached, suggestion
from sim.players.paper import Opinion, PaperPlayer
from sim.policies.common import accusation
from sim.policies.walking import step_out, towards
from sim.rules import Rules
from sim.state import END, PASS, SUGGEST


class RoomPlayer(PaperPlayer):
    """The common part; a player of its kind has `gains`.

    Parameters
    ----------
    evidence : one of `sim.players.names.EVIDENCE`
    threshold : probability from which on a card counts as known

    Attributes
    ----------
    opinion : what it believes in the game under way
    """

    def __init__(self, evidence: str, threshold: float, name: str) -> None:
        super().__init__(name)
        self.evidence, self.threshold = evidence, float(threshold)

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        super().begin(rules, seat, view, key)
        self.opinion = Opinion(self.evidence, rules, seat, self.hand, self.face_up)

    def act(self, s: np.record) -> int:
        chances = self.opinion.update(self.log)
        if s.phase != SUGGEST:
            envelope = reached(chances, self.threshold)
            if envelope:
                return accusation(envelope)
            return PASS if s.phase == END else self.walk(s)
        return suggestion(chances, self.hand, self.threshold)

    @property
    def rooms(self) -> np.ndarray:
        """The probability (9,) of each room to be the hidden one."""
        return self.opinion.chances[FIRST_ROOM:]

    def gains(self, s: np.record) -> np.ndarray:
        """Return what going to each room promises (9,), at the start of a turn."""
        raise NotImplementedError(f"{self.name} prefers no room")

    def choose(self, s: np.record, barred: int) -> int:
        """Return the room of most gain, other than ``barred`` (-1: none is)."""
        gains = np.array(self.gains(s), float)
        if barred >= 0:
            gains[barred] = -np.inf
        return int(gains.argmax())

    def walk(self, s: np.record) -> int:
        """Return the way to the chosen room, or the suggestion there."""
        here = int(self.world.room_of[s.spot[self.seat]])
        summoned = bool(s.summoned[self.seat])
        out = step_out(self.world, s, self.seat)
        room = self.choose(s, here if out < 0 and not summoned else -1)
        if room != here:
            return towards(self.world, s, self.seat, room)
        return suggestion(self.opinion.chances, self.hand, self.threshold) if summoned else out


def visits(log: np.recarray, seat: int) -> np.ndarray:
    """Return how often ``seat`` suggested in each room (9,) by the events of its ``log``."""
    asked = log.cards[log.asker == seat] >> FIRST_ROOM
    return (asked[:, None] >> np.arange(N_ROOMS) & 1).sum(axis=0)
