"""The schemas of `experiments.compare` and of sections shared by several commands.

Hydra merges the YAML of `conf` into these dataclasses, which define types; ranges and choices are
in the fields' metadata (`mcts.limits`).  Values, all mandatory, and their meanings are in the YAML.
A player's schema is defined with the player, named by ``_target_`` in its YAML.
"""

from __future__ import annotations

from dataclasses import dataclass, field, make_dataclass
from importlib.resources import as_file, files
from typing import Any

from omegaconf import MISSING, OmegaConf

from experiments.settings.limits import GAMES, WORKERS, between, one_of, place, seed
from sim.planning.variants import VARIANTS

PLANNERS = tuple(VARIANTS)
"""Players that search."""
LAYOUTS = ("one", "rest", "both", "robin")
"""Seating layouts, see `experiments.matches.lineups`."""
DETAILS = ("suggestions", "decisions", "certainties")
"""Kinds of rows other than games, see `experiments.matches.details`."""


def _rules() -> type:
    """Return the schema of rules from ``ledford.yaml``; `sim.rules.preset` checks values."""
    with as_file(files("conf").joinpath("rules/ledford.yaml")) as file:
        shipped = OmegaConf.load(file)
    switches = [(str(key), type(value)) for key, value in shipped.items() if key != "defaults"]
    return make_dataclass("Rules", [(*switch, field(default=MISSING)) for switch in switches])


Rules = _rules()


@dataclass
class Match:
    """Players, seats and number of games."""

    games: int = between(1, GAMES)
    layout: str = one_of(*LAYOUTS)
    players: list[str] | None = MISSING
    others: list[str] | None = MISSING
    stop: str = MISSING
    focal_seats: list[int] | None = MISSING
    workers: int | None = between(1, WORKERS)


@dataclass
class Tracking:
    """The MLflow record."""

    enabled: bool = MISSING
    uri: str | None = MISSING
    experiment: str = MISSING


@dataclass
class Ray:
    """The cluster that plays the games."""

    address: str | None = MISSING


@dataclass
class Run:
    """The run folder, and rows in addition to games."""

    folder: str = place()
    details: list[str] = field(default_factory=list, metadata={"each": {"choices": DETAILS}})
    records: int = between(0, GAMES)
    beliefs: bool = MISSING


@dataclass
class Compare:
    """The main job.  ``player`` and ``opponent`` are presets in ``conf/player``."""

    player: Any = MISSING
    opponent: Any = MISSING
    rules: Any = MISSING
    match: Match = field(default_factory=Match)
    tracking: Tracking = field(default_factory=Tracking)
    ray: Ray = field(default_factory=Ray)
    run: Run = field(default_factory=Run)
    seed: int = seed()
