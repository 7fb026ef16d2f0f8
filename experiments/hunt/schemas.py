"""The settings of the examples and their limits."""

from __future__ import annotations

from dataclasses import dataclass, field

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING

from experiments.settings.limits import above, between, one_of, place

MOST_CELLS = 20_000
MOST_TARGETS = 14
MOST_WEIGHT = 1e6


@dataclass
class Weights:
    """w_B per nat, w_J per test, w_D per unit of length."""

    benefit: float = between(0, MOST_WEIGHT)
    test: float = between(0, MOST_WEIGHT)
    distance: float = between(0, MOST_WEIGHT)


@dataclass
class Example:
    """Common settings; ``name`` is the example's module in `experiments.hunt`."""

    name: str = one_of("minefield")


@dataclass
class Minefield(Example):
    """A square with obstacles and buried objects, which may be mines."""

    workspace: str | None = place()
    size: float = above(0, 1000)
    obstacles: int = between(0, 200)
    objects: int = between(1, MOST_TARGETS)
    robot: float = between(0, 1000)
    sensor: float = above(0, 1000)
    line_of_sight: bool = MISSING
    accuracy: float = between(0.5, 1)
    weights: Weights = field(default_factory=Weights)


SCHEMAS = {schema.__name__.lower(): schema for schema in (Minefield,)}
"""Schemas by example."""


def register() -> None:
    """Register the schemas with Hydra; call it before composing anything."""
    for name, schema in SCHEMAS.items():
        ConfigStore.instance().store(name, schema, group="schema/hunt")
