"""Contract between the referee and a player.

A compiled policy plays inside the state machine.  Every other player receives views (`sim.view`)
and the suggestions as its seat saw them, never the hidden state.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mcts.kernel.errors import SleuthError
from sim.policies.registry import Policy, policy
from sim.rules import Rules


class IllegalAction(SleuthError, ValueError):
    """A player chose an action that is illegal here."""


class Player:
    """The player in a seat; defaults are those of a compiled policy.

    Attributes
    ----------
    name : for reports
    policy : the compiled policy, or None for a player that implements `decide`
    picks_cards : whether it also decides which card to show; otherwise ``showing`` does
    showing : rule for choosing the card to show, one of `sim.policies.registry.SHOWING`
    decisions, simulations, search_seconds : totals of the current game
    faults : faults of an external program in the current game
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
        """Start a new game in ``seat``; ``view`` shows its hand, ``key`` seeds its randomness."""

    def see(self, event: tuple[int, int, int, int]) -> None:
        """Observe a suggestion and its answer: (asker, cards, answerer, card or -1)."""

    def decide(self, view: np.recarray) -> int:
        """Return a legal action; ``view`` is a `sim.state.STATE` as seen by this seat."""
        raise NotImplementedError(f"{self.name} does not decide")

    def believes(self) -> dict[str, Any] | None:
        """Return the current belief as JSON values for records, or None.

        Keys: ``evidence``, ``envelope`` and ``tables`` (`sim.records.events`).
        """
        return None


class PolicyPlayer(Player):
    """A compiled policy in a seat."""

    def __init__(self, which: Policy | str, name: str | None = None) -> None:
        self.policy = policy(which)
        super().__init__(name or self.policy.name)
