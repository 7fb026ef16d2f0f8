"""A seat: what it is, what its occupant is told, and what they answer."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from experiments.web.seen.notebook import Knowledge, notebook
from experiments.web.server.guard import body
from experiments.web.server.state import aside, driver_of, seat_of, state_of
from experiments.web.tables.hall import Entry
from experiments.web.tables.setup import PERSON
from experiments.web.tables.table import NotNow
from sim.player import IllegalAction


class _Answer(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    number: Annotated[int, Field(ge=0, lt=2**31)]
    action: Annotated[int, Field(ge=0, lt=2**31)]


def about(entry: Entry) -> dict[str, object]:
    """Return what everybody may know of a table."""
    setup = entry.setup
    rules = setup.made_rules()
    return {
        "table": entry.id,
        "rules": asdict(rules),
        "seats": [
            {"label": label, "suspect": suspect, "person": seat["name"] == PERSON}
            for label, suspect, seat in zip(entry.labels, rules.suspects, setup.seats, strict=True)
        ],
        "board": rules.board,
        "hints": setup.hints,
        "study": setup.study,
    }


async def show(request: Request) -> JSONResponse:
    """Tell which seat this is."""
    entry, seat = seat_of(request)
    return JSONResponse({**about(entry), "seat": seat})


async def stream(request: Request) -> Response:
    """Tell the seat what it may know, as it happens."""
    entry, seat = seat_of(request)
    driver = await driver_of(request, entry)
    return opened(request, driver, seat)


def opened(request: Request, driver, viewer) -> Response:
    """Return the stream of ``driver``'s table to ``viewer``; 503 if there are too many."""
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    last = request.headers.get("last-event-id")
    found = state_of(request).streams.opened(driver, viewer, last)
    if found is None:
        raise HTTPException(503, "too many people are looking: try again later")
    return found


async def answer(request: Request) -> JSONResponse:
    """Take an answer; one that is stale, repeated or illegal changes nothing."""
    entry, seat = seat_of(request)
    try:
        given = _Answer.model_validate(await body(request))
    except ValidationError:
        raise HTTPException(422, "an answer is {number, action}, two whole numbers") from None
    driver = await driver_of(request, entry)
    try:
        driver.answer(seat, given.number, given.action)
    except NotNow as fault:
        raise HTTPException(409, str(fault)) from None
    except IllegalAction:
        raise HTTPException(422, "the rules do not allow this here") from None
    except OSError as fault:
        told = f"your answer cannot be written down ({fault.strerror}): give it again later"
        raise HTTPException(507, told) from None
    return JSONResponse({})


async def book(request: Request) -> JSONResponse:
    """Tell what is proved from what the seat knows; with hints how likely the rest is."""
    entry, seat = seat_of(request)
    driver = await driver_of(request, entry)
    setup = entry.setup
    known = Knowledge.of(setup.made_rules(), seat, driver.table.known_to(seat))
    return JSONResponse(await aside(request, notebook, known, setup.hints))


def routes() -> list[Route]:
    """Return the routes of seats."""
    return [
        Route("/api/seat/{token}", show, methods=["GET"]),
        Route("/api/seat/{token}/stream", stream, methods=["GET"]),
        Route("/api/seat/{token}/notebook", book, methods=["GET"]),
        Route("/api/seat/{token}/answer", answer, methods=["POST"]),
    ]
