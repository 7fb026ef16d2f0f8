"""Turn by turn, the bits that each seat of a game had left: they follow from its events."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from experiments.web.analysis.notebook import Knowledge, notebook
from sim.records.events import Event
from sim.rules import Rules

_INFORMATIVE = ("deal", "suggestion", "refute", "show", "accusation")
"""Events after which a seat may know more."""

Bits = tuple[float | None, ...]
"""By seat, entropy of the envelope under the exact posterior; None: it does not fit in memory."""


class Entropies:
    """The bits of all seats of a game; turns that are over are computed once.

    Attribute ``rules``: of the game.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._turns: list[tuple[int, Bits]] = []
        self._at = 0
        self._working = threading.Lock()

    def turns(self, events: Sequence[Event]) -> list[tuple[int, Bits]]:
        """Return number and bits of the turns that are over, the deal first.

        ``events``: all that have been shown of the game; each time as many or more.
        """
        with self._working:
            for end in range(self._at, len(events) - 1):
                if events[end]["turn"] < events[end + 1]["turn"]:
                    self._add(events[self._at : end + 1], events[: end + 1])
                    self._at = end + 1
            return list(self._turns)

    def _add(self, turn: Sequence[Event], events: Sequence[Event]) -> None:
        learnt = any(event["event"] in _INFORMATIVE for event in turn)
        bits = self._turns[-1][1] if self._turns and not learnt else self._bits(events)
        self._turns.append((turn[0]["turn"], bits))

    def _bits(self, events: Sequence[Event]) -> Bits:
        known = (Knowledge.of(self.rules, seat, events) for seat in range(self.rules.players))
        return tuple(notebook(one, chance=True)["bits"] for one in known)
