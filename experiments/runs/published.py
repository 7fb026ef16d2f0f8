"""Published win rates, shown next to ours where exactly the same set-up was played.

A published figure belongs to a whole set-up: the player with all its settings, its opponents, the
rules and the seats.  `find_for` compares all of that with the preset that follows the text; a
player that only shares the name gets no figure.

Where the program released with [Ledford 2018] could be rerun, or its logs recounted, the figures
are those; `experiments.tables` has the figures printed in the two editions of the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import yaml
from omegaconf import OmegaConf

from experiments.matches.schedule import Match
from experiments.settings import config
from experiments.stats.intervals import Estimate, win_rate

_RULES = "ledford"
_SIMULATIONS, _SECONDS = 10_000, 3.5
"""Published budget per decision: whichever limit is reached first."""

_PRESETS = {"bmcts": "bmcts_faithful", "ld_bmcts": "ld_bmcts_faithful"}
"""Presets of published players whose names differ."""

_OF_THE_MACHINE = ("label", "budget", "search.threads", "search.oversubscribe")
"""Settings in which equal players may differ: name, search budget and speed."""


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
def _results() -> list[Published]:
    text = files("conf.published").joinpath("win_rates.yaml").read_text(encoding="utf-8")
    return [Published(**entry) for entry in yaml.safe_load(text)["results"]]


def find(player: str, seats: int, opponent: str) -> Published | None:
    """Return the published result of ``player`` in ``seats`` seats, ``opponent`` in the rest.

    Both are players' names in the text, under the rules of the text.
    """
    found = {(one.player, one.seats, one.opponent): one for one in _results()}
    return found.get((player, seats, opponent))


def find_for(match: Match) -> Published | None:
    """Return the published result of the same set-up, or None.

    The budget per decision may differ; the source then says so.
    """
    if match.measured is None or len(match.entrants) != 2:
        return None
    player, opponent = match.entrants
    found = find(player["name"], match.seats, opponent["name"])
    if found is None or player.get("budget", {}).get("nodes") is not None:
        return None  # a tree of limited size is another planner
    presets = (_PRESETS.get(one["name"], one["name"]) for one in match.entrants)
    if _of_the_game(player, opponent, match.rules) != _published_settings(*presets):
        return None
    return replace(found, source=found.source + _budget(player.get("budget")))


def _of_the_game(
    player: Mapping[str, Any], opponent: Mapping[str, Any], rules: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the settings that define a set-up, by dotted path."""
    settings = dict(config.leaves({**player, "opponent": opponent, "rules": rules}))
    free = tuple(f"{name}." for name in _OF_THE_MACHINE)
    return {
        key: value
        for key, value in settings.items()
        if value is not None and not f"{key.removeprefix('opponent.')}.".startswith(free)
    }


@cache
def _published_settings(player: str, opponent: str) -> dict[str, Any]:
    """Return the settings of two presets and of the rules of the text."""
    chosen = [f"player={player}", f"opponent={opponent}", f"rules={_RULES}"]
    settings: Any = OmegaConf.to_container(config.compose("compare", chosen), resolve=True)
    return _of_the_game(settings["player"], settings["opponent"], settings["rules"])


def _budget(budget: Mapping[str, Any] | None) -> str:
    """Describe a budget per decision that differs from the published one."""
    if budget is None:
        return ""
    simulations, seconds = budget["simulations"], budget["seconds"]
    if simulations == _SIMULATIONS and seconds in (None, _SECONDS):
        return ""
    given = [f"{simulations:,} simulations"] if simulations is not None else []
    given += [f"{seconds:g} s"] if seconds is not None else []
    return (
        f", {_SIMULATIONS:,} simulations or {_SECONDS} s per decision (here {' or '.join(given)})"
    )
