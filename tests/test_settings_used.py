"""Every setting of a player is used by a preset, a table, an experiment or a published command."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import yaml

from experiments.settings.config import leaves

ROOT = Path(__file__).resolve().parent.parent
PLAYERS = ROOT / "conf/player"

NAMES = {"_target_", "name", "label", "showing", "defaults"}
"""Keys of every player."""

SWITCHED = ("model", "rollout")
"""Sections that repeat the switches of policies: tables copy a player's switches to the model."""


def keys(path: Path, within: str = "") -> set[str]:
    """Return the dotted keys of a file, but for those of every player."""
    return {key for key, _ in leaves(yaml.safe_load(path.read_text()) or {}, within)} - NAMES


def find_used(presets: Iterable[Path], texts: Iterable[str]) -> set[str]:
    """Return the keys that ``presets`` set, also in groups, and those that ``texts`` assign."""
    found: set[str] = set()
    for preset in presets:
        group = preset.parent.name
        found |= keys(preset, f"{group}." if group in ("search", "budget") else "")
    for text in texts:
        found |= set(re.findall(r"(?<![\w.])(?:player\.|opponent\.)?([a-z_.]+)=", text))
    return found


def find_unused(declared: Iterable[str], used: set[str]) -> set[str]:
    """Return the keys of the base preset that nothing uses."""
    switches = {key for key in used if "." not in key}
    return {
        key
        for key in declared
        if key not in used
        and not (key.partition(".")[0] in SWITCHED and key.rpartition(".")[2] in switches)
    }


def test_every_setting_of_a_planner_is_used_and_one_that_is_not_is_found():
    presets = [path for path in PLAYERS.rglob("*.yaml") if path.name != "bmcts.yaml"]
    texts = [path.read_text() for path in ROOT.joinpath("conf").rglob("*.yaml")]
    texts += [path.read_text() for path in ROOT.joinpath("docs/results").glob("*.md")]
    declared, used = keys(PLAYERS / "bmcts.yaml"), find_used(presets, texts)
    assert not find_unused(declared, used)
    planted = {"search.patience", "rollout.patience"}
    assert find_unused(declared | planted, used) == planted
    assert "search.mode" in find_unused(declared, set())
