"""The lobby: what there is to play with, tables, recorded games, runs; tables are made here."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from experiments.settings.commandline import Refusal
from experiments.web.library import Thing, regular
from experiments.web.server.guard import body
from experiments.web.server.ready import ready
from experiments.web.server.records import REPORT
from experiments.web.server.state import state_of
from experiments.web.tables import wish
from experiments.web.tables.hall import Crowded, Entry

MOST_SHOWN = 200
"""Tables in the lobby, the latest first."""


@cache
def choices() -> dict[str, Any]:
    """Return presets of rules and players; files are read once."""
    return {"rules": wish.rules(), "players": wish.players()}


async def lobby(request: Request) -> JSONResponse:
    """Tell what there is."""
    state = state_of(request)
    library = state.library
    records, runs = await asyncio.to_thread(lambda: (library.records(), library.runs()))
    latest = list(state.hall.entries.values())[: -MOST_SHOWN - 1 : -1]
    return JSONResponse(
        {
            **choices(),
            "tables": [_told(entry) for entry in latest],
            "records": [{"id": one.name, **one.about} for one in records],
            "runs": [_run(one) for one in runs],
            "reach": state.reach,
        }
    )


async def make(request: Request) -> JSONResponse:
    """Make a table; the links to its seats are told this once."""
    state = state_of(request)
    given = await body(request)
    try:
        asked = await asyncio.to_thread(wish.settled, given, state.limits)
        await asyncio.to_thread(ready, asked)
        entry, tokens = await state.hall.make(asked)
    except Crowded as fault:
        raise HTTPException(429, str(fault)) from None
    except ValueError as fault:
        raise HTTPException(422, str(fault)) from None
    except (OSError, Refusal) as fault:
        raise HTTPException(507, f"the table cannot be written down: {fault}") from None
    links = {str(seat): f"/seat/{token}" for seat, token in tokens.items()}
    return JSONResponse({"id": entry.id, "seats": links, "watch": f"/watch/{entry.id}"}, 201)


def _run(run: Thing) -> dict[str, Any]:
    there = regular(run.path / REPORT)
    return {"id": run.name, **run.about, "report": f"/runs/{run.name}" if there else None}


def _told(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "rules": entry.setup.rules["name"],
        "seats": entry.labels,
        "over": entry.over,
        "aside": entry.aside,
        "open": entry.over or not entry.setup.people,
    }


def routes() -> list[Route]:
    """Return the routes of the lobby."""
    return [
        Route("/api/lobby", lobby, methods=["GET"]),
        Route("/api/tables", make, methods=["POST"]),
    ]
