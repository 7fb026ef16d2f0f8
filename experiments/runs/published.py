"""Published win rates of whole set-ups, which the tables show next to ours.

Where the program released with [Ledford 2018] could be rerun, or its logs recounted, the figures
are those; `experiments.tables` has the figures printed in the two editions of the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from experiments.stats.intervals import Estimate, win_rate


@dataclass(frozen=True)
class Published:
    """Published wins of players of one kind in some seats, another kind in all others.

    Attributes ``source``: author and year, and the budget if it differs; ``remark``: a sentence on
    its quality, may be empty.
    """

    player: str
    seats: int
    opponent: str
    wins: int
    games: int
    source: str
    remark: str = ""

    @property
    def rate(self) -> Estimate:
        """The published win rate with its Wilson interval."""
        return win_rate(self.wins, self.games)


@cache
def _results() -> dict[tuple[str, int, str], Published]:
    text = files("conf.published").joinpath("win_rates.yaml").read_text(encoding="utf-8")
    found = (Published(**entry) for entry in yaml.safe_load(text)["results"])
    return {(one.player, one.seats, one.opponent): one for one in found}


def find(player: str, seats: int, opponent: str) -> Published | None:
    """Return the published result of ``player`` in ``seats`` seats, ``opponent`` in the rest.

    Both are players' names in the text, under the rules of the text.
    """
    return _results().get((player, seats, opponent))
