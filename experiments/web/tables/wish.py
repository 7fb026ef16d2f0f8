"""A table as somebody wishes it: what the page may ask for, checked and composed by Hydra.

The wish comes from a browser, so its settings of players are names and plain values: nothing that
Hydra would look up elsewhere, and no file.
"""

from __future__ import annotations

import re
import threading
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Any, Literal

from omegaconf import OmegaConf
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from experiments.settings import schemas
from experiments.settings.commandline import Refusal
from experiments.settings.config import check_sections, composed, cores
from experiments.texts import LONGEST_LABEL
from experiments.web.tables.setup import LONGEST_NAME, PERSON, SLOWEST
from mcts.options import SEEDS
from sim.rules import FIXED_PLAYERS, SEATS

_SETTING = re.compile(r"[a-z_]+(\.[a-z_]+)*=[A-Za-z0-9_.+-]{1,40}", re.ASCII)
_FORBIDDEN = ("name", "label", "mixture", "network", "rollout.win_model")
"""Settings of players that are not for the page: what they are called, and files."""

_composing = threading.Lock()
"""Hydra composes one configuration at a time in a process."""

_KEPT = 256
"""Players, and rules, that are kept as composed: composing takes Hydra 30 ms."""

Named = Annotated[str, Field(max_length=40)]
Settings = Annotated[list[Annotated[str, Field(max_length=80)]], Field(max_length=12)]


class _Asked(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _Person(_Asked):
    kind: Literal["person"]
    name: Annotated[str, Field(max_length=LONGEST_NAME)]


class _Computer(_Asked):
    kind: Literal["player"]
    preset: Named
    settings: Settings = []


_Seat = Annotated[_Person | _Computer, Field(discriminator="kind")]


class _Wish(_Asked):
    rules: Named
    players: Annotated[int, Field(ge=min(SEATS), le=max(SEATS))]
    seats: Annotated[list[_Seat], Field(max_length=max(SEATS))]
    seed: Annotated[int, Field(ge=0, lt=SEEDS)] | None = None
    pace: Annotated[float, Field(ge=0.0, le=SLOWEST, allow_inf_nan=False)] = 1.0
    hints: bool = True
    study: bool = False


@dataclass(frozen=True)
class Limits:
    """What one search may take.

    Attributes
    ----------
    simulations, seconds : the largest budget of a decision
    """

    simulations: int
    seconds: float


def settled(given: Any, limits: Limits) -> dict[str, Any]:
    """Return the arguments of a `Setup` for the wish ``given``, but ``seed`` may be None.

    Raises
    ------
    ValueError
        With one sentence on what cannot be.
    """
    try:
        wish = _Wish.model_validate(given)
    except ValidationError as fault:
        raise ValueError(told(fault)) from None
    rules = dict(_rules(wish.rules, wish.players))
    seats = tuple(_seat(seat, limits) for seat in wish.seats)
    computers = {seat["label"] for seat in seats if seat["name"] != PERSON}
    for seat in wish.seats:
        if isinstance(seat, _Person) and seat.name.strip() in computers:
            raise ValueError(f"{seat.name} is a player's name: take another")
    kept = {key: getattr(wish, key) for key in ("seed", "pace", "hints", "study")}
    return {"rules": rules, "seats": seats, **kept}


def player(preset: str, settings: list[str], limits: Limits) -> dict[str, Any]:
    """Return the player ``preset`` with some ``settings`` changed, as `registry.make` takes it.

    Raises
    ------
    ValueError
        With one sentence on what cannot be.
    """
    return deepcopy(_player(preset, tuple(settings), limits))


@lru_cache(_KEPT)
def _player(preset: str, settings: tuple[str, ...], limits: Limits) -> dict[str, Any]:
    if preset not in _presets("player"):
        raise ValueError(f"there is no player {preset!r}: choose one of those offered")
    for setting in settings:
        key = setting.partition("=")[0]
        if not _SETTING.fullmatch(setting) or key in _FORBIDDEN or key.startswith("hydra"):
            raise ValueError(f"{setting!r} is no setting for a table: write it like threshold=0.4")
    asked = [f"player={preset}", *(f"player.{setting}" for setting in settings)]
    made = OmegaConf.to_container(_composed(asked).player, resolve=True)
    _check(made, limits)
    made["label"] = " ".join([made["label"] or preset, *settings])
    if len(made["label"]) > LONGEST_LABEL:
        raise ValueError(f"{preset}: too many settings for a table")
    return made


def told(fault: ValidationError) -> str:
    """Return what is wrong, with where, in a sentence."""
    error = fault.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in error["loc"] if part not in ("person", "player"))
    return f"{where}: {error['msg']}" if where else str(error["msg"])


