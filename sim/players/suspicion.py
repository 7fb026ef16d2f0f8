"""A player that plays on the probability of each card to be hidden [Cai & Ferrari 2006, s. IV-B].

What the players of two papers have in common: they accuse when the likeliest suspect, weapon and
room each reach a threshold, suggest a suspect and a weapon that are neither known nor ruled out,
and differ in where they walk (`Suspicious.walk`).  Where a rule leaves a choice, the likeliest
card is taken, the first listed of equal ones; so nothing is drawn.

`EVIDENCE` names what they may believe: the evidence tables as printed or repaired, or the exact
posterior.
"""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np

from belief.beliefs.base import Belief
from belief.beliefs.registry import BELIEFS, make
from belief.evidence import CATEGORY_START, ENVELOPE
from mcts.kernel.rng import new_stream
from sim.cards import FIRST_ROOM, FIRST_WEAPON
from sim.game import legal
from sim.planning.suggestion_events import setting_of, suggestion_events
from sim.players.player import Player
from sim.rules import Rules, world
from sim.state import ACCUSE, ASK, END, N_ACTIONS, PASS, SUGGEST

EVIDENCE = {"text": "tables_text", "repaired": "tables_repaired", "exact": "exact"}
"""The beliefs, by the switch ``evidence``."""

_KINDS = tuple(slice(first, last) for first, last in pairwise(CATEGORY_START))
"""Suspects, weapons and rooms."""


class Suspicious(Player):
    """The common part; a subclass has `walk`.

    Parameters
    ----------
    evidence : key of `EVIDENCE`
    threshold : of the three cards, above 0 and at most 1
    showing : which of several cards it shows, one of `sim.policies.table.SHOWING`

    Raises
    ------
    ValueError
        On an impossible value, in one sentence.
    """

    def __init__(self, name: str, evidence: str, threshold: float, showing: str) -> None:
        if evidence not in EVIDENCE:
            raise ValueError(f"evidence must be one of {', '.join(EVIDENCE)}, got {evidence!r}")
        if not 0.0 < threshold <= 1.0:
            raise ValueError(f"threshold must be above 0 and at most 1, got {threshold}")
        super().__init__(name)
        self.evidence, self.threshold, self.showing = evidence, threshold, showing
        self._options = np.empty(N_ACTIONS, np.int64)

    def check(self, rules: Rules) -> None:
        """Raise ValueError, in one sentence, if the player does not fit ``rules``."""
        if not rules.board:
            raise ValueError(f"{self.name} walks on a board, and rules={rules.name} has none")
        if BELIEFS[EVIDENCE[self.evidence]].needs_shares and rules.shares is None:
            raise ValueError(
                f"{self.name} with evidence={self.evidence} needs hands by category, which rules="
                f"{rules.name} does not deal: choose rules=ferrari2009, rules=cai2006 or "
                "evidence=exact"
            )

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        """Take ``seat`` in a new game; ``key`` names nothing, for nothing is drawn."""
        self.check(rules)
        self.decisions, self.search_seconds = 0, 0.0
        self._rules, self._world, self._seat = rules, world(rules)[0], seat
        self._hand = int(view[0].hand[seat])
        setting = setting_of(rules, seat, self._hand, int(view[0].face_up))
        self._belief: Belief = make(EVIDENCE[self.evidence], setting, new_stream(key))
        self._chance: np.ndarray | None = None

    def see(self, event: tuple[int, int, int, int]) -> None:
        """Take in a suggestion with its answer."""
        self._belief.observe(suggestion_events([event], self._seat, self._rules.players)[0])
        self._chance = None

    @property
    def chance(self) -> np.ndarray:
        """The probability (21,) of each card to be hidden, by what was seen."""
        if self._chance is None:
            self._chance = self._belief.marginals()[:, ENVELOPE].copy()
        return self._chance

    def decide(self, view: np.recarray) -> int:
        """Return what to do at ``view``."""
        began = time.perf_counter()
        action = self._action(view[0])
        self.decisions += 1
        self.search_seconds += time.perf_counter() - began
        return action

    def _action(self, s: np.record) -> int:
        if s.phase != SUGGEST and (accusation := self.accusation()) is not None:
            return accusation
        if s.phase == END:
            return PASS
        return self.suggestion() if s.phase == SUGGEST else self.walk(s)

    def accusation(self) -> int | None:
        """Return the accusation of the three likeliest cards, None if one is not likely enough."""
        suspect, weapon, room = (int(self.chance[kind].argmax()) for kind in _KINDS)
        if min(self.chance[kind].max() for kind in _KINDS) < self.threshold:
            return None
        return ACCUSE + 9 * (6 * suspect + weapon) + room

    def suggestion(self) -> int:
        """Return the suggestion to make in the room where the pawn is."""
        suspect, weapon = self._named(0), self._named(1)
        return ASK + 6 * suspect + weapon - FIRST_WEAPON

    def _named(self, kind: int) -> int:
        """Return the likeliest card that is in doubt, else an own one, else the likeliest."""
        first, chance = CATEGORY_START[kind], self.chance[_KINDS[kind]]
        doubtful = np.where(chance < self.threshold, chance, 0)
        if doubtful.max() > 0:
            return int(first + doubtful.argmax())
        own = [card for card in range(first, CATEGORY_START[kind + 1]) if self._hand >> card & 1]
        return own[0] if own else int(first + chance.argmax())

    def walk(self, s: np.record) -> int:
        """Return what to do at the start of a turn; ``s`` is what the seat sees."""
        raise NotImplementedError(f"{self.name} does not walk")

    @property
    def rooms(self) -> np.ndarray:
        """The probability (9,) of each room to be the hidden one."""
        return self.chance[FIRST_ROOM:]

    def legal(self, s: np.record) -> list[int]:
        """Return the legal actions."""
        return self._options[: legal(self._world, s, self._options)].tolist()
