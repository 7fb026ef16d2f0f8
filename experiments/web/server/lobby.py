"""The lobby: presets, tables, recorded games, runs; tables are made here."""

from __future__ import annotations

from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from experiments.web.server.guard import read_body
from experiments.web.server.runs import links
from experiments.web.server.state import State, refusals, state_of
from experiments.web.server.warmup import warm_up
from experiments.web.tables.registry import Entry
from experiments.web.tables.requests import TableRequest, compose_table, list_players, list_rules
from mcts.kernel.compile import SEARCHING, count_functions

MOST_SHOWN = 200
"""Tables in the lobby, the latest first."""


@cache
def presets() -> dict[str, Any]:
    """Return presets of rules and players; files are read once."""
    return {"rules": list_rules(), "players": list_players()}


async def show(request: Request) -> JSONResponse:
    """Return all that the lobby shows."""
    state = state_of(request)
    library = state.library
    latest = list(state.registry.entries.values())[: -MOST_SHOWN - 1 : -1]
    records, runs, under_way, took = await state.workers.run(
        lambda: (library.records(), library.runs(), library.under_way(), _times(state, latest))
    )
    return JSONResponse(
        {
            **presets(),
            "tables": [_describe(entry) for entry in latest],
            "records": [
                {"id": one.name, **one.about, "seconds": took.get(one.name)} for one in records
            ],
            "runs": [{"id": one.name, **one.about, **links(one.name, one.path)} for one in runs],
            "under_way": [{"id": one.name, **one.about} for one in under_way],
            "reach": state.reach,
        }
    )


async def count_compiled(_: Request) -> JSONResponse:
    """Return how many functions this process has compiled, and may, for those who wait."""
    return JSONResponse({"functions": count_functions(), "most": SEARCHING})


async def make(request: Request) -> JSONResponse:
    """Make a table; the links to its seats are handed out this once."""
    state = state_of(request)
    given = await read_body(request, TableRequest)
    with refusals():
        setup = await state.workers.run(compose_table, given, state.limits)
        await state.workers.compile(warm_up, setup)
        entry, tokens = await state.registry.make(setup)
    links = {str(seat): f"/seat/{token}" for seat, token in tokens.items()}
    return JSONResponse({"id": entry.id, "seats": links, "watch": f"/watch/{entry.id}"}, 201)


def _times(state: State, entries: list[Entry]) -> dict[str | None, float]:
    """Return by the name of its record how many seconds a game here took."""
    registry = state.registry
    return {
        state.library.name_of(registry.record_of(one)): one.outcome["seconds"]
        for one in entries
        if one.outcome
    }


def _describe(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "rules": entry.setup.rules["name"],
        "seats": entry.setup.labels,
        "over": entry.over,
        "aside": entry.aside,
        **(entry.outcome or {}),
        "open": entry.over or not entry.setup.people,
    }


ROUTES = (
    Route("/api/lobby", show),
    Route("/api/compiled", count_compiled),
    Route("/api/tables", make, methods=["POST"]),
)
