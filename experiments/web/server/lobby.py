"""The lobby: what can be opened, and new tables, made there or again after a game."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from experiments.settings.commandline import Refusal
from experiments.web.server.guard import read_body
from experiments.web.server.state import State, place_of, state_of
from experiments.web.server.warmup import warm_up
from experiments.web.shares import Crowded
from experiments.web.tables.registry import Entry
from experiments.web.tables.requests import TableRequest, compose_table, list_players, list_rules
from experiments.web.tables.setup import Setup
from mcts.kernel.compile import SEARCHING, count_functions

MOST_SHOWN = 200
"""Maximum number of tables in the lobby, newest first."""


@cache
def presets() -> dict[str, Any]:
    """Return presets of rules and players, read once."""
    return {"rules": list_rules(), "players": list_players()}


async def show(request: Request) -> JSONResponse:
    """Return the content of the lobby."""
    state = state_of(request)
    library = state.library
    latest = list(state.registry.entries.values())[: -MOST_SHOWN - 1 : -1]
    records, took = await state.workers.run(lambda: (library.records(), _times(state, latest)))
    return JSONResponse(
        {
            **presets(),
            "tables": [_describe(entry) for entry in latest],
            "records": [
                {"id": one.name, **one.about, "seconds": took.get(one.name)} for one in records
            ],
            "reach": state.reach,
        }
    )


def _times(state: State, entries: list[Entry]) -> dict[str | None, float]:
    """Return the seconds of games played here, by name of their record."""
    library, registry = state.library, state.registry
    return {
        library.name_of(registry.record_of(one)): one.outcome["seconds"]
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


async def count_compiled(_: Request) -> JSONResponse:
    """Return how many functions this process has compiled, and the total, for waiting users."""
    return JSONResponse({"functions": count_functions(), "most": SEARCHING})


async def make(request: Request) -> JSONResponse:
    """Make a table; the links to its seats are returned only here."""
    state = state_of(request)
    given = await read_body(request, TableRequest)
    try:
        setup = await state.workers.run(compose_table, given, state.limits)
    except ValueError as fault:
        raise HTTPException(422, str(fault)) from None
    return await _make(state, setup)


async def show_after(request: Request) -> JSONResponse:
    """Return the links from a finished game, for a seat or a spectator.

    ``record`` is the link of its record, or None; ``again`` is whether the table can be made again.
    """
    state, entry, again = await _find_finished(request)
    name = await state.workers.run(state.library.name_of, state.registry.record_of(entry))
    return JSONResponse({"record": None if name is None else f"/records/{name}", "again": again})


async def play_again(request: Request) -> JSONResponse:
    """Make a table again for the same players, with a new deal."""
    state, entry, again = await _find_finished(request)
    if not again:
        raise HTTPException(409, "this game cannot be played again from here")
    return await _make(state, replace(entry.setup, seed=None, game=0))


async def _find_finished(request: Request) -> tuple[State, Entry, bool]:
    """Return the table of a finished game, and whether it can be made again: by its people, or by
    all if it had none.  409 if it is not over.
    """
    state, (entry, seat) = state_of(request), place_of(request)
    await state.registry.settle(entry)
    if not entry.over:
        raise HTTPException(409, "this game is not over")
    return state, entry, seat is not None or not entry.setup.people


async def _make(state: State, setup: Setup) -> JSONResponse:
    try:
        await state.workers.compile(warm_up, setup)
        entry, tokens = await state.registry.make(setup)
    except Crowded as fault:
        raise HTTPException(429, str(fault)) from None
    except ValueError as fault:
        raise HTTPException(422, str(fault)) from None
    except (OSError, Refusal) as fault:
        raise HTTPException(507, f"it cannot be saved: {fault}") from None
    seats = {str(seat): f"/seat/{token}" for seat, token in tokens.items()}
    return JSONResponse({"id": entry.id, "seats": seats, "watch": f"/watch/{entry.id}"}, 201)


_PLACES = "seat/{token}", "watch/{table}"
ROUTES = (
    Route("/api/lobby", show),
    Route("/api/compiled", count_compiled),
    Route("/api/tables", make, methods=["POST"]),
    *(Route(f"/api/{place}/after", show_after) for place in _PLACES),
    *(Route(f"/api/{place}/again", play_again, methods=["POST"]) for place in _PLACES),
)
