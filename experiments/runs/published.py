"""Win rates from the literature, to stand beside our own where the very same was played.

A published figure belongs to a whole set-up: the player with all its settings, its opponents, the
rules and the seats.  `known` compares all of that with the preset that follows the text; a player
that has no more than the name in common gets no figure, but one line that says what differs.

Where the program released with [Ledford 2018] could be run again, or its logs counted again, the
figures here are those; `experiments.tables` has what the two editions of the text print.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from omegaconf import OmegaConf

from experiments.matches.schedule import Match
from experiments.settings import config
from experiments.stats.intervals import Estimate, win_rate


@dataclass(frozen=True)
class Published:
    """Games won as published, by players of one kind in some seats, another in all others.

    Attributes
    ----------
    source : who published it, and with what budget where that was another one
    remark : what is known of it, a sentence; empty if nothing
    """

    wins: int
    games: int
    source: str
    remark: str = ""

    @property
    def rate(self) -> Estimate:
        """The published win rate with its Wilson interval."""
        return win_rate(self.wins, self.games)


_AGAIN = "program of Ledford 2018, run again"

_BMCTS_LOG = (
    "Of the 2,000 winners in the log of BMCTS {} are those in the log of LD-BMCTS, where "
    "independent games would share some {}: at most one of the two logs is as it was played."
)
_LD_LOG = "The released log has 2,000 games, of which {} are copies of others; they count once."

_RULES = "ledford"
_SIMULATIONS, _SECONDS = 10_000, 3.5
"""Budget of a decision in [Ledford 2018], whichever was reached first."""

_PRESETS = {"bmcts": "bmcts_faithful", "ld_bmcts": "ld_bmcts_faithful"}
"""By player of `_RESULTS`, the preset that is what was published, where it has another name."""

_RESULTS = {
    ("bmcts", 1, "heuristic"): Published(
        408, 2000, "Ledford 2018", _BMCTS_LOG.format("1,853", "1,266")
    ),
    ("bmcts", 3, "heuristic"): Published(
        1356, 2000, "Ledford 2018", _BMCTS_LOG.format("1,790", "1,187")
    ),
    ("ld_bmcts", 1, "heuristic"): Published(
        301, 1099, "logs of Ledford 2018", _LD_LOG.format("901")
    ),
    ("ld_bmcts", 3, "heuristic"): Published(
        1134, 1499, "logs of Ledford 2018", _LD_LOG.format("501")
    ),
    ("heuristic", 1, "random"): Published(2597, 3000, _AGAIN),
    ("random", 1, "heuristic"): Published(199, 3000, _AGAIN),
}

_OF_THE_MACHINE = ("label", "budget", "search.threads", "search.oversubscribe")
"""What two players may differ in and be the same: a name, and how long and how fast they think."""


def find(player: str, seats: int, opponent: str) -> Published | None:
    """Return the published result of ``player`` in so many ``seats``, ``opponent`` in the rest.

    Both are names of players as the text has them, under the rules of the text.
    """
    return _RESULTS.get((player, seats, opponent))


def find_for(match: Match) -> Published | None:
    """Return the published result of the same set-up, if there is one.

    The budget of a decision may be another one, which the source then states.
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
    name = match.entrants[0]["name"]
    preset = _PRESETS.get(name, name)
    return (
        f"No published result stands beside {match.labels[0]}; in [Ledford 2018], and with "
        f"player={preset}, it is otherwise: {', '.join(differ)}."
    )


def _namesake(match: Match) -> Published | None:
    """Return the result published for players of these names."""
    if match.measured is None or len(match.entrants) != 2:
        return None
    player, opponent = (entrant["name"] for entrant in match.entrants)
    return find(player, match.seats, opponent)


def _differences(match: Match) -> Iterator[str]:
    """Yield each setting of the set-up that is published for these names and is another here."""
    player, opponent = (entrant["name"] for entrant in match.entrants)
    theirs = _set_up(_PRESETS.get(player, player), _PRESETS.get(opponent, opponent))
    ours = {"player": match.entrants[0], "opponent": match.entrants[1], "rules": match.rules}
    for part, settings in theirs.items():
        prefix = "" if part == "player" else f"{part}."
        held, asked = dict(_flat(settings)), dict(_flat(ours[part]))
        for key in {**held, **asked}:
            if held.get(key) != asked.get(key) and not _of_the_machine(key):
                yield f"{prefix}{key}={_format(held[key]) if key in held else 'nothing'}"
    # A tree that may not grow is another planner; the budget says how long it grows.
    nodes = match.entrants[0].get("budget", {}).get("nodes")
    if nodes is not None:
        yield "budget.nodes=null"


def _format(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, str) else json.dumps(value)


def _of_the_machine(key: str) -> bool:
    return any(key == name or key.startswith(f"{name}.") for name in _OF_THE_MACHINE)


@cache
def _set_up(player: str, opponent: str) -> dict[str, Any]:
    """Return what two presets and the rules of the text are made of."""
    settings = config.composed(
        "compare", [f"player={player}", f"player@opponent={opponent}", f"rules={_RULES}"]
    )
    return {
        part: OmegaConf.to_container(settings[part], resolve=True)
        for part in ("player", "opponent", "rules")
    }


def _flat(settings: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the settings by dotted path."""
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


def _budget(budget: Mapping[str, Any] | None) -> str:
    """Return what to say of a budget of a decision that is not the published one."""
    if budget is None:
        return ""
    simulations, seconds = budget["simulations"], budget["seconds"]
    if simulations == _SIMULATIONS and seconds in (None, _SECONDS):
        return ""
    given = [f"{simulations:,} simulations"] if simulations is not None else []
    given += [f"{seconds:g} s"] if seconds is not None else []
    return f", {_SIMULATIONS:,} simulations or {_SECONDS} s a decision (here {' or '.join(given)})"
