"""The schema of a sweep's own settings; all others are those of `experiments.compare`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING

from experiments.settings import config

METHODS = ("grid", "random", "racing")


def _at_least(least: float) -> Any:
    return field(default=MISSING, metadata={"least": least})


@dataclass
class Sweep:
    """Which points are played, and how often."""

    method: str = field(default=MISSING, metadata={"choices": METHODS})
    trials: int | None = _at_least(1)
    block: int = _at_least(1)
    prune_p: float = _at_least(0)
    fresh: int | None = _at_least(0)
    seed: int = _at_least(0)


@dataclass
class Run:
    """Where the results go."""

    folder: str = MISSING
    resume: str | None = MISSING


@dataclass
class Sweeping:
    """The configuration ``sweep``."""

    sweep: Sweep = field(default_factory=Sweep)
    run: Run = field(default_factory=Run)


def register() -> None:
    """Make the schemas known to Hydra; to be called before anything is composed."""
    config.register()
    ConfigStore.instance().store("sweep", Sweeping, group="schema")
