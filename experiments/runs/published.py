"""Published win rates, to stand beside our own where the very same was played.

A published figure belongs to a whole set-up: the player with all its settings, its opponents, the
rules and the seats.  `find_for` compares all of that with the preset that follows the text; a
player that has only the name in common gets no figure, but one line with the differences.

Where the program released with [Ledford 2018] could be run again, or its logs counted again, the
figures are those; `experiments.tables` has the figures that the two editions of the text print.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
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
"""Published budget per decision, whichever was reached first."""

_PRESETS = {"bmcts": "bmcts_faithful", "ld_bmcts": "ld_bmcts_faithful"}
"""Presets of published players that have another name."""

_OF_THE_MACHINE = ("label", "budget", "search.threads", "search.oversubscribe")
"""Settings in which equal players may differ: a name, and how long and how fast they think."""


@dataclass(frozen=True)
class Published:
    """Games won as published, by players of one kind in some seats, another in all others.

    Attributes
    ----------
    source : author and year, and the budget where it was another one
    remark : a sentence on its quality; may be empty
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
    """Return the published result of ``player`` in so many ``seats``, ``opponent`` in the rest.

    Both are names of players as the text has them, under the rules of the text.
    """
    found = {(one.player, one.seats, one.opponent): one for one in _results()}
    return found.get((player, seats, opponent))


def find_for(match: Match) -> Published | None:
    """Return the published result of the same set-up, if there is one.

    The budget per decision may be another one, which the source then states.
    """
    found = _namesake(match)
    if found is None or any(_differences(match)):
        return None
    return replace(found, source=found.source + _budget(match.entrants[0].get("budget")))


def unlike(match: Match) -> str | None:
    """Return one line on why no published figure stands beside ``match``.

    None if there is one, or none of a player of that name.
    """
    if _namesake(match) is None:
        return None
    differ = list(_differences(match))
    if not differ:
        return None
    preset = _preset(match.entrants[0]["name"])
    return (
        f"No published result stands beside {match.labels[0]}: [Ledford 2018], as "
        f"player={preset}, has {', '.join(differ)}."
    )


def _namesake(match: Match) -> Published | None:
    """Return the result published for players of these names."""
    if match.measured is None or len(match.entrants) != 2:
        return None
    player, opponent = (entrant["name"] for entrant in match.entrants)
    return find(player, match.seats, opponent)


def _preset(name: str) -> str:
    return _PRESETS.get(name, name)


def _differences(match: Match) -> Iterator[str]:
    """Yield the published settings that differ from those of ``match``, as ``KEY=VALUE``."""
    player, opponent = match.entrants
    ours = {**_flat(player), **_flat(opponent, "opponent."), **_flat(match.rules, "rules.")}
    theirs = _published_settings(_preset(player["name"]), _preset(opponent["name"]))
    for key in {**theirs, **ours}:
        name = key.removeprefix("opponent.")
        same = theirs.get(key) == ours.get(key)
        if not same and not any(f"{name}.".startswith(f"{free}.") for free in _OF_THE_MACHINE):
            yield f"{key}={_format(theirs[key]) if key in theirs else 'nothing'}"
    # A tree that may not grow is another planner; the budget says how long it grows.
    if player.get("budget", {}).get("nodes") is not None:
        yield "budget.nodes=null"


def _format(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, str) else json.dumps(value)


@cache
def _published_settings(player: str, opponent: str) -> dict[str, Any]:
    """Return the settings of two presets and of the rules of the text, by dotted path."""
    chosen = [f"player={player}", f"player@opponent={opponent}", f"rules={_RULES}"]
    settings: Any = OmegaConf.to_container(config.compose("compare", chosen), resolve=True)
    return {
        **_flat(settings["player"]),
        **_flat(settings["opponent"], "opponent."),
        **_flat(settings["rules"], "rules."),
    }


def _flat(settings: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """Return the settings by dotted path."""
    found: dict[str, Any] = {}
    for key, value in settings.items():
        found |= (
            _flat(value, f"{path}{key}.") if isinstance(value, Mapping) else {path + key: value}
        )
    return found


def _budget(budget: Mapping[str, Any] | None) -> str:
    """Return a phrase on a budget per decision that is not the published one."""
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
