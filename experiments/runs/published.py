"""Win rates from the literature, to stand beside our own.

Where the program released with [Ledford 2018] could be run again, or its logs counted again, the
figures here are those; `experiments.tables` has what the text prints beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from omegaconf import OmegaConf

from experiments.stats.intervals import Estimate, win_rate


@dataclass(frozen=True)
class Published:
    """Games won as published, by players of one kind in some seats, another in all others."""

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
    ("bmcts", 1, "heuristic"): Published(408, 2000, _THESIS),
    ("bmcts", 3, "heuristic"): Published(1356, 2000, _THESIS),
    ("ld_bmcts", 1, "heuristic"): Published(551, 2000, _THESIS),
    ("ld_bmcts", 3, "heuristic"): Published(1522, 2000, _THESIS),
    ("heuristic", 1, "random"): Published(2597, 3000, _AGAIN),
    ("random", 1, "heuristic"): Published(199, 3000, _AGAIN),
}


def published(player: str, seats: int, opponent: str, rules: Mapping[str, Any]) -> Published | None:
    """Return the published result of ``player`` in so many ``seats``, ``opponent`` in the rest."""
    shipped = dict(OmegaConf.load(files("conf").joinpath(f"rules/{_RULES}.yaml")))
    del shipped["defaults"]
    return _RESULTS.get((player, seats, opponent)) if rules == shipped else None
