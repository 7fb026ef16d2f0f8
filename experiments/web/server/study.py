"""A study by link: its instructions, a participant's page, the way to the next game."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route

from experiments.web.server.guard import read_body
from experiments.web.server.pages import page
from experiments.web.server.state import refusals, state_of
from experiments.web.server.warmup import warm_up
from experiments.web.tables.requests import Body
from experiments.web.tables.study import Participant, Preset, pseudonym


class BeginRequest(Body):
    """The query of the link of a study."""

    query: Annotated[str, Field(max_length=1000)]


async def show_instructions(request: Request) -> HTMLResponse:
    """Return the page that the link of a study opens."""
    preset = await _preset(request, request.url.query)
    return page("study", preset=preset, person=None, progress=None)


async def begin(request: Request) -> JSONResponse:
    """Give a new participant a number and a link."""
    preset = await _preset(request, (await read_body(request, BeginRequest)).query)
    with refusals():
        token = state_of(request).studies.begin(preset)
    return JSONResponse({"link": f"/study/{token}"}, 201)


async def show_person(request: Request) -> HTMLResponse:
    """Return the page of a participant: their progress, and the next game."""
    person = _person(request)
    progress = await state_of(request).studies.progress(person)
    name = pseudonym(person.number)
    return page("study", preset=person.preset, person=name, progress=progress)


async def go_on(request: Request) -> JSONResponse:
    """Return the link of a participant's current seat, a new one after a game."""
    state, person = state_of(request), _person(request)
    with refusals():
        setup = await state.workers.run(person.preset.set_up, person.number, 0, state.limits)
        await state.workers.compile(warm_up, setup)
        seat = await state.studies.go_on(request.path_params["token"], state.limits)
    return JSONResponse({"link": None if seat is None else f"/seat/{seat}"})


async def _preset(request: Request, query: str) -> Preset:
    """Return the preset of a link; 400 with one sentence if it is invalid."""
    state = state_of(request)
    try:
        return await state.workers.run(Preset.from_query, query, state.limits)
    except ValueError as fault:
        sentence = f"the link of this study cannot be used: {fault}. Ask for another one."
        raise HTTPException(400, sentence) from None


def _person(request: Request) -> Participant:
    """Return the participant of the token in the path; 404 if it is unknown."""
    token = request.path_params["token"]
    found = None if "." in token else state_of(request).studies.find(token)
    if found is None:
        raise HTTPException(404, "this link belongs to no study")
    return found


ROUTES = (
    Route("/study", show_instructions),
    Route("/study/{token}", show_person),
    Route("/api/study", begin, methods=["POST"]),
    Route("/api/study/{token}/next", go_on, methods=["POST"]),
)
