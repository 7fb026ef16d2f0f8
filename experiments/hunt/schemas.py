"""The settings of the example and their limits."""

from __future__ import annotations

from dataclasses import dataclass, field

from omegaconf import MISSING

from experiments.settings.limits import above, between, place

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
class Minefield:
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
