"""Contract of a seat: what the referee asks of a player.

A compiled policy plays inside the state machine.  Everybody else is handed views (`sim.view`) and
the suggestions as its seat saw them, and never the hidden state.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mcts.kernel.errors import SleuthError
from sim.policies.registry import Policy, policy
from sim.rules import Rules


class IllegalAction(SleuthError, ValueError):
    """A player chose an action that the rules do not allow here."""


class Player:
    """A seat's occupant; the defaults are those of a compiled policy.

    Attributes
    ----------
    name : for reports
    policy : the compiled policy, or None for a player that is asked to `decide`
    picks_cards : whether it is also asked which card to show; otherwise ``showing`` decides
    showing : which of several cards is shown, one of `sim.policies.registry.SHOWING`
    decisions, simulations, search_seconds : spent in the game under way
    faults : of a program from outside, in the game under way
    """

    policy: Policy | None = None
    picks_cards = False
    showing = "random"
    decisions = 0
    simulations = 0
    search_seconds = 0.0
    faults = 0

    def __init__(self, name: str) -> None:
        self.name = name

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        """Take ``seat`` in a new game; ``view`` shows the own hand, ``key`` names own chance."""

    def see(self, event: tuple[int, int, int, int]) -> None:
        """Take note of a suggestion and its answer: (asker, cards, answerer, card or -1)."""

    def decide(self, view: np.recarray) -> int:
        """Return a legal action; ``view`` is one `sim.state.STATE` as this seat sees it."""
        raise NotImplementedError(f"{self.name} does not decide")

    def believes(self) -> dict[str, Any] | None:
        """Return what it believes now, in values for JSON, for records that hold it.

        The keys ``evidence``, ``envelope`` and ``tables`` of `sim.records.events`; None: nothing.
        """
        return None


class PolicyPlayer(Player):
    """A compiled policy in a seat."""

    def __init__(self, which: Policy | str, name: str | None = None) -> None:
        self.policy = policy(which)
        super().__init__(name or self.policy.name)
