"""A table as spectators see it: public knowledge, and its pace where no person sits."""

from __future__ import annotations

from typing import Any, Literal
from weakref import WeakKeyDictionary

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from experiments.web.analysis.notebook import Knowledge, notebook
from experiments.web.analysis.timeline import Entropies
from experiments.web.server.guard import read_body
from experiments.web.server.pages import page
from experiments.web.server.seat import describe, open_stream
from experiments.web.server.state import driver_of, state_of, table_of
from experiments.web.tables.driver import Driver
from experiments.web.tables.requests import Body, Pace
from sim.records.events import Event

_entropies: WeakKeyDictionary[Driver, Entropies] = WeakKeyDictionary()
"""Of the tables whose beliefs were requested."""


class ControlRequest(Body):
    """One of the ways to control a table."""

    pause: bool | None = None
    step: Literal["event", "turn"] | None = None
    pace: Pace | None = None


async def show_page(request: Request) -> HTMLResponse:
    """Return the page of a table that is watched."""
    table_of(request)
    return page("watch")


async def show(request: Request) -> JSONResponse:
    """Return the table, and whether it is open and controlled by spectators."""
    entry = table_of(request)
    driver = await driver_of(request, entry)
    about = {
        "open": driver.open,
        "control": not entry.setup.people and not entry.over,
        "paused": driver.paused,
        "pace": driver.pace,
    }
    return JSONResponse({**describe(entry), **about})


async def stream(request: Request) -> Response:
    """Send what every viewer may know, as it happens."""
    driver = await driver_of(request, table_of(request))
    return open_stream(request, driver, driver.spectator)


async def control(request: Request) -> JSONResponse:
    """Pause, step, or set the pace of a table without people."""
    entry = table_of(request)
    if entry.setup.people:
        raise HTTPException(403, "people sit at this table: they set its pace")
    given = await read_body(request, ControlRequest)
    if len(given.model_dump(exclude_none=True)) != 1:
        raise HTTPException(422, "give one of pause, step (event or turn) and pace")
    driver = await driver_of(request, entry)
    if given.pause is not None:
        driver.pause(given.pause)
    elif given.pace is not None:
        driver.set_pace(given.pace)
    elif given.step == "event":
        driver.step()
    else:
        driver.step_turn()
    state_of(request).registry.save_pace(entry)
    return JSONResponse({"paused": driver.paused, "pace": driver.pace})


async def beliefs(request: Request) -> JSONResponse:
    """Return what each seat knows, and the bits it had left turn by turn."""
    entry = table_of(request)
    driver = await driver_of(request, entry)
    if not driver.open:
        raise HTTPException(403, "people sit at this table: beliefs are shown after the end")
    if driver not in _entropies:
        _entropies[driver] = Entropies(driver.table.game.rules)
    shown = driver.table.game.events[: driver.table.shown]
    workers = state_of(request).workers
    return JSONResponse(await workers.run_long(_beliefs, _entropies[driver], shown))


def _beliefs(entropies: Entropies, shown: list[Event]) -> dict[str, Any]:
    rules = entropies.rules
    seats = [Knowledge.of(rules, seat, shown) for seat in range(rules.players)]
    turns = [{"turn": turn, "bits": bits} for turn, bits in entropies.turns(shown)]
    return {"seats": [notebook(one, chance=True) for one in seats], "turns": turns}


ROUTES = (
    Route("/watch/{table}", show_page),
    Route("/api/watch/{table}", show),
    Route("/api/watch/{table}/stream", stream),
    Route("/api/watch/{table}/beliefs", beliefs),
    Route("/api/watch/{table}/control", control, methods=["POST"]),
)
