"""Entropy: the suggestion with the most information less the price of its expected turns [Xu 2013].

The draft specifies belief (exact), distances (expected turns) and gain (entropy), but no player;
the rest is ours.  The next room and trio maximise the bits about the three named cards under the
exact posterior, less ``price`` per expected turn.  Only the trios with the highest information by
the closed form on the exact marginals are evaluated.  With a ratio instead of the difference it is
`sim.policies.greedy`.  It is deterministic.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from belief.evidence import Evidence, EvidenceFull, lowest
from belief.exact import solver
from belief.exact.answers import ANSWERS, predict_named
from belief.information import closed_form, mutual
from mcts.kernel.compile import jit
from mcts.limits import above, between, one_of
from sim.board import N_ROOMS
from sim.cards import FIRST_ROOM, FIRST_WEAPON
from sim.movement import barred_room
from sim.players.paper import PaperPlayer
from sim.policies import greedy
from sim.policies.common import PAIRS, last_chance, may_accuse
from sim.policies.walking import NEVER, step_out, towards, turns_now
from sim.rules import Rules
from sim.seat import Seat
from sim.state import ASK, END, EVIDENCE, PASS, SUGGEST, TURN, State
from sim.view import replay_evidence

_ENVELOPE = 7
"""All three named cards, as bits by category."""

_ALIKE = 1e-9
"""Trios in one room whose values differ by less are equivalent; only one is evaluated."""


@dataclass(kw_only=True)
class Settings(Seat):
    """Settings of the player, as in ``conf/player/entropy.yaml``.

    Attributes
    ----------
    price : price of an expected turn, in bits
    threshold : minimum probability for an accusation; 1 waits for certainty
    candidates : number of suggestions evaluated closely
    """

    name: str = one_of("entropy", default="entropy")
    price: float = between(0, 1000, default=0.25)
    threshold: float = above(0, 1, default=1.0)
    candidates: int = between(1, 1000, default=6)

    def make(self, rules: Rules) -> EntropyPlayer:
        """Return the player; it supports all rules."""
        return EntropyPlayer(**vars(self))


class EntropyPlayer(PaperPlayer):
    """The player in a seat."""

    settings_class = Settings

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        super().begin(rules, seat, view, key)
        self.decisions, self.search_seconds = 0, 0.0
        self._work, self._joint = solver.workspace(), np.zeros((ANSWERS, 8))

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
        """Return the action with the highest value in ``s``, a view with the seat's evidence.

        Raises belief.evidence.ContradictoryEvidence if no deal explains the evidence,
        belief.evidence.EvidenceFull if the posterior does not fit into memory.
        """
        seat = self.seat
        facts = s.evidence[seat]
        self._solve(facts)
        if may_accuse(self.world, s):
            enough = 0.0 if last_chance(self.world, s) else self.settings.threshold
            accused = greedy.likely_accusation(self._work, enough)
            if accused >= 0:
                return int(accused)
        if s.phase == END:
            return PASS
        here = int(self.world.room_of[s.spot[seat]])
        turns = np.full(N_ROOMS, NEVER)
        if s.phase == SUGGEST:
            turns[here] = 0.0
        else:
            turns_now(self.world, s, seat, turns)
            if here < 0 and (left := int(barred_room(self.world, s, seat))) >= 0:
                turns[left] = NEVER
            out = step_out(self.world, s, seat) if here >= 0 and turns[here] > 1.0 else PASS
            if out < 0:
                turns[here] = NEVER
        cards = self.choose(facts, turns)[0]
        room = (cards >> FIRST_ROOM).bit_length() - 1
        if s.phase == TURN and (room != here or turns[room] > 1.0):
            return int(out if room == here else towards(self.world, s, seat, room))
        suspect = (cards & -cards).bit_length() - 1
        weapon = (cards >> FIRST_WEAPON & 0x3F).bit_length() - 1
        return ASK + 6 * suspect + weapon

    def _solve(self, facts: Evidence) -> None:
        if not solver.solve(facts, self._work):
            exact = solver.ExactPosterior(facts, self._work)
            if exact.parts > 1:
                raise EvidenceFull("the posterior is too wide for the entropy player")
            self._work = exact.work

    def choose(self, facts: Evidence, turns: np.ndarray) -> tuple[int, float]:
        """Return the mask of the best suggestion, and its value, after `act` has solved ``facts``.

        ``turns`` (9,): expected turns to each room, `NEVER` excludes.
        """
        n = self.settings.candidates
        cards, values = np.zeros(n, np.int64), np.zeros(n)
        given = float(self.settings.price), self._joint, cards, values
        best_suggestions(facts, self._work, turns, *given)
        return int(cards[0]), float(values[0])


@jit
def best_suggestions(
    ev: Evidence,
    work,
    turns: np.ndarray,
    price: float,
    joint: np.ndarray,
    cards: np.ndarray,
    values: np.ndarray,
) -> int:
    """Find the suggestions with the most bits less ``price`` per turn; return their number.

    Parameters
    ----------
    ev, work : evidence of the seat, and a workspace solved for it
    turns : (9,) expected turns to each room, `NEVER` excludes
    joint : (19, 8) scratch
    cards, values : (n,) overwritten, best first: masks of the named cards, and their values
    """
    found = 0
    for room in range(N_ROOMS):
        if turns[room] == NEVER:
            continue
        for pair in range(PAIRS):
            suspect, weapon = pair // 6, FIRST_WEAPON + pair % 6
            named = 1 << suspect | 1 << weapon | 1 << (FIRST_ROOM + room)
            bits = closed_form(work.marginals, ev.seat, suspect, weapon, FIRST_ROOM + room)
            found = _insert(cards, values, found, named, bits - price * turns[room])
    for i in range(found):  # re-rank the best by the exact information about the named cards
        named = cards[i]
        predict_named(ev, work, named, _ENVELOPE, joint)
        value = mutual(joint) - price * turns[lowest(named >> FIRST_ROOM)]
        at = i
        while at > 0 and values[at - 1] < value:
            values[at], cards[at] = values[at - 1], cards[at - 1]
            at -= 1
        values[at], cards[at] = value, named
    return found


@jit
def _insert(cards: np.ndarray, values: np.ndarray, found: int, named: int, value: float) -> int:
    if found == len(cards) and value <= values[found - 1]:
        return found
    for i in range(found):
        if abs(values[i] - value) < _ALIKE and cards[i] >> FIRST_ROOM == named >> FIRST_ROOM:
            return found
    at = found if found < len(cards) else found - 1
    while at > 0 and values[at - 1] < value:
        values[at], cards[at] = values[at - 1], cards[at - 1]
        at -= 1
    values[at], cards[at] = value, named
    return min(found + 1, len(cards))
