"""Requests for tables and players from the page: validated, and composed by Hydra.

They come from a browser or from names in an untrusted record; `allowed` lists all permitted
settings.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from copy import deepcopy
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Any, Literal

from omegaconf import OmegaConf
from pydantic import BaseModel, ConfigDict, Field

from experiments.settings.commandline import Refusal
from experiments.settings.config import check_sections, compose, cores
from experiments.texts import LONGEST_LABEL
from experiments.web.settings import Search
from experiments.web.tables import allowed
from experiments.web.tables.setup import LONGEST_NAME, PERSON, SLOWEST, Setup
from mcts.options import SEEDS
from sim.rules import FIXED_PLAYERS, SEATS

_composing = threading.Lock()
"""Serializes Hydra, which composes one configuration at a time per process."""

_CACHED = 256
"""Number of composed players, and rules, in the cache: composing takes Hydra 30 ms."""

Name = Annotated[str, Field(max_length=40)]
Settings = Annotated[
    list[Annotated[str, Field(max_length=80)]], Field(max_length=12, default_factory=list)
]
Natural = Annotated[int, Field(ge=0, lt=2**31)]
Pace = Annotated[float, Field(ge=0.0, le=SLOWEST, allow_inf_nan=False)]


class Body(BaseModel):
    """The body of a request, without unknown keys or conversions."""

    model_config = ConfigDict(strict=True, extra="forbid")


class PersonRequest(Body):
    """A person in a seat."""

    kind: Literal["person"]
    name: Annotated[str, Field(max_length=LONGEST_NAME)]


class PlayerRequest(Body):
    """A player of the configuration in a seat."""

    kind: Literal["player"]
    preset: Name
    settings: Settings


class TableRequest(Body):
    """A new table."""

    rules: Name
    players: Annotated[int, Field(ge=min(SEATS), le=max(SEATS))]
    seats: Annotated[
        list[Annotated[PersonRequest | PlayerRequest, Field(discriminator="kind")]],
        Field(max_length=max(SEATS)),
    ]
    seed: Annotated[int, Field(ge=0, lt=SEEDS)] | None = None
    pace: Pace = 1.0
    hints: bool = True


def compose_table(request: TableRequest, limits: Search) -> Setup:
    """Return the settings of the table in ``request``; ValueError if they are invalid."""
    seats = tuple(
        {"name": PERSON, "label": seat.name.strip()}
        if isinstance(seat, PersonRequest)
        else compose_player(seat.preset, seat.settings, limits)
        for seat in request.seats
    )
    players = {seat["label"] for seat in seats if seat["name"] != PERSON}
    for seat in seats:
        if seat["name"] == PERSON and seat["label"] in players:
            raise ValueError(f"{seat['label']} is the name of a player: choose another")
    return Setup(
        rules=dict(_rules(request.rules, request.players)),
        seats=seats,
        seed=request.seed,
        pace=request.pace,
        hints=request.hints,
    )


def compose_player(preset: str, settings: Sequence[str], limits: Search) -> dict[str, Any]:
    """Return the player ``preset`` with changed ``settings``, for `registry.make`.

    Raises ValueError with one sentence if they are invalid.
    """
    return deepcopy(_player(preset, tuple(settings), limits))


@lru_cache(_CACHED)
def _player(preset: str, settings: tuple[str, ...], limits: Search) -> dict[str, Any]:
    if preset not in allowed.PLAYERS:
        raise ValueError(f"player {preset!r}: unknown; choose one of those offered")
    for setting in settings:
        allowed.check_setting(setting)
    player = _compose("player", preset, *settings)
    _check_search(player, limits)
    player["label"] = " ".join([player["label"] or preset, *settings])
    if len(player["label"]) > LONGEST_LABEL:
        raise ValueError(f"{preset}: too many settings for a table")
    return player


@lru_cache(_CACHED)
def _rules(name: str, players: int) -> dict[str, Any]:
    """Return the rules ``name`` for ``players``, for `sim.rules.preset`; ValueError if invalid."""
    if name not in allowed.RULES:
        raise ValueError(f"rules {name!r}: unknown; choose one of those offered")
    return _compose("rules", name, f"players={players}")


def _compose(group: str, name: str, *settings: str) -> dict[str, Any]:
    """Return the section ``group`` of a configuration with the preset ``name``."""
    overrides = [f"{group}={name}", *(f"{group}.{setting}" for setting in settings)]
    try:
        with _composing:
            whole = compose("compare", overrides)
        check_sections(whole)
    except Refusal as fault:
        raise ValueError(str(fault).removesuffix("; see --help")) from None
    plain = OmegaConf.to_container(whole[group], resolve=True)
    assert isinstance(plain, dict)
    return {str(key): value for key, value in plain.items()}


def _check_search(player: dict[str, Any], limits: Search) -> None:
    """Refuse searches with too many threads or too large a budget."""
    if "search" not in player:
        return
    search, budget = player["search"], player["budget"]
    if search["threads"] > cores():
        raise ValueError(f"search.threads={search['threads']}: this machine has {cores()} cores")
    most = ("simulations", limits.simulations), ("seconds", limits.seconds)
    for key, limit in (*most, ("nodes", 4 * limits.simulations)):
        if budget[key] is not None and budget[key] > limit:
            raise ValueError(f"budget.{key}={budget[key]}: at most {limit:,} at a table")


def list_rules() -> list[dict[str, Any]]:
    """Return the presets of rules: name, usual number of players, description."""
    return [
        {"name": name, "players": FIXED_PLAYERS.get(name, 4), "about": _about("rules", name)}
        for name in allowed.RULES
    ]


def list_players() -> list[dict[str, Any]]:
    """Return the presets of players: name, description, whether they search."""
    return [
        {"name": name, "about": _about("player", name), "searches": name in allowed.SEARCHING}
        for name in sorted(allowed.PLAYERS)
    ]


def _about(group: str, name: str) -> str:
    """Return the comment at the top of a preset's file, without references to other files."""
    lines = []
    for line in files("conf").joinpath(group, f"{name}.yaml").read_text("utf-8").splitlines():
        if not line.startswith("#") or line.startswith("# ("):
            break
        lines.append(line.removeprefix("#").strip())
    return " ".join(lines)
