"""A hunter that weighs whole suggestions, by what they tell about the whole envelope.

The modern form of `sim.players.hunter`, by the exact posterior: every room is a target, worth the
nats g that its best suggestion tells (`belief.information.mutual`), and a set S of rooms

    B(S) = H (1 - product over S of (1 - g / H)),

H the nats that are open: each suggestion takes its share of what the others left.  A way visits no
more than ``ahead`` rooms.  Where the pawn was summoned to a room, that one is a choice as well.
Nothing here consumes randomness.
"""

from __future__ import annotations

from math import log

import numpy as np

from belief.exact.answers import ANSWERS
from belief.exact.envelope import envelope_table
from belief.information import entropy
from mcts.kernel.compile import jit_owning
from sim.board import N_ROOMS
from sim.cards import FIRST_WEAPON
from sim.hunt.reward import Weights
from sim.players.bayes import BayesPlayer
from sim.players.foresight import CERTAIN, ENVELOPE, NEVER, best_suggestions
from sim.players.moves import reached
from sim.players.names import UNITS
from sim.players.room_hunt import BINS_A_TURN, USUAL, Ways, lengths, open_values, starts
from sim.policies.common import accusation
from sim.policies.walking import SAME, step_out, towards
from sim.rules import Rules
from sim.state import ASK, END, PASS, SUGGEST

CANDIDATES = 3
"""Suggestions in a room that are looked at closely."""


class TrioHunter(BayesPlayer):
    """The player in a seat.

    Parameters
    ----------
    ahead : rooms of a way, at most
    again, threshold, unit, weights : as `sim.players.hunter.HunterPlayer`
    """

    def __init__(
        self,
        ahead: int = 3,
        again: str = "other",
        threshold: float = 0.9,
        unit: str = "bins",
        weights: Weights = USUAL,
        name: str = "hunter",
    ) -> None:
        super().__init__("exact", again, min(threshold, CERTAIN), name)
        self._ahead, self._weights = ahead, weights
        self._turns, self._unit = UNITS.index(unit) == 1, unit
        self._joint, self._table = np.zeros((ANSWERS, 8)), np.zeros((6, 6, 9))
        self._cards, self._bits = np.zeros(CANDIDATES, np.int64), np.zeros(CANDIDATES)

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        super().begin(rules, seat, view, key)
        self._between = lengths(rules, self._unit)

    def decide(self, view: np.recarray) -> int:
        chances, s = self.opinion.update(self.log), view[0]
        if s.phase != SUGGEST:
            envelope = reached(chances, self.threshold)
            if envelope:
                return int(accusation(envelope))
            if s.phase == END:
                return PASS
        spot = int(s.spot[self.seat])
        here = int(self.world.room_of[spot])
        if s.phase == SUGGEST:
            return _asked(self._best(here)[0])
        out = step_out(self.world, s, self.seat) if here >= 0 else -1
        start = np.empty(N_ROOMS)
        starts(self.world, s, self.seat, self._turns, start)
        if here >= 0 and s.summoned[self.seat]:
            start[here] = 1.0 if self._turns else 0.0
        elif here >= 0 and (self._again != SAME or out < 0):
            start[here] = NEVER
        best = [self._best(room) for room in range(N_ROOMS)]
        nats = np.array([bits for _, bits in best]) * log(2)
        envelope_table(self.opinion.exact.posterior.work, self._table)
        whole = float(entropy(self._table.reshape(-1))) * log(2)
        ways = Ways(start, self._between, np.zeros(N_ROOMS), 0.0 if self._turns else BINS_A_TURN)
        room = int(open_values(shares(nats, whole, self._ahead), ways, self._weights).argmax())
        if room != here:
            return int(towards(self.world, s, self.seat, room))
        return _asked(best[here][0]) if s.summoned[self.seat] else int(out)

    def _best(self, room: int) -> tuple[int, float]:
        """Return the best suggestion in ``room``, a mask, and its bits."""
        turns = np.full(N_ROOMS, NEVER)
        turns[room] = 0.0
        exact = self.opinion.exact
        best_suggestions(
            exact.evidence,
            exact.posterior.work,
            turns,
            0.0,
            ENVELOPE,
            self._joint,
            self._cards,
            self._bits,
        )
        return int(self._cards[0]), float(self._bits[0])


def _asked(cards: int) -> int:
    suspect = (cards & -cards).bit_length() - 1
    weapon = (cards >> FIRST_WEAPON & 0x3F).bit_length() - 1
    return ASK + 6 * suspect + weapon


@jit_owning
def shares(nats: np.ndarray, whole: float, ahead: int) -> np.ndarray:
    """Return B of every set of at most ``ahead`` rooms, float64 (2**r,); - infinity of others."""
    size = 1 << len(nats)
    left, rooms = np.ones(size), np.zeros(size, np.int64)
    found = np.zeros(size)
    for room in range(len(nats)):
        for rest in range(1 << room):
            both = rest | 1 << room
            left[both] = left[rest] * (1.0 - min(1.0, nats[room] / whole))
            rooms[both] = rooms[rest] + 1
            found[both] = whole * (1.0 - left[both]) if rooms[both] <= ahead else -np.inf
    return found
