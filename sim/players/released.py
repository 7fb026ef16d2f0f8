"""The settings of the planner of the released program, as ``conf/player/bmcts_departing.yaml``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sim.planning.released.departures import Departures
from sim.planning.released.planner import ReleasedConfig, ReleasedPlanner
from sim.players.planner import Settings as PlannerSettings


@dataclass(kw_only=True)
class Settings(PlannerSettings):
    """Settings of a planner by the text, and its departures from it."""

    departures: Departures

    CONFIG: ClassVar[type[ReleasedConfig]] = ReleasedConfig
    PLANNER: ClassVar[type[ReleasedPlanner]] = ReleasedPlanner
