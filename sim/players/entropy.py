"""Entropy: suggestions with the most information less expected turns, one to three ahead [Xu 2013].

The draft specifies belief (exact), distances (expected turns) and gain (entropy), but no player;
the rest is ours.  State: the pawn's spot, the exact posterior, the room of the last suggestion.
Action: the next room and trio.  Reward: the drop of the envelope's entropy in bits, less ``price``
per expected turn (`sim.players.foresight`).  With horizon 1 and a ratio instead of the difference
it is `sim.policies.greedy`.  It is deterministic.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from mcts.limits import above, between, one_of
from sim.board import N_ROOMS
from sim.cards import FIRST_ROOM, FIRST_WEAPON
from sim.movement import barred_room
from sim.players.foresight import ENVELOPE, NEVER, ROOM, Foresight, turns_now
from sim.players.paper import PaperPlayer
from sim.policies import greedy
from sim.policies.common import last_chance, may_accuse
from sim.policies.walking import step_out, towards
from sim.rules import Rules
from sim.seat import Seat
from sim.state import ASK, END, EVIDENCE, PASS, SUGGEST, TURN, State
from sim.view import replay_evidence

ABOUT = {"envelope": ENVELOPE, "room": ROOM}
"""Targets: all hidden cards, or only the room card (a control)."""


@dataclass(kw_only=True)
class Settings(Seat):
    """Settings of the player, as in ``conf/player/entropy.yaml``.

    Attributes
    ----------
    horizon : number of suggestions ahead; fewer if the game ends before
    price : price of an expected turn, in bits
    threshold : minimum probability for an accusation; 1 waits for certainty
    same_room : whether it may suggest in the same room twice in a row
    candidates : number of suggestions evaluated at each step
    about : one of `ABOUT`
    """

    name: str = one_of("entropy", default="entropy")
    horizon: int = between(1, 3, default=1)
    price: float = between(0, 1000, default=0.25)
    threshold: float = above(0, 1, default=1.0)
    same_room: bool = True
    candidates: int = between(1, 1000, default=6)
    about: str = one_of(*ABOUT, default="envelope")

    def make(self, rules: Rules) -> EntropyPlayer:
        """Return the player; it supports all rules."""
        return EntropyPlayer(**vars(self))


class EntropyPlayer(PaperPlayer):
    """The player in a seat."""

    settings_class = Settings

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        super().begin(rules, seat, view, key)
        self.decisions, self.search_seconds, self._last = 0, 0.0, -1
        chosen = self.settings
        weights = chosen.price, chosen.candidates, ABOUT[chosen.about], chosen.same_room
        self._foresight = Foresight(rules, seat, *weights, chosen.threshold)

    def see(self, event: tuple[int, int, int, int]) -> None:
        super().see(event)
        asker, cards, _, _ = event
        if asker == self.seat:
            self._last = (cards >> FIRST_ROOM).bit_length() - 1

    def decide(self, view: np.recarray) -> int:
        began = time.perf_counter()
        s = view.copy()[0]
        s.tracks[self.seat] = EVIDENCE
        replay_evidence(self.world, s, self.seat, self.log.events)
        action = self.avoid_repeat(s, self.act(s))
        self.decisions += 1
        self.search_seconds += time.perf_counter() - began
        return action

    def act(self, s: State) -> int:
        """Return the action with the highest value in ``s``, a view with the seat's evidence."""
        ahead, seat = self._foresight, self.seat
        facts = s.evidence[seat]
        ahead.solve(facts)
        if may_accuse(self.world, s):
            enough = 0.0 if last_chance(self.world, s) else self.settings.threshold
            accused = greedy.likely_accusation(ahead.work, enough)
            if accused >= 0:
                return int(accused)
        if s.phase == END:
            return PASS
        spot = int(s.spot[seat])
        here = int(self.world.room_of[spot])
        turns = np.full(N_ROOMS, NEVER)
        if s.phase == SUGGEST:
            turns[here] = 0.0
        else:
            turns_now(self.world, s, seat, turns)
            ahead.bar(turns, self._last)
            if here < 0 and (left := int(barred_room(self.world, s, seat))) >= 0:
                turns[left] = NEVER
            out = step_out(self.world, s, seat) if here >= 0 and turns[here] > 1.0 else PASS
            if out < 0:
                turns[here] = NEVER
        cards = ahead.choose(facts, turns, spot, self._steps(s))
        room = (cards >> FIRST_ROOM).bit_length() - 1
        if s.phase == TURN and (room != here or turns[room] > 1.0):
            return int(out if room == here else towards(self.world, s, seat, room))
        suspect = (cards & -cards).bit_length() - 1
        weapon = (cards >> FIRST_WEAPON & 0x3F).bit_length() - 1
        return ASK + 6 * suspect + weapon

    def _steps(self, s: State) -> int:
        """Return the horizon, limited to suggestions that an accusation can still follow."""
        playing = self.rules.players - int(s.out[: self.rules.players].sum())
        turns = 1 + (self.rules.turn_cap - int(s.turn)) // playing
        useful = turns if self.world.accuse else turns - 1
        return max(1, min(self.settings.horizon, useful))
