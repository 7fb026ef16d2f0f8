"""Damaged and forged files of networks: refused in a line, or played with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import mutate
import numpy as np
from called import capture, find_fault
from judge import Finding

from experiments.settings.commandline import Refusal
from sim.qlearning import network
from sim.qlearning.network import NUMBERS, digest

HUGE = (10**400, -(10**400), float("inf"), float("nan"), 1e308, 10**30)


def make() -> dict[str, Any]:
    """Return what a small file holds."""
    numbers = {
        "hidden_weights": [[0.5, -0.25]] * network.INPUTS,
        "hidden_bias": [0.0, 1.0],
        "output_weights": [1.0, -1.0],
        "output_bias": 0.5,
    }
    made = {"settings": {"seed": 0, "players": 3}, **numbers}
    return forge({**made, "activation": "relu"})


def forge(data: dict[str, Any]) -> dict[str, Any]:
    """Return ``data`` with digests that fit what it holds."""
    numbers = {name: data.get(name) for name in NUMBERS}
    settings = data.get("settings")
    fitting = digest(settings) if isinstance(settings, dict) else ""
    return {**data, "settings_digest": fitting, "numbers_digest": digest(numbers)}


def attack(number: int, seed: int, folder: Path) -> Iterator[Finding | None]:
    """Yield what is wrong with each of ``number`` cases; see `judge`."""
    for case in range(number):
        random = Random(f"{seed}/{case}")
        path = folder / f"{case}.json"  # another name, for what was read is kept
        path.write_bytes(damage(random, make()))
        seen = capture(lambda _, path=path: _use(path))
        yield find_fault(f"network {case} of seed {seed}", seen)
        path.unlink()


def damage(random: Random, data: dict[str, Any]) -> bytes:
    """Return what a file made of ``data`` holds."""
    if random.random() < 0.2:
        return mutate.raw(random, json.dumps(data).encode())
    changed = mutate.value(random, data)
    if random.random() < 0.4:
        key = random.choice(("output_bias", "hidden_bias", "settings"))
        huge = random.choice(HUGE)
        changed = {**data, key: {**data["settings"], "players": huge}} if key == "settings" else {
            **data, key: [huge, 0.0] if key == "hidden_bias" else huge
        }  # fmt: skip
    if isinstance(changed, dict):
        changed = forge(changed)
    return json.dumps(changed).encode()


def _use(path: Path) -> None:
    try:
        found = network.load(str(path))
    except ValueError as fault:  # which commands refuse
        raise Refusal(str(fault)) from None
    if np.abs(found(np.ones((1, network.INPUTS)))).max() > np.inf:
        raise AssertionError
