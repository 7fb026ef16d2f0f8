"""A seat: its page, its description, its stream, its notebook, its answers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from experiments.web.analysis.notebook import Knowledge, notebook
from experiments.web.analysis.proof import prove
from experiments.web.server.guard import read_body
from experiments.web.server.pages import page
from experiments.web.server.state import driver_of, seat_of, state_of
from experiments.web.tables.driver import Driver, Viewer
from experiments.web.tables.registry import Entry
from experiments.web.tables.requests import Body, Natural
from experiments.web.tables.table import NotNow
from sim.cards import N_CARDS
from sim.player import IllegalAction


class AnswerRequest(Body):
    """An answer to the question with ``number``."""

    number: Natural
    action: Natural


def describe(entry: Entry) -> dict[str, Any]:
    """Return what every viewer may know of a table."""
    setup = entry.setup
    rules = setup.build_rules()
    return {
        "table": entry.id,
        "rules": asdict(rules),
        "seats": [
            {"label": label, "suspect": suspect, "person": seat in setup.people}
            for seat, (label, suspect) in enumerate(zip(setup.labels, rules.suspects, strict=True))
        ],
        "board": rules.board,
        "hints": setup.hints,
        "study": setup.study,
        "dealt_again": setup.past is not None,
    }


def open_stream(request: Request, driver: Driver, viewer: Viewer) -> Response:
    """Return the stream of ``driver``'s table to ``viewer``; 503 if too many are open."""
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    last = request.headers.get("last-event-id")
    found = state_of(request).streams.open(driver, viewer, last)
    if found is None:
        raise HTTPException(503, "too many viewers: try again later")
    return found


async def show_page(request: Request) -> HTMLResponse:
    """Return the page of a seat."""
    seat_of(request)
    return page("play")


async def show(request: Request) -> JSONResponse:
    """Return table and number of the seat."""
    entry, seat = seat_of(request)
    return JSONResponse({**describe(entry), "seat": seat})


async def stream(request: Request) -> Response:
    """Send the seat what it may know, as it happens."""
    entry, seat = seat_of(request)
    return open_stream(request, await driver_of(request, entry), seat)


async def answer(request: Request) -> JSONResponse:
    """Take an answer; one that is stale, repeated or illegal changes nothing."""
    entry, seat = seat_of(request)
    given = await read_body(request, AnswerRequest)
    driver = await driver_of(request, entry)
    try:
        driver.answer(seat, given.number, given.action)
    except NotNow as fault:
        raise HTTPException(409, str(fault)) from None
    except IllegalAction:
        raise HTTPException(422, "the rules do not allow this here") from None
    except OSError as fault:
        sentence = f"your answer cannot be written down ({fault.strerror}): give it again later"
        raise HTTPException(507, sentence) from None
    return JSONResponse({})


async def show_notebook(request: Request) -> JSONResponse:
    """Return what is proved from what the seat knows; with hints how likely the rest is."""
    entry, seat = seat_of(request)
    driver = await driver_of(request, entry)
    setup = entry.setup
    known = Knowledge.of(setup.build_rules(), seat, driver.table.known_to(seat))
    return JSONResponse(await state_of(request).workers.run(notebook, known, setup.hints))


async def show_proof(request: Request) -> JSONResponse:
    """Return why a mark of the seat's notebook is certain, by what the seat knows."""
    entry, seat = seat_of(request)
    card, column = request.path_params["card"], request.path_params["column"]
    rules = entry.setup.build_rules()
    if card >= N_CARDS or column > rules.players:
        raise HTTPException(404, "the notebook has no such mark")
    driver = await driver_of(request, entry)
    known = Knowledge.of(rules, seat, driver.table.known_to(seat))
    found = await state_of(request).workers.run_long(prove, known, card, column, entry.setup.hints)
    if found is None:
        raise HTTPException(409, "this is not certain by what you have seen")
    return JSONResponse(found)


ROUTES = (
    Route("/seat/{token}", show_page),
    Route("/api/seat/{token}", show),
    Route("/api/seat/{token}/stream", stream),
    Route("/api/seat/{token}/notebook", show_notebook),
    Route("/api/seat/{token}/proof/{card:int}/{column:int}", show_proof),
    Route("/api/seat/{token}/answer", answer, methods=["POST"]),
)
