"""The best response to what the others are taken for, as a player: planners' roll-outs, no search.

It is the control that tells what searching adds to a policy that was chosen against the same model.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from sim.models.best_response import best_response
from sim.player import Player
from sim.players.registry import modelled
from sim.policies.table import Policy
from sim.rules import Rules


class Response(Player):
    """A compiled policy, chosen when it is first asked for: that may take some thousand games."""

    def __init__(self, rules: Rules, own: Policy, model: Policy, name: str) -> None:
        self._asked = rules, own, model
        super().__init__(name)

    @cached_property
    def policy(self) -> Policy:
        """The policy that wins most against the model."""
        return best_response(*self._asked)


def make(spec: Mapping[str, Any], rules: Rules) -> Response:
    """Return the player that ``spec`` describes: ``policy``, ``opponents`` and their ``model``."""
    model = modelled(spec["opponents"], spec["model"])
    return Response(rules, Policy(spec["policy"]), model, spec.get("label") or spec["name"])
