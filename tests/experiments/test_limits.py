"""Every number of every command has limits, and what is typed is counted before it is listed."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

from experiments.settings import arguments, limits, schemas
from experiments.settings.commandline import Refusal
from mcts.options import SEEDS, Options
from sim.arena import play_many
from sim.endgame.random_positions import endgame, endgames
from sim.player import PolicyPlayer
from sim.players.planner import Settings as PlannerSettings
from sim.policies.registry import Policy
from sim.referee import play
from sim.rules import preset

tables = import_module("experiments.tables.schema")

COMMANDS = ("compare", "beliefs", "explain", "regret", "tables", "web")
PARTS = (PlannerSettings, Policy)
CHECKED = {"event": "explain", "seat": "explain", "players": "rules and regret"}
"""Numbers that the command compares with what there is, and who does."""

BEYOND = (10**12, 10**20, -(10**20), float("nan"), float("inf"), -float("inf"), 1e308)


def numbers(schema: Any, path: str = "") -> list[tuple[str, bool, Any]]:
    """Return key, whether it is whole, and limits of the numbers of ``schema``."""
    found, hints = [], get_type_hints(schema)
    for described in fields(schema):
        key, kind, metadata = f"{path}{described.name}", hints[described.name], described.metadata
        kinds = {kind, *get_args(kind)}
        if is_dataclass(kind):
            found += numbers(kind, f"{key}.")
        elif kinds & {int, float} and described.name not in CHECKED:
            found.append((key, int in kinds, metadata))
        elif list[int] in kinds and key != "match.focal_seats":  # see config.check_seats
            found.append((key, True, metadata["each"]))
    return found


def all_numbers() -> list[tuple[str, bool, Any]]:
    sweep = import_module("experiments.sweep.schema").Sweeping
    commands = [import_module(f"experiments.{name}.__main__") for name in COMMANDS]
    found = [sweep, tables.Table, *(command.COMMAND.schema for command in commands), *PARTS]
    return [number for schema in found for number in numbers(schema)]


def test_every_number_has_limits_that_name_it():
    found = all_numbers()
    assert len(found) > 50
    for key, whole, metadata in found:
        for value in BEYOND:
            if whole and isinstance(value, float):
                continue
            if value == 10**12 and metadata["most"] == SEEDS - 1:
                continue
            with pytest.raises(Refusal, match=rf"{key}=.*: must be (above|at )") as refused:
                limits.check(key, value, metadata)
            assert "\n" not in str(refused.value)


@pytest.mark.parametrize("seed", [-1, SEEDS, 10**20, 1.5])
def test_a_seed_has_one_limit_in_python_too(seed):
    rules = preset("speed")
    players = [PolicyPlayer("closure")] * 4
    for begin in (
        lambda: play(rules, players, seed, 0),
        lambda: play(rules, players, 0, seed),
        lambda: play_many(rules, ["closure"] * 4, seed, np.arange(1)),
        lambda: endgame(seed, 0),
        lambda: next(endgames(seed)),
    ):
        with pytest.raises(ValueError, match=rf"(seed|game) must be .* to {SEEDS - 1}, not "):
            begin()


def test_every_option_of_a_search_has_them():
    for option in fields(Options):
        if option.type.startswith(("int", "float")):
            for value in (10**20, float("nan"), float("inf")):
                with pytest.raises(ValueError, match=f"{option.name}=.*: must be"):
                    Options(oversubscribe=True, **{option.name: value})


def test_what_nothing_can_read_is_refused_in_a_short_line():
    for typed in ("seed=" + "[" * 2000, "seed=(" + "x" * 20_000):
        with pytest.raises(Refusal, match="cannot read") as refused:
            arguments.read([typed], schemas.Compare)
        assert "\n" not in str(refused.value) and len(str(refused.value)) < 300


@pytest.mark.parametrize("run", ["../x", "/tmp/x", "a/b", "..", "", " ", "a\0"])
def test_a_table_stays_in_its_folder(run):
    with pytest.raises(Refusal, match=r"run.* (give a name, not a path|is not a path)"):
        limits.check("table.run", run, tables.Table.__dataclass_fields__["run"].metadata)
