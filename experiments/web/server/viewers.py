"""A table for its viewers: from a seat, or without one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from experiments.web.analysis.notebook import Entropies, Knowledge, notebook
from experiments.web.server.guard import read_body
from experiments.web.server.pages import page
from experiments.web.server.state import driver_of, place_of, seat_of, state_of
from experiments.web.tables.registry import Entry
from experiments.web.tables.requests import Body, Natural, Pace
from experiments.web.tables.table import NotNow
from sim.player import IllegalAction
from sim.records.events import Event


class AnswerRequest(Body):
    """An answer to the question with ``number``."""

    number: Natural
    action: Natural


class ControlRequest(Body):
    """One way to control a table."""

    pause: bool | None = None
    step: Literal["event", "turn"] | None = None
    pace: Pace | None = None


def describe(entry: Entry) -> dict[str, Any]:
    """Return the public facts of a table."""
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
    }


async def show_page(request: Request) -> HTMLResponse:
    """Return the page of a seat, or of a table for spectators."""
    return page("watch" if place_of(request)[1] is None else "play")


async def show(request: Request) -> JSONResponse:
    """Return table and seat; without a seat, whether spectators see all and set the pace."""
    entry, seat = place_of(request)
    if seat is not None:
        return JSONResponse({**describe(entry), "seat": seat})
    driver = await driver_of(request, entry)
    about = {
        "open": driver.open,
        "control": not entry.setup.people and not entry.over,
        "paused": driver.paused,
        "pace": driver.pace,
    }
    return JSONResponse({**describe(entry), **about})


async def stream(request: Request) -> Response:
    """Send the viewer's events as they happen; 503 if too many streams are open."""
    entry, seat = place_of(request)
    driver = await driver_of(request, entry)
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    viewer, last = driver.spectator if seat is None else seat, request.headers.get("last-event-id")
    found = state_of(request).streams.open(driver, viewer, last)
    if found is None:
        raise HTTPException(503, "too many viewers: try again later")
    return found


async def answer(request: Request) -> JSONResponse:
    """Accept an answer; a stale, repeated or illegal one changes nothing."""
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
        sentence = f"your answer cannot be saved ({fault.strerror}): give it again later"
        raise HTTPException(507, sentence) from None
    return JSONResponse({})


async def show_notebook(request: Request) -> JSONResponse:
    """Return what the seat can prove; with hints also the probabilities of the rest."""
    entry, seat = seat_of(request)
    driver = await driver_of(request, entry)
    setup = entry.setup
    known = Knowledge.of(setup.build_rules(), seat, driver.table.known_to(seat))
    return JSONResponse(await state_of(request).workers.run(notebook, known, setup.hints))


async def control(request: Request) -> JSONResponse:
    """Pause, step, or set the pace of a table without people."""
    entry, _ = place_of(request)
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
    """Return what each seat knows, and its bits by turn."""
    entry, _ = place_of(request)
    driver = await driver_of(request, entry)
    if not driver.open:
        raise HTTPException(403, "people sit at this table: beliefs are shown after the end")
    shown = driver.table.game.events[: driver.table.shown]
    workers = state_of(request).workers
    return JSONResponse(await workers.run_long(_beliefs, driver.entropies, shown))


def _beliefs(entropies: Entropies, shown: list[Event]) -> dict[str, Any]:
    rules = entropies.rules
    seats = [Knowledge.of(rules, seat, shown) for seat in range(rules.players)]
    turns = [{"turn": turn, "bits": bits} for turn, bits in entropies.turns(shown)]
    return {"seats": [notebook(one, chance=True) for one in seats], "turns": turns}


ROUTES = (
    *(
        route
        for place in ("/seat/{token}", "/watch/{table}")
        for route in (
            Route(place, show_page),
            Route(f"/api{place}", show),
            Route(f"/api{place}/stream", stream),
        )
    ),
    Route("/api/seat/{token}/notebook", show_notebook),
    Route("/api/seat/{token}/answer", answer, methods=["POST"]),
    Route("/api/watch/{table}/beliefs", beliefs),
    Route("/api/watch/{table}/control", control, methods=["POST"]),
)
