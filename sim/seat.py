"""Settings that every player has, and those of a compiled policy in a seat.

The preset ``conf/player/NAME.yaml`` of a player names a class such as `Settings` by ``_target_``:
its fields are the keys of the preset, with types and ranges (`mcts.limits`), and its `make` returns
the player.
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


@dataclass(kw_only=True)
class Settings(Seat):
    """Settings of a compiled policy: its switches are keys as well."""

    switches: Any

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Settings:
        """Return the settings that ``values`` have; ValueError as `mcts.limits.build`."""
        own = {key: value for key, value in values.items() if key in ("name", "label", "showing")}
        seat = build(Seat, own)
        usual = make_switches(seat.name)
        others = {key: values[key] for key in values if key in SWITCHES and not hasattr(usual, key)}
        Policy(seat.name, **others)  # which refuses them, unless they are as they always are
        rest = {key: values[key] for key in values if key not in own and key not in others}
        switches = build(type(usual), rest)
        return cls(name=seat.name, label=seat.label, showing=seat.showing, switches=switches)

    @property
    def policy(self) -> Policy:
        """The policy, without its label."""
        return Policy(self.name, self.showing, self.switches)

    def record(self) -> dict[str, Any]:
        """Return name, label, rule of showing and the switches that the policy has."""
        own = {"name": self.name, "label": self.label, "showing": self.showing}
        return own | asdict(self.switches)

    def make(self, rules: Rules) -> Player:
        """Return the player; it fits all ``rules``."""
        return PolicyPlayer(self.policy, self.title)
