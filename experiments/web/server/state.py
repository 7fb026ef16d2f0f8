"""State shared by all routes, and functions that find seats, tables and drivers in it."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request

from experiments.web.library import Library
from experiments.web.server.streams import Streams
from experiments.web.settings import Search
from experiments.web.shares import Crowded
from experiments.web.tables.driver import HALTED, Driver
from experiments.web.tables.registry import Entry, Registry
from experiments.web.workers import Workers


@dataclass(frozen=True)
class State:
    """State shared by all routes."""

    registry: Registry
    streams: Streams
    workers: Workers
    limits: Search  # of searches at a table
    library: Library
    reach: str  # who can reach this server, in words


def state_of(request: Request) -> State:
    """Return the shared state of the routes."""
    state: State = request.app.state.shared
    return state


def place_of(request: Request) -> tuple[Entry, int | None]:
    """Return table and seat of the token in the path, or the named table and None; else 404."""
    registry, named = state_of(request).registry, request.path_params
    if "token" in named:
        if (found := registry.seat(named["token"])) is None:
            raise HTTPException(404, "this link leads to no seat")
        return found
    if (entry := registry.entries.get(named["table"])) is None:
        raise HTTPException(404, "unknown table")
    return entry, None


def seat_of(request: Request) -> tuple[Entry, int]:
    """Return the table and seat of the token in the path; 404 if it is unknown."""
    entry, seat = place_of(request)
    assert seat is not None
    return entry, seat


async def driver_of(request: Request, entry: Entry) -> Driver:
    """Return the driver of the table; 409 if its game is halted, 429 if the server is full."""
    try:
        return await state_of(request).registry.driver(entry)
    except Crowded as fault:
        raise HTTPException(429, str(fault)) from None
    except (OSError, ValueError):
        raise HTTPException(409, HALTED) from None
