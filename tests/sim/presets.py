"""Players of the configuration, composed like Hydra but without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from sim.players.registry import PLANNERS

PLAYERS = Path(__file__).parents[2] / "conf/player"


def spec_of(name: str, /, **changes: Any) -> dict[str, Any]:
    """Return the values of preset ``name`` with what it inherits.

    ``changes`` are by dotted key, with ``__`` for the dot.
    """
    spec = _merge(name)
    for key, value in changes.items():
        OmegaConf.update(spec, key.replace("__", "."), value)
    return OmegaConf.to_container(spec)


def _merge(name: str) -> Any:
    """Return a preset on top of those that it names in its defaults."""
    own = OmegaConf.load(PLAYERS / f"{name}.yaml")
    above = [
        default
        for default in own.pop("defaults", ())
        if isinstance(default, str) and default[0] not in "_/"
    ]
    return OmegaConf.merge(*map(_merge, above), own)


def leaves(section: dict[str, Any], above: str = "") -> list[str]:
    """Return the dotted names of all values."""
    return [
        leaf
        for key, value in section.items()
        for leaf in (leaves(value, f"{above}{key}.") if isinstance(value, dict) else [above + key])
    ]


PLANNER_PRESETS = tuple(
    sorted(path.stem for path in PLAYERS.glob("*.yaml") if _merge(path.stem).name in PLANNERS)
)
"""Those that search."""
