"""The match of each cell of a table, for `experiments.compare`.

All cells of a table are one run.  Cells with the same opponents play the same games, so their
differences are paired.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from experiments.matches import lineups
from experiments.matches.schedule import Match
from experiments.settings import config
from experiments.settings.arguments import quote_text
from experiments.settings.commandline import Refusal
from experiments.tables.schema import EVERYBODY, PRESET, ROBIN, Cell, Entrant, Table

BOTH = ("one", "rest")
"""The layouts of ``match.layout=both``."""


def matches(table: Table, simulations: int | None, seed: int) -> list[Match]:
    """Return the match of each cell of ``table``, in order.

    ``simulations`` per decision replace the table's number unless None.  Raises Refusal if the
    settings cannot be met.
    """
    budget = simulations or table.simulations
    general = [f"seed={seed}", f"run.details=[{','.join(table.details)}]"]
    return [
        _make_match(table, cell, general, budget if table.simulations else None)
        for cell in table.cells
    ]


def _make_match(table: Table, cell: Cell, general: Sequence[str], budget: int | None) -> Match:
    player, *others = seated = [
        (entrant.preset, *_changes(table, cell, entrant, budget))
        for entrant in (cell.player, *cell.opponents)
    ]
    overrides = [f"player={player[0]}", *(f"player.{change}" for change in player[1:])]
    if cell.layout == ROBIN:
        overrides = [f"match.players={_quote_players(seated)}"]
    elif len(others) == 1:
        overrides.append(f"opponent={others[0][0]}")
        overrides += [f"opponent.{change}" for change in others[0][1:]]
    else:
        overrides.append(f"match.others={_quote_players(others)}")
    shared = [one for one in cell.settings if not one.startswith(EVERYBODY)]
    seats = BOTH if len(others) == 1 and cell.layout != ROBIN else (cell.layout,)
    overrides += [*shared, f"match.layout={'both' if seats == BOTH else cell.layout}", *general]
    match = _compose_matches(tuple(overrides))[seats.index(cell.layout)]
    return replace(match, name=f"{match.name}, {cell.variant}") if cell.variant else match


def _quote_players(seated: Sequence[Sequence[str]]) -> str:
    return f"[{','.join(quote_text('+'.join(player)) for player in seated)}]"


def _changes(table: Table, cell: Cell, entrant: Entrant, budget: int | None) -> list[str]:
    """Return the changes of ``entrant`` to its preset as ``KEY=VALUE``."""
    changes = [*_model(table, cell, entrant), *entrant.changes, f"label={entrant.label}"]
    if budget is not None and "budget" in entrant.settings:
        changes.append(f"budget.simulations={budget}")
    for setting in cell.settings:
        key, _, value = setting.removeprefix(EVERYBODY).partition("=")
        if setting.startswith(EVERYBODY) and key in entrant.settings:
            changes.append(f"{key}={value}")
    return changes


@cache  # layouts and variants share matches
def _compose_matches(overrides: tuple[str, ...]) -> list[Match]:
    settings = config.compose("compare", overrides)
    config.check(settings)
    return lineups.matches(settings)


def _model(table: Table, cell: Cell, entrant: Entrant) -> list[str]:
    """Return the settings that give ``entrant`` the table's model of the others."""
    measured = entrant is cell.player
    settings = entrant.settings
    if "opponents" not in settings or table.model == PRESET or entrant.label in table.own_model:
        return []
    if table.model is None and (cell.layout == ROBIN or (measured and len(cell.opponents) > 1)):
        raise Refusal(f"{table.name}: a planner needs one model of all opponents: give model")
    if table.model is None and not measured:  # its opponents differ between cells
        return []
    modelled = cell.opponents[0] if table.model is None else Entrant.read(table.model)
    # If the tree moves the opponents, their policy is that of its roll-outs.
    key = "rollout.opponents" if settings.opponents == "tree" else "opponents"
    name = modelled.settings.name  # presets such as reader are variants under such a name
    policy = "swift" if name == "greedy" else name
    switches = {str(switch): modelled.settings[switch] for switch in modelled.settings}
    for change in modelled.changes:
        switch, _, value = change.partition("=")
        switches[switch] = value
    model = [f"model.{name}={switches[name]}" for name in settings.model if name in switches]
    return [f"{key}={policy}", *model]
