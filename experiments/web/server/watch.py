"""A table, watched: what everybody may know of it, and its pace where nobody sits."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from weakref import WeakKeyDictionary

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from experiments.web.seen.entropies import Entropies
from experiments.web.seen.notebook import Knowledge, notebook
from experiments.web.server.guard import body
from experiments.web.server.seat import about, opened
from experiments.web.server.state import at_length, driver_of, state_of, table_of
from experiments.web.tables.driver import Driver
from experiments.web.tables.setup import SLOWEST
from sim.records.events import Event

_entropies: WeakKeyDictionary[Driver, Entropies] = WeakKeyDictionary()
"""Of the tables that somebody has asked about."""


class _Control(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    pause: bool | None = None
    step: Literal["event", "turn"] | None = None
    pace: Annotated[float, Field(ge=0.0, le=SLOWEST, allow_inf_nan=False)] | None = None


async def show(request: Request) -> JSONResponse:
    """Tell which table this is."""
    entry = table_of(request)
    driver = await driver_of(request, entry)
    controlled = not entry.setup.people and not entry.over
    told = {"open": driver.open, "control": controlled, "paused": driver.paused}
    return JSONResponse({**about(entry), **told, "pace": driver.pace})


async def stream(request: Request) -> Response:
    """Tell what everybody may know, as it happens."""
    driver = await driver_of(request, table_of(request))
    return opened(request, driver, driver.viewer)


async def control(request: Request) -> JSONResponse:
    """Pause, step, or set the pace of a table at which nobody sits."""
    entry = table_of(request)
    if entry.setup.people:
        raise HTTPException(403, "people sit at this table: its pace is theirs")
    try:
        given = _Control.model_validate(await body(request))
    except ValidationError:
        raise HTTPException(422, "give one of pause, step (event or turn) and pace") from None
    wanted = given.model_dump(exclude_none=True)
    if len(wanted) != 1:
        raise HTTPException(422, "give one of pause, step (event or turn) and pace")
    driver = await driver_of(request, entry)
    if given.pause is not None:
        driver.pause(given.pause)
    elif given.step == "event":
        driver.step()
    elif given.step == "turn":
        driver.step_turn()
    else:
        driver.set_pace(given.pace)
    state_of(request).hall.keep_pace(entry)
    return JSONResponse({"paused": driver.paused, "pace": driver.pace})


async def beliefs(request: Request) -> JSONResponse:
    """Tell what each seat knows, and the bits it had left turn by turn."""
    entry = table_of(request)
    driver = await driver_of(request, entry)
    if not driver.open:
        raise HTTPException(403, "people sit at this table: what each knows is told after the end")
    if driver not in _entropies:
        _entropies[driver] = Entropies(driver.table.game.rules)
    shown = driver.table.game.events[: driver.table.shown]
    return JSONResponse(await at_length(request, _known, _entropies[driver], shown))


def _known(entropies: Entropies, shown: list[Event]) -> dict[str, Any]:
    rules = entropies.rules
    seats = [Knowledge.of(rules, seat, shown) for seat in range(rules.players)]
    turns = [{"turn": turn, "bits": bits} for turn, bits in entropies.turns(shown)]
    return {"seats": [notebook(one, chance=True) for one in seats], "turns": turns}


def routes() -> list[Route]:
    """Return the routes of those who watch."""
    return [
        Route("/api/watch/{table}", show, methods=["GET"]),
        Route("/api/watch/{table}/stream", stream, methods=["GET"]),
        Route("/api/watch/{table}/beliefs", beliefs, methods=["GET"]),
        Route("/api/watch/{table}/control", control, methods=["POST"]),
    ]
