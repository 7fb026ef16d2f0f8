"""Recorded games and runs: a record to replay, its course, what a player would do there."""

from __future__ import annotations

import threading
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route

from experiments.explain.recorded import decisions
from experiments.settings.commandline import Refusal
from experiments.web.library import regular
from experiments.web.seen.advice import advice
from experiments.web.seen.course import FIRST_LINE, course
from experiments.web.seen.notebook import Knowledge, notebook
from experiments.web.server import messages
from experiments.web.server.guard import body
from experiments.web.server.rendering import page
from experiments.web.server.state import aside, at_length, considered, state_of
from experiments.web.tables import wish
from sim.records.record import OUTSIDE, Record, RecordError, read

REPORT = "report.html"
MOST_BYTES = 32 * 2**20
"""Of a report that is shown."""

ALONE = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-popups"
"""The policy for a report, which needs no other file, and may be somebody else's: no scripts."""

CHOSEN_DIGITS = 5
"""A seed of so many digits was chosen by somebody; figures of a report may be the same."""

_KEPT = 16
"""Records that are kept in memory."""


_playing_on = threading.Lock()


class _Question(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    line: Annotated[int, Field(ge=0, lt=2**31)]
    preset: wish.Named
    settings: wish.Settings = []
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0


async def show(request: Request) -> JSONResponse:
    """Tell all of a recorded game."""
    path = await _path(request)
    # With the seed anybody could deal the other games of its run, of which some may be under way.
    known = not _of_tables(request, path)
    return JSONResponse(await _asked(request, _told, path, known))


async def beliefs(request: Request) -> JSONResponse:
    """Tell the bits and the chances of all seats, turn by turn."""
    path = await _path(request)
    return JSONResponse({"turns": await _asked(request, _course, path, long=True)})


async def notebooks(request: Request) -> JSONResponse:
    """Tell what each seat knew after the event on a line."""
    path, line = await _path(request), request.path_params["line"]
    return JSONResponse({"seats": await _asked(request, _notebooks, path, line)})


async def explain(request: Request) -> JSONResponse:
    """Tell what a player would do at a decision."""
    path = await _path(request)
    try:
        asked = _Question.model_validate(await body(request))
    except ValidationError as fault:
        raise HTTPException(422, wish.told(fault)) from None
    limits = state_of(request).limits
    try:
        return JSONResponse(await considered(request, _advice, path, asked, limits))
    except (RecordError, Refusal, ValueError) as fault:
        raise HTTPException(422, str(fault)) from None


async def replay(request: Request) -> HTMLResponse:
    """Show the page of a recorded game."""
    await _path(request)
    return page("replay")


async def report(request: Request) -> HTMLResponse:
    """Show the report of a run, if one was made."""
    library = state_of(request).library
    try:
        folder = await aside(request, library.run, request.path_params["run"])
        if not regular(folder / REPORT):
            raise KeyError(REPORT)
        with (folder / REPORT).open("rb") as file:
            text = file.read(MOST_BYTES)
        if _of_tables(request, folder):
            text = await aside(request, _without_seed, text, folder)
    except (KeyError, OSError):
        raise HTTPException(404, "there is no report of such a run") from None
    except (Refusal, ValueError) as fault:
        raise HTTPException(422, f"the run cannot be read: {fault}") from None
    return HTMLResponse(text, headers={"Content-Security-Policy": ALONE})


def _of_tables(request: Request, path: Path) -> bool:
    """Tell whether ``path`` is of games that were played here, as others may be now."""
    return path.resolve().is_relative_to(state_of(request).hall.folder.resolve())


def _without_seed(text: bytes, folder: Path) -> bytes:
    """Return a report that does not tell the seed, if nobody has chosen that."""
    from experiments.runs import runfolder  # Arrow and SciPy take a second

    seeds = {str(match.seed).encode() for match in runfolder.read_matches(folder)}
    for seed in seeds:
        if len(seed) > CHOSEN_DIGITS:
            text = text.replace(seed, b"not told")
    return text


async def _path(request: Request) -> Path:
    """Return the file of the record that the path names; 404 if there is none."""
    library = state_of(request).library
    try:
        return await aside(request, library.record, request.path_params["record"])
    except KeyError:
        raise HTTPException(404, "there is no such record") from None


async def _asked(request: Request, work: Any, *given: Any, long: bool = False) -> Any:
    try:
        return await (at_length if long else aside)(request, work, *given)
    except (RecordError, OSError) as fault:
        raise HTTPException(422, f"this is no faithful record: {fault}") from None


@lru_cache(_KEPT)
def _read(path: Path, _: int) -> Record:
    return read(path)


def _record(path: Path) -> Record:
    return _read(path, path.stat().st_mtime_ns)


def _told(path: Path, known: bool) -> dict[str, Any]:
    """Return the record, all hands open; the seed if it is ``known``."""
    record = _record(path)
    seats = [
        {"label": seat["label"], "suspect": suspect, "outside": seat["policy"] == OUTSIDE}
        for suspect, seat in zip(record.rules.suspects, record.seats, strict=True)
    ]
    header = {
        "rules": asdict(record.rules),
        "game": record.game,
        "seed": record.seed if known else None,
        "seats": seats,
    }
    events = [
        {**messages.event(event)["event"], "known_to": event["known_to"]}
        for event in (*record.events, record.end)
    ]
    lines = [made.line for made in decisions(record) if made.choices > 1]
    return {"header": header, "events": events, "decisions": lines}


def _course(path: Path) -> list[dict[str, Any]]:
    with _playing_on:  # who asks meanwhile finds it done
        return _course_at(path, path.stat().st_mtime_ns)


@lru_cache(_KEPT)
def _course_at(path: Path, _: int) -> list[dict[str, Any]]:
    return [asdict(turn) for turn in course(_record(path))]


def _notebooks(path: Path, line: int) -> list[dict[str, Any]]:
    record = _record(path)
    events = (*record.events, record.end)[: max(0, line - FIRST_LINE + 1)]
    seats = range(record.rules.players)
    return [notebook(Knowledge.of(record.rules, seat, events), chance=True) for seat in seats]


def _advice(path: Path, asked: _Question, limits: wish.Limits) -> dict[str, Any]:
    spec = wish.player(asked.preset, asked.settings, limits)
    return advice(_record(path), asked.line, spec, asked.seed)


def routes() -> list[Route]:
    """Return the routes of records and runs."""
    record = "/api/records/{record}"
    return [
        Route(record, show, methods=["GET"]),
        Route(f"{record}/beliefs", beliefs, methods=["GET"]),
        Route(f"{record}/notebooks/{{line:int}}", notebooks, methods=["GET"]),
        Route(f"{record}/explain", explain, methods=["POST"]),
        Route("/records/{record}", replay, methods=["GET"]),
        Route("/runs/{run}", report, methods=["GET"]),
    ]
