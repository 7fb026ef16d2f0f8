"""Settings of the released program's planner, as in ``conf/player/bmcts_departing.yaml``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sim.planning.released.departures import Departures
from sim.planning.released.planner import ReleasedConfig, ReleasedPlanner
from sim.players.planner import Settings as PlannerSettings


@dataclass(kw_only=True)
class Settings(PlannerSettings):
    """Settings of a planner by the text, with deviations."""

    departures: Departures

    CONFIG: ClassVar[type[ReleasedConfig]] = ReleasedConfig
    PLANNER: ClassVar[type[ReleasedPlanner]] = ReleasedPlanner