def rules() -> list[dict[str, Any]]:
    """Return the presets of rules: name, usual number of players, what they are."""
    found = [(name, _about("rules", name)) for name in _presets("rules")]
    return [
        {"name": name, "players": FIXED_PLAYERS.get(name, 4), "about": about}
        for name, about in found
    ]


def players() -> list[dict[str, Any]]:
    """Return the presets of players: name, what they are, whether they search."""
    searching = {*schemas.PLANNERS}
    return [
        {"name": name, "about": _about("player", name), "searches": _base(name) in searching}
        for name in _presets("player")
    ]


@lru_cache(_KEPT)
def _rules(name: str, players: int) -> dict[str, Any]:
    if name not in _presets("rules"):
        raise ValueError(f"there are no rules {name!r}: choose one of those offered")
    asked = [f"rules={name}", f"rules.players={players}"]
    return OmegaConf.to_container(_composed(asked).rules, resolve=True)


def _seat(seat: _Person | _Computer, limits: Limits) -> dict[str, Any]:
    if isinstance(seat, _Person):
        return {"name": PERSON, "label": seat.name.strip()}
    return player(seat.preset, seat.settings, limits)


def _composed(asked: list[str]) -> Any:
    try:
        with _composing:
            settings = composed("compare", asked)
        check_sections(settings)
    except Refusal as fault:
        raise ValueError(str(fault)) from None
    return settings


def _check(player: dict[str, Any], limits: Limits) -> None:
    """Refuse searches that take too much of the machine."""
    if "search" not in player:
        return
    search, budget = player["search"], player["budget"]
    if search["mode"] == "root":
        raise ValueError("search.mode=root: at a table searches run in this process; leave it")
    if search["threads"] > cores():
        raise ValueError(f"search.threads={search['threads']}: there are {cores()} cores here")
    for key, most in (("simulations", limits.simulations), ("seconds", limits.seconds)):
        if budget[key] is not None and budget[key] > most:
            raise ValueError(f"budget.{key}={budget[key]}: at most {most:,} at a table")
    nodes = budget["nodes"]
    if nodes is not None and nodes > 4 * limits.simulations:
        raise ValueError(f"budget.nodes={nodes}: at most {4 * limits.simulations:,} at a table")


def _presets(group: str) -> list[str]:
    found = files("conf").joinpath(group).iterdir()
    return sorted(path.name[:-5] for path in found if path.name.endswith(".yaml"))


def _text(group: str, name: str) -> str:
    return files("conf").joinpath(group, f"{name}.yaml").read_text("utf-8")


def _about(group: str, name: str) -> str:
    """Return the comment at the top of a preset's file, but for what refers to other files."""
    told = []
    for line in _text(group, name).splitlines():
        if not line.startswith("#") or line.startswith("# ("):
            break
        told.append(line.removeprefix("#").strip())
    return " ".join(told)


def _base(name: str) -> str:
    """Return whose settings the preset ``name`` begins with: a planner, a policy or a paper's."""
    found = re.search(r"(?m)^name: *(\w+)", _text("player", name))
    if found:
        return found[1]
    below = re.findall(r"(?m)^  - (\w+)$", _text("player", name))
    known = [preset for preset in below if preset != name and preset in _presets("player")]
    return _base(known[0]) if known else name
