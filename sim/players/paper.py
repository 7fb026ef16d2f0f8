"""Common parts of the papers' players: observations and beliefs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from belief.beliefs.evidence_tables import TablesBelief
from belief.beliefs.registry import BELIEFS
from mcts.limits import above, one_of
from sim.player import Player
from sim.policies.common import avoid_repeat
from sim.records.events import names
from sim.rules import Rules, world
from sim.seat import Seat
from sim.suggestion_events import setting_of, suggestion_events
from sim.view import Log

EVIDENCE = ("repaired", "text", "text2006", "exact")
"""Beliefs of these players: evidence tables with our repairs, by the text of [Ferrari & Cai 2009,
App. V] or of [Cai & Ferrari 2006, s. III-C], or the exact posterior."""


_DECIMALS = 9
"""Decimals of recorded probabilities."""


@dataclass(kw_only=True)
class Believing(Seat):
    """Settings of a player with a belief of `EVIDENCE`.

    Attribute ``threshold``: minimum probability of a known card.
    """

    evidence: str = one_of(*EVIDENCE, default="repaired")
    threshold: float = above(0, 1, default=0.9)

    def check_hands(self, rules: Rules) -> None:
        """Raise ValueError if the evidence needs hands by category, which ``rules`` do not deal."""
        if self.evidence != "exact" and not rules.shares:
            raise ValueError(
                f"player={self.name} with evidence={self.evidence} needs hands by category, which "
                f"rules={rules.name} does not deal: give rules=ferrari2009 or rules=cai2006, or "
                "evidence=exact"
            )


class PaperPlayer(Player):
    """A player that logs its observations and returns one action at a time.

    Subclasses implement `act`.  Keywords are the fields of ``settings_class``, with its ValueError.

    Attributes
    ----------
    settings : its settings
    world : rules and board, one `sim.rules.WORLD`
    rules, seat, key : of the current game
    hand, face_up : its cards, and the face-up cards (masks)
    log : all suggestions as its seat saw them
    """

    settings_class: type[Seat]

    def __init__(self, **values: Any) -> None:
        self.settings: Any = self.settings_class(**values)
        super().__init__(self.settings.title)
        self.showing = self.settings.showing

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        self.rules, self.seat, self.key = rules, seat, key
        self.world = world(rules)[0]
        self.hand, self.face_up = int(view[0].hand[seat]), int(view[0].face_up)
        self.log = Log()

    def see(self, event: tuple[int, int, int, int]) -> None:
        self.log.append(event)

    def decide(self, view: np.recarray) -> int:
        return self.avoid_repeat(view[0], self.act(view[0]))

    def avoid_repeat(self, s: np.record, action: int) -> int:
        """Return ``action``, or its replacement if it would repeat a suggestion."""
        return int(avoid_repeat(self.world, s, self.seat, action))

    def act(self, s: np.record) -> int:
        """Return a legal action; ``s`` is this seat's view."""
        raise NotImplementedError(f"{self.name} does not act")


class BelievingPlayer(PaperPlayer):
    """A player with an `Opinion` in the current game; its settings are `Believing`."""

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        super().begin(rules, seat, view, key)
        self.threshold = float(self.settings.threshold)
        self.opinion = Opinion(self.settings.evidence, rules, seat, self.hand, self.face_up)

    def believes(self) -> dict[str, Any]:
        self.opinion.update(self.log)
        return self.opinion.describe()


class Opinion:
    """Belief of one seat about the envelope during a game.

    ``evidence``: one of `EVIDENCE`; ``rules``, ``seat``, ``hand``, ``face_up``: initial knowledge.
    Attributes ``chances``: float64 (21,), P(card is in the envelope), each category summing to 1;
    ``belief``: the `belief.beliefs.base.Belief` behind them.
    """

    def __init__(self, evidence: str, rules: Rules, seat: int, hand: int, face_up: int) -> None:
        name = evidence if evidence == "exact" else f"tables_{evidence}"
        self.belief = BELIEFS[name](setting_of(rules, seat, hand, face_up))
        self.chances = self.belief.envelope_chances()
        self._evidence, self._seat, self._players, self._told = evidence, seat, rules.players, 0

    def update(self, log: Log) -> np.ndarray:
        """Process new events of ``log``; return `chances`, the same array each time."""
        if len(log) > self._told:
            new = log.rows[self._told :].tolist()
            self.belief.observe(suggestion_events(new, self._seat, self._players)[0])
            self.chances[:] = self.belief.envelope_chances()
            self._told = len(log)
        return self.chances

    def describe(self) -> dict[str, Any]:
        """Return the belief as JSON values with 9 decimals: the histories of s. IV-B of 2006.

        Tables are null for the exact posterior, else by category the cards of the columns, the
        players of the rows, and the entries.
        """
        tables = None
        if isinstance(self.belief, TablesBelief):
            t = self.belief.tables
            tables = [
                {
                    "cards": names(sum(1 << card for card in t.card[kind, :n].tolist())),
                    "owners": t.owner[kind, : n - 1].tolist(),
                    "entries": t.entry[kind, : n - 1, :n].round(_DECIMALS).tolist(),
                }
                for kind, n in enumerate(t.columns.tolist())
            ]
        envelope = self.chances.round(_DECIMALS).tolist()
        return {"evidence": self._evidence, "envelope": envelope, "tables": tables}
