"""The schema of a sweep's own settings; the others are those of `experiments.compare`."""

from __future__ import annotations

from dataclasses import dataclass, field

from hydra.core.config_store import ConfigStore

from experiments.settings import config
from experiments.settings.limits import GAMES, POINTS, between, one_of, seed
from experiments.study import Place

METHODS = ("grid", "random", "racing")


@dataclass
class Sweep:
    """Points to play, and games per point."""

    method: str = one_of(*METHODS)
    trials: int | None = between(1, POINTS)
    block: int = between(1, GAMES)
    prune_p: float = between(0, 1)
    fresh: int | None = between(0, GAMES)
    seed: int = seed()


@dataclass
class Sweeping:
    """The configuration ``sweep``."""

    sweep: Sweep = field(default_factory=Sweep)
    run: Place = field(default_factory=Place)


def register() -> None:
    """Register the schemas with Hydra; call before composing anything."""
    config.register()
    ConfigStore.instance().store("sweep", Sweeping, group="schema")
