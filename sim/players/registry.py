"""Players from nested configuration values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

import yaml

from mcts.kernel.plugins import entry_points
from mcts.limits import build
from sim.planning.config import PlannerConfig
from sim.planning.released.departures import renew
from sim.planning.variants import VARIANTS
from sim.player import Player
from sim.players.planner import Settings as PlannerSettings
from sim.policies.registry import NAMES as POLICIES
from sim.policies.registry import Policy
from sim.rules import Rules
from sim.seat import Seat
from sim.seat import Settings as PolicySettings

PLANNERS = tuple(VARIANTS)

TARGET = "_target_"
"""Key of the settings class in a player's preset; without it the name decides."""

_FORMER = {"horizon": 1, "same_room": True, "about": "envelope"}
"""Settings that older records of players may have, with the only value that is left."""


def make(spec: Mapping[str, Any], rules: Rules) -> Player:
    """Return the player described by ``spec``, for games under ``rules``.

    Raises ValueError for an unknown name, an impossible value or unsupported rules; BrokenPlugin if
    a player of another package cannot be loaded.

    Parameters
    ----------
    spec : keys of the configuration group ``player``.  ``_target_`` names the settings class, whose
        fields are the other keys (`sim.seat`).  Planners, compiled policies and players of other
        packages are also found by name; the latter (entry points ``sleuth.players``) are called
        with ``spec`` and define their own settings
    """
    outside = entry_points("sleuth.players")
    if TARGET not in spec and spec["name"] in outside:
        return outside[spec["name"]].load()(spec, rules)
    return settings(spec).make(rules)


def settings(spec: Mapping[str, Any]) -> Seat:
    """Return the checked settings described by ``spec``; arguments and errors as for `make`."""
    spec = renew(spec)
    values = {key: spec[key] for key in spec if key not in _FORMER or spec[key] != _FORMER[key]}
    values.pop(TARGET, None)
    kind = _find_class(spec)
    return kind.read(values) if kind is PolicySettings else build(kind, values)


def convert(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return all values of the settings described by ``spec``, typed; ValueError like `make`.

    The ``spec`` of a plug-in without ``_target_`` is returned unchanged.
    """
    if TARGET not in spec and spec.get("name") in entry_points("sleuth.players"):
        return dict(spec)
    return settings(spec).record()


@cache
def _preset_target(name: str) -> str | None:
    """Return ``_target_`` of our preset ``name``; older records have only the name."""
    file = files("conf").joinpath("player", f"{name}.yaml")
    return yaml.safe_load(file.read_text()).get(TARGET) if file.is_file() else None


def _find_class(spec: Mapping[str, Any]) -> Any:
    name = spec.get("name")
    target = spec.get(TARGET)
    if target is None and isinstance(name, str) and name.isidentifier():
        target = _preset_target(name)
    if target is not None:
        module, _, name = str(target).rpartition(".")
        try:
            found = getattr(import_module(module), name)
        except (ImportError, AttributeError, ValueError) as fault:
            raise ValueError(f"{TARGET}={target}: cannot be imported: {fault}") from None
        if not is_dataclass(found) or not hasattr(found, "make"):
            raise ValueError(f"{TARGET}={target}: must be a class of settings, as in sim/seat.py")
        return found
    if name in POLICIES:
        return PolicySettings
    if name in PLANNERS:
        return PlannerSettings
    known = ", ".join((*POLICIES, *PLANNERS, *entry_points("sleuth.players")))
    raise ValueError(f"unknown player {name!r}: choose one of {known}, or give {TARGET}")


def planner_config(spec: Mapping[str, Any]) -> PlannerConfig:
    """Return the configuration of the planner ``spec``; arguments and errors as for `make`."""
    found = settings(spec)
    if not isinstance(found, PlannerSettings):
        raise ValueError(f"{found.name} is no planner: choose one of {', '.join(PLANNERS)}")
    return found.configure()


def make_policy(spec: Mapping[str, Any]) -> Policy:
    """Return the compiled policy ``spec``; arguments and errors as for `make`."""
    found = settings(spec)
    if not isinstance(found, PolicySettings):
        raise ValueError(f"{found.name} is no compiled policy: choose one of {', '.join(POLICIES)}")
    return found.policy
