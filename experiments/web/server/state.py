"""What all routes share: the hall, the connections, limits, and who can reach the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from experiments.web.library import Library
from experiments.web.server.streams import Streams
from experiments.web.tables.driver import Driver
from experiments.web.tables.hall import Crowded, Entry, Hall
from experiments.web.tables.wish import Limits

Result = TypeVar("Result")


@dataclass(frozen=True)
class State:
    """What all routes share.

    Attributes
    ----------
    hall : the tables
    streams : the connections that are open
    pool : threads in which players decide
    asides : threads for what takes a moment and is nobody's move
    lengths : threads for what may take a minute
    limits : of searches at a table
    library : of recorded games and runs
    reach : who can reach this server, in words
    """

    hall: Hall
    streams: Streams
    pool: Executor
    asides: Executor
    lengths: Executor
    limits: Limits
    library: Library
    reach: str


def state_of(request: Request) -> State:
    """Return what the routes share."""
    return request.app.state.shared


def seat_of(request: Request) -> tuple[Entry, int]:
    """Return the table and seat of the token in the path; 404 if it is nobody's."""
    found = state_of(request).hall.seat(request.path_params["token"])
    if found is None:
        raise HTTPException(404, "this link leads to no seat")
    return found


def table_of(request: Request) -> Entry:
    """Return the table that the path names; 404 if there is none."""
    entry = state_of(request).hall.entries.get(request.path_params["table"])
    if entry is None:
        raise HTTPException(404, "there is no such table")
    return entry


async def aside(request: Request, work: Callable[..., Result], *given: Any) -> Result:
    """Return what ``work`` makes of what is ``given``, in a thread."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(state_of(request).asides, work, *given)


async def at_length(request: Request, work: Callable[..., Result], *given: Any) -> Result:
    """Return the same of ``work`` that may take a minute: no notebook waits for it."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(state_of(request).lengths, work, *given)


async def considered(request: Request, work: Callable[..., Result], *given: Any) -> Result:
    """Return the same of ``work`` that searches: one of those that may at the same time."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(state_of(request).pool, work, *given)


async def driver_of(request: Request, entry: Entry) -> Driver:
    """Return what drives the table; 409 if its game cannot go on, 429 if there is no room."""
    try:
        return await state_of(request).hall.driver(entry)
    except Crowded as fault:
        raise HTTPException(429, str(fault)) from None
    except (OSError, ValueError):
        raise HTTPException(409, "this game cannot go on: see the server's terminal") from None
