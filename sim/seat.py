"""Settings common to all players, and those of a compiled policy.

The ``_target_`` of a preset ``conf/player/NAME.yaml`` is a class such as `Settings`: its fields are
the keys of the preset, with types and ranges (`mcts.limits`), and its `make` returns the player.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mcts.limits import build, check, one_of
from sim.player import Player, PolicyPlayer
from sim.policies.registry import SHOWING, Policy, make_switches
from sim.rules import Rules
from sim.state import SWITCHES


@dataclass(kw_only=True)
class Seat:
    """Settings of a player.

    Attributes
    ----------
    name : name of the player
    label : name in results; None: `name`
    showing : rule for choosing among several cards to show
    """

    name: str
    label: str | None = None
    showing: str = one_of(*SHOWING, default="random")

    def __post_init__(self) -> None:
        check(self)

    @property
    def title(self) -> str:
        """Name in results."""
        return self.label or self.name

    def record(self) -> dict[str, Any]:
        """Return all values, nested like the preset."""
        return asdict(self)

    def make(self, rules: Rules) -> Player:
        """Return the player for games under ``rules``.

        Raises ValueError if the player does not support the rules.
        """
        raise NotImplementedError


@dataclass(kw_only=True)
class Settings(Seat):
    """Settings of a compiled policy; its switches are also keys."""

    switches: Any

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Settings:
        """Return the settings in ``values``; ValueError like `mcts.limits.build`."""
        own = {key: value for key, value in values.items() if key in ("name", "label", "showing")}
        seat = build(Seat, own)
        usual = make_switches(seat.name)
        others = {key: values[key] for key in values if key in SWITCHES and not hasattr(usual, key)}
        Policy(seat.name, **others)  # rejects non-default values
        rest = {key: values[key] for key in values if key not in own and key not in others}
        switches = build(type(usual), rest)
        return cls(name=seat.name, label=seat.label, showing=seat.showing, switches=switches)

    @property
    def policy(self) -> Policy:
        """The policy, without its label."""
        return Policy(self.name, self.showing, self.switches)

    def record(self) -> dict[str, Any]:
        """Return name, label, showing rule and the policy's switches."""
        own = {"name": self.name, "label": self.label, "showing": self.showing}
        return own | asdict(self.switches)

    def make(self, rules: Rules) -> Player:
        """Return the player; it supports all ``rules``."""
        return PolicyPlayer(self.policy, self.title)
