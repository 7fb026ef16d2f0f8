"""The tables: which players meet which opponents, with what budget and how often.

A table is a YAML in ``conf/table``, which gives it its name; `Table` says what its keys mean.  A
cell is one match of `experiments.compare`.  All cells of a table are one run; those with the same
opponents play the same games, so their differences are paired.  What was published for the tables
of the papers is in `experiments.tables.papers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files

from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, OmegaConf

from experiments.matches import lineups
from experiments.matches.schedule import Match
from experiments.settings import config
from experiments.settings.arguments import quote_text
from experiments.settings.commandline import Refusal
from experiments.tables.forms import EVERYBODY, PRESET, ROBIN, Cell, Computed, Entrant, Table
from experiments.tables.stairs.form import Steps


def register() -> None:
    """Make the schema of tables known to Hydra."""
    config.register()
    for name, schema in (("table", Table), ("steps", Steps), ("computed", Computed)):
        ConfigStore.instance().store(name, schema, group="schema")


def names() -> list[str]:
    """Return the names of all tables."""
    found = files("conf").joinpath("table").iterdir()
    return sorted(file.name[:-5] for file in found if file.name.endswith(".yaml"))


@cache
def load(name: str) -> Table | Computed:
    """Return the table that ``conf/table`` has under ``name``.

    Raises
    ------
    Refusal
        If there is none, or its YAML is none.
    """
    register()
    return read(config.composed(f"table/{name}").table, name)


def read(settings: DictConfig, name: str) -> Table | Computed:
    """Return the table with these ``settings``, checked.

    Raises
    ------
    Refusal
        If a key is unknown, missing or out of range.
    """
    config.check_sections(settings)
    return replace(OmegaConf.to_object(settings), name=name)


COMMAND = "python -m experiments.tables"
"""What a reader types, before the name of a table."""

BOTH = ("one", "rest")
"""What ``match.layout=both`` is."""

FAST = ("rules.turn_cap=40",)
"""What else makes the games of planners short for a trial."""

FAST_SIMULATIONS, FAST_GAMES, FAST_COMPILED_GAMES = 20, 4, 400
"""Budget of a decision, games of planners and games of policies in a trial."""


def matches(table: Table, simulations: int | None, seed: int, fast: bool = False) -> list[Match]:
    """Return the match of each cell of ``table``, in order.

    Parameters
    ----------
    simulations : a decision, in place of the usual number; None for that
    fast : whether this is a trial

    Raises
    ------
    Refusal
        If the settings cannot be met.
    """
    budget = simulations or (FAST_SIMULATIONS if fast else table.simulations)
    general = [f"seed={seed}", f"run.details=[{','.join(table.details)}]"]
    if fast and not table.compiled:
        general += FAST
    return [
        _match(table, cell, general, budget if table.simulations else None) for cell in table.cells
    ]


def _match(table: Table, cell: Cell, general: Sequence[str], budget: int | None) -> Match:
    player, *others = seated = [
        (entrant.preset, *_changes(table, cell, entrant, budget))
        for entrant in (cell.player, *cell.opponents)
    ]
    overrides = [f"player={player[0]}", *(f"player.{change}" for change in player[1:])]
    if cell.layout == ROBIN:
        overrides = [f"match.players={_listed(seated)}"]
    elif len(others) == 1:
        overrides.append(f"player@opponent={others[0][0]}")
        overrides += [f"opponent.{change}" for change in others[0][1:]]
    else:
        overrides.append(f"match.others={_listed(others)}")
    shared = [one for one in cell.settings if not one.startswith(EVERYBODY)]
    seats = BOTH if len(others) == 1 and cell.layout != ROBIN else (cell.layout,)
    overrides += [*shared, f"match.layout={'both' if seats == BOTH else cell.layout}", *general]
    match = _composed(tuple(overrides))[seats.index(cell.layout)]
    return replace(match, name=f"{match.name}, {cell.variant}") if cell.variant else match


def _listed(seated: Sequence[Sequence[str]]) -> str:
    """Return players as a list of ``match.players``."""
    return f"[{','.join(quote_text('+'.join(player)) for player in seated)}]"


def _changes(table: Table, cell: Cell, entrant: Entrant, budget: int | None) -> list[str]:
    """Return what makes ``entrant`` of its preset, as ``KEY=VALUE``."""
    changes = [*_model(table, cell, entrant), *entrant.changes, f"label={entrant.label}"]
    if budget is not None and "budget" in entrant.settings:
        changes.append(f"budget.simulations={budget}")
    for setting in cell.settings:
        key, _, value = setting.removeprefix(EVERYBODY).partition("=")
        if setting.startswith(EVERYBODY) and key in entrant.settings:
            changes.append(f"{key}={value}")
    return changes


@cache  # composing takes long, and layouts and ways of a step have it in common
def _composed(overrides: tuple[str, ...]) -> list[Match]:
    """Return the matches of these settings, one a layout."""
    settings = config.composed("compare", overrides)
    config.check(settings)
    return lineups.matches(settings)


def _model(table: Table, cell: Cell, entrant: Entrant) -> list[str]:
    """Return the settings by which ``entrant`` takes the others for what the table says."""
    measured = entrant is cell.player
    settings = entrant.settings
    if "opponents" not in settings or table.model == PRESET or entrant.label in table.own_model:
        return []
    if table.model is None and (cell.layout == ROBIN or (measured and len(cell.opponents) > 1)):
        raise Refusal(f"{table.name}: a planner needs one model of all opponents: give model")
    if table.model is None and not measured:  # whom they meet is another from cell to cell
        return []
    taken = cell.opponents[0] if table.model is None else Entrant.read(table.model)
    # Where the tree moves the opponents, the policy is that of its roll-outs.
    key = "rollout.opponents" if settings.opponents == "tree" else "opponents"
    name = taken.settings.name  # presets such as reader are others under one of these names
    policy = "swift" if name == "greedy" else name
    switches = {**taken.settings, **dict(change.split("=", 1) for change in taken.changes)}
    told = [f"model.{name}={switches[name]}" for name in settings.model if name in switches]
    return [f"{key}={policy}", *told]
