"""Win rates from the literature, to stand beside our own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from omegaconf import OmegaConf

from experiments.statistics import Estimate, win_rate


@dataclass(frozen=True)
class Published:
    """Games won as published, by a player against three opponents of one kind."""

    wins: int
    games: int
    source: str

    @property
    def rate(self) -> Estimate:
        """The published win rate with its Wilson interval."""
        return win_rate(self.wins, self.games)


_THESIS = "Ledford 2018"
_AGAIN = "program of Ledford 2018, run again"

_RULES = "ledford"

_RESULTS = {
    ("bmcts", "heuristic"): Published(408, 2000, _THESIS),
    ("heuristic", "random"): Published(2597, 3000, _AGAIN),
    ("random", "heuristic"): Published(199, 3000, _AGAIN),
}


def published(player: str, opponent: str, rules: Mapping[str, Any]) -> Published | None:
    """Return the published result of one ``player`` against ``opponent`` in all other seats."""
    shipped = dict(OmegaConf.load(files("conf").joinpath(f"rules/{_RULES}.yaml")))
    del shipped["defaults"]
    return _RESULTS.get((player, opponent)) if rules == shipped else None
