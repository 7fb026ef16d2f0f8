"""Settings that every player has, and those of a compiled policy in a seat.

The preset ``conf/player/NAME.yaml`` of a player names a class such as `Settings` by ``_target_``:
its fields are the keys of the preset, with types and ranges (`mcts.limits`), and its `make` returns
the player.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from mcts.limits import check, one_of
from sim.player import Player, PolicyPlayer
from sim.policies.table import SHOWING, Policy, switches_of
from sim.rules import Rules


@dataclass(kw_only=True)
class Seat:
    """Settings of a player.

    Attributes
    ----------
    name : of the player
    label : its name in results; None: `name`
    showing : rule by which it chooses among several cards to show
    """

    name: str
    label: str | None = None
    showing: str = one_of(*SHOWING, default="random")

    def __post_init__(self) -> None:
        check(self)

    @property
    def title(self) -> str:
        """The name in results."""
        return self.label or self.name

    def record(self) -> dict[str, Any]:
        """Return all values, nested as in the preset."""
        return asdict(self)

    def make(self, rules: Rules) -> Player:
        """Return the player, for games under ``rules``.

        ValueError if the rules do not fit it, in one sentence.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Settings(Policy):
    """Settings of a compiled policy: those switches of `Policy` that it has."""

    label: str | None = None

    @property
    def policy(self) -> Policy:
        """The policy, without its label."""
        return Policy(**{each.name: getattr(self, each.name) for each in fields(Policy)})

    def record(self) -> dict[str, Any]:
        """Return name, label, rule of showing and the switches that the policy has."""
        keys = ("name", "label", "showing", *switches_of(self.name))
        return {key: getattr(self, key) for key in keys}

    def make(self, rules: Rules) -> Player:
        """Return the player; it fits all ``rules``."""
        return PolicyPlayer(self.policy, self.label or self.name)
