"""Every setting of a player is used by a preset, a table, an experiment or a published command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
PLAYERS = ROOT / "conf/player"

NAMES = ("_target_", "name", "label", "showing", "defaults")
"""Keys of every player."""

SWITCHED = ("model", "rollout")
"""Sections that repeat the switches of policies: tables copy a player's switches to the model."""


def leaves(section: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Yield the dotted keys of all values."""
    for key, value in section.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{path}{key}.")
        elif path or key not in NAMES:
            yield f"{path}{key}"


def load(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text()) or {}


def find_used(presets: Iterable[Path], texts: Iterable[str]) -> set[str]:
    """Return the keys that ``presets`` set, also in groups, and those that ``texts`` assign."""
    found: set[str] = set()
    for preset in presets:
        group = preset.parent.name
        within = f"{group}." if group in ("search", "budget") else ""
        found |= set(leaves(load(preset), within))
    for text in texts:
        found |= set(re.findall(r"(?<![\w.])(?:player\.|opponent\.)?([a-z_.]+)=", text))
    return found


def find_unused(declared: Mapping[str, Any], used_settings: set[str]) -> set[str]:
    """Return the keys of the base preset that nothing uses."""
    switches = {key for key in used_settings if "." not in key}
    return {
        key
        for key in leaves(declared)
        if key not in used_settings
        and not (key.partition(".")[0] in SWITCHED and key.rpartition(".")[2] in switches)
    }


@pytest.fixture(scope="module")
def used_settings() -> set[str]:
    presets = [path for path in PLAYERS.rglob("*.yaml") if path.name != "bmcts.yaml"]
    texts = [path.read_text() for path in ROOT.joinpath("conf").rglob("*.yaml")]
    texts += [path.read_text() for path in ROOT.joinpath("docs/results").glob("*.md")]
    return find_used(presets, texts)


def test_every_setting_of_a_planner_is_used(used_settings):
    assert not find_unused(load(PLAYERS / "bmcts.yaml"), used_settings)


def test_a_setting_that_nothing_uses_is_found(used_settings):
    declared = load(PLAYERS / "bmcts.yaml")
    declared["search"]["patience"] = 3
    declared["rollout"]["patience"] = 3
    assert find_unused(declared, used_settings) == {"search.patience", "rollout.patience"}
    assert "search.mode" in find_unused(declared, set())
