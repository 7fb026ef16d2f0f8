"""Recorded games: records to replay, timelines, and advice at a decision."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route

from experiments.explain.recorded import FIRST_LINE, decisions
from experiments.settings.commandline import Refusal
from experiments.web.analysis.advice import advise
from experiments.web.analysis.notebook import Entropies, Knowledge, notebook
from experiments.web.server import messages
from experiments.web.server.guard import read_body
from experiments.web.server.pages import page
from experiments.web.server.state import state_of
from experiments.web.settings import Search
from experiments.web.tables.requests import Body, Name, Natural, Settings, compose_player
from sim.records.record import OUTSIDE, RecordError, read

Result = TypeVar("Result")

CHOSEN_DIGITS = 5
"""A seed of at most so many digits was chosen, not drawn."""

_CACHED = 16
"""Number of records in memory."""

_counting = threading.Lock()


class AdviceRequest(Body):
    """A decision, and the player to advise."""

    line: Natural
    preset: Name
    settings: Settings
    seed: Natural = 0


async def show_page(request: Request) -> HTMLResponse:
    """Return the page of a recorded game."""
    await _record(request)
    return page("replay")


async def show(request: Request) -> JSONResponse:
    """Return a recorded game without drawn seeds, and without the seed of a game at a table."""
    path = await _record(request)
    played_here = path.resolve().is_relative_to(state_of(request).registry.folder.resolve())
    return await _answer(request, lambda: _contents(path, with_seed=not played_here))


async def beliefs(request: Request) -> JSONResponse:
    """Return the bits of all seats by turn."""
    path = await _record(request)
    return await _answer(request, lambda: {"turns": _turns(path)}, long=True)


async def notebooks(request: Request) -> JSONResponse:
    """Return each seat's knowledge after the event on a line."""
    path, line = await _record(request), request.path_params["line"]
    return await _answer(request, lambda: {"seats": _notebooks(path, line)})


async def explain(request: Request) -> JSONResponse:
    """Return a player's choice at a decision."""
    path = await _record(request)
    given, state = await read_body(request, AdviceRequest), state_of(request)
    try:
        return JSONResponse(await state.workers.search(_advice, path, given, state.limits))
    except (RecordError, Refusal, ValueError) as fault:
        raise HTTPException(422, str(fault)) from None


async def _record(request: Request) -> Path:
    """Return the file of the record in the path; 404 if it is unknown."""
    state = state_of(request)
    try:
        return await state.workers.run(state.library.record, request.path_params["record"])
    except KeyError:
        raise HTTPException(404, "unknown record") from None


async def _answer(request: Request, work: Callable[[], Any], long: bool = False) -> JSONResponse:
    """Return the result of ``work`` on a record, from a thread."""
    workers = state_of(request).workers
    try:
        return JSONResponse(await (workers.run_long if long else workers.run)(work))
    except (RecordError, OSError) as fault:
        raise HTTPException(422, f"the record is invalid: {fault}") from None


def _keep(work: Callable[[Path], Result]) -> Callable[[Path], Result]:
    """Return ``work`` on a file, cached until the file changes."""
    kept = lru_cache(_CACHED)(lambda path, _: work(path))
    return lambda path: kept(path, path.stat().st_mtime_ns)


_recorded = _keep(read)


@_keep
def _timeline(path: Path) -> list[dict[str, Any]]:
    """Return the bits of all seats at the end of each turn, beginning with the deal."""
    record = _recorded(path)
    last = {**record.end, "turn": record.events[-1]["turn"] + 1}  # ends the last turn
    turns = Entropies(record.rules).turns([*record.events, last])
    return [{"turn": turn, "bits": bits} for turn, bits in turns]


def _turns(path: Path) -> list[dict[str, Any]]:
    with _counting:  # a second request for the same record waits for the cache
        return _timeline(path)


def _contents(path: Path, with_seed: bool) -> dict[str, Any]:
    """Return the record with all hands."""
    record = _recorded(path)
    seats = [
        {"label": seat["label"], "suspect": suspect, "outside": seat["policy"] == OUTSIDE}
        for suspect, seat in zip(record.rules.suspects, record.seats, strict=True)
    ]
    header = {
        "rules": asdict(record.rules),
        "game": record.game,
        "seed": record.seed if with_seed and len(str(record.seed)) <= CHOSEN_DIGITS else None,
        "seats": seats,
    }
    events = [
        {**messages.event(event)["event"], "known_to": event["known_to"]}
        for event in (*record.events, record.end)
    ]
    lines = [decision.line for decision in decisions(record) if decision.choices > 1]
    return {"header": header, "events": events, "decisions": lines}


def _notebooks(path: Path, line: int) -> list[dict[str, Any]]:
    record = _recorded(path)
    events = (*record.events, record.end)[: max(0, line - FIRST_LINE + 1)]
    seats = range(record.rules.players)
    return [notebook(Knowledge.of(record.rules, seat, events), chance=True) for seat in seats]


def _advice(path: Path, given: AdviceRequest, limits: Search) -> dict[str, Any]:
    player = compose_player(given.preset, given.settings, limits)
    return advise(_recorded(path), given.line, player, given.seed)


_API = "/api/records/{record}"
ROUTES = (
    Route("/records/{record}", show_page),
    Route(_API, show),
    Route(f"{_API}/beliefs", beliefs),
    Route(f"{_API}/notebooks/{{line:int}}", notebooks),
    Route(f"{_API}/explain", explain, methods=["POST"]),
)
