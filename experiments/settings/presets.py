"""Compare a player's settings with the preset of its name: missing and differing ones.

A run stores all settings of its players.  When a preset gains a switch, stored settings lack it;
`complete` fills it in from the preset, and the differences from the preset are unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from typing import Any

from experiments.settings import config
from sim.planning.released.departures import SETTINGS, Departures, renew


@cache
def _of_name(name: str) -> Mapping[str, Any]:
    """Return the settings of the preset ``name``; empty if it is unknown, or a path."""
    if not name.isidentifier() or not config.find(f"player/{name}.yaml").is_file():
        return {}
    return config.plain(config.compose(f"player/{name}").player)


def complete(player: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of ``player``, those that it lacks taken from the preset of its name.

    Former settings leave where they have the only value that is left.
    """
    from sim.players import registry  # imported only to read a run

    player = renew(player)
    usual = _usual(player)
    code = {key: usual[key] for key in ("_target_",) if key in usual}  # which may have moved
    former = [key for key, value in registry._FORMER.items() if player.get(key) == value]
    kept = {key: value for key, value in player.items() if key in usual or key not in former}
    return _fill({**kept, **code}, usual)


def _usual(player: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the preset of the name of ``player``; with the program's departures if it has them."""
    usual = _of_name(str(player.get("name")))
    if "departures" not in player:
        return usual
    return {**usual, "_target_": SETTINGS, "departures": asdict(Departures())}


def _fill(held: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    filled = dict(held)
    for key, value in usual.items():
        there = filled.setdefault(key, value)
        if isinstance(there, Mapping) and isinstance(value, Mapping):
            filled[key] = _fill(there, value)
    return filled


def differing(player: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of ``player`` that differ from the preset of its name, and its name."""
    player = renew(player)
    return {"name": player.get("name"), **_differing(player, _usual(player))}


def _differing(held: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for key, value in held.items():
        other = usual.get(key)
        if isinstance(value, Mapping) and isinstance(other, Mapping):
            if below := _differing(value, other):
                found[key] = below
        elif key not in usual or value != other:
            found[key] = value
    return found
