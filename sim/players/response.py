"""The best response to an opponent model as a player: a planner's roll-out policy, without search.

It is the control for the gain of search over a policy chosen against the same model.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from mcts.limits import one_of
from sim.models.best_response import best_response
from sim.player import Player
from sim.players.planner import ModelSwitches, choose_policy
from sim.policies.registry import NAMES, Policy
from sim.rules import Rules
from sim.seat import Seat


class Response(Player):
    """A compiled policy, chosen at first use, which can take some thousand games."""

    def __init__(self, rules: Rules, own: Policy, model: Policy, name: str) -> None:
        self._given = rules, own, model
        super().__init__(name)

    @cached_property
    def policy(self) -> Policy:
        """The policy that wins the most games against the model."""
        return best_response(*self._given)


@dataclass(kw_only=True)
class Settings(Seat):
    """Settings of the player, as in ``conf/player/response.yaml``.

    Attributes ``policy``: policy whose switches are chosen; ``opponents``, ``model``: modelled
    policy of the opponents, and its switches.
    """

    name: str = one_of("response", default="response")
    policy: str = one_of(*NAMES)
    opponents: str = one_of(*NAMES)
    model: ModelSwitches

    def make(self, rules: Rules) -> Response:
        """Return the player; it supports all rules."""
        model = choose_policy(self.opponents, self.model)
        return Response(rules, Policy(self.policy), model, self.title)
