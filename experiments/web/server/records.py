"""Recorded games and runs: records to replay, timelines, advice at a decision, and run reports."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
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
from experiments.web.library import is_regular, stage_of
from experiments.web.server import messages
from experiments.web.server.guard import read_body
from experiments.web.server.pages import page
from experiments.web.server.state import state_of
from experiments.web.settings import Search
from experiments.web.tables.requests import Body, Name, Natural, Settings, compose_player
from sim.records.record import OUTSIDE, RecordError, read

Result = TypeVar("Result")

REPORT = "report.html"
MOST_BYTES = 32 * 2**20
"""Largest size of a report to show."""

ALONE = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-popups"
"""Content policy of a report, which needs no other file and may be untrusted: no scripts."""

CHOSEN_DIGITS = 5
"""A seed of at most so many digits was chosen, not drawn; a report's figures may equal it."""

_DRAWN = re.compile(rb"(?<![\w.+/=-])\d{12,}(?![\w.+/=-])")
"""A number as long as a drawn seed, outside words and images."""

_CACHED = 16
"""Number of records in memory, and of runs whose figures are kept until their folder changes."""

_playing_on = threading.Lock()


class AdviceRequest(Body):
    """A decision, the player to advise, and whether to judge the action taken."""

    line: Natural
    preset: Name
    settings: Settings
    seed: Natural = 0
    judged: bool = False


async def show_page(request: Request) -> HTMLResponse:
    """Return the page of a recorded game."""
    await record_path(request)
    return page("replay")


async def show(request: Request) -> JSONResponse:
    """Return a recorded game without drawn seeds, and without the seed of a game at a table.

    The seed of a run would reveal its other games, some of which may be under way here, or at
    another server if this record is a copy.
    """
    path = await record_path(request)
    return await _answer(request, lambda: _contents(path, not _is_of_tables(request, path)))


async def beliefs(request: Request) -> JSONResponse:
    """Return the bits of all seats by turn."""
    path = await record_path(request)
    return await _answer(request, lambda: {"turns": _turns(path)}, long=True)


async def notebooks(request: Request) -> JSONResponse:
    """Return each seat's knowledge after the event on a line."""
    path, line = await record_path(request), request.path_params["line"]
    return await _answer(request, lambda: {"seats": _notebooks(path, line)})


async def explain(request: Request) -> JSONResponse:
    """Return a player's choice at a decision."""
    path = await record_path(request)
    given, state = await read_body(request, AdviceRequest), state_of(request)
    try:
        return JSONResponse(await state.workers.search(_advice, path, given, state.limits))
    except (RecordError, Refusal, ValueError) as fault:
        raise HTTPException(422, str(fault)) from None


async def report(request: Request) -> HTMLResponse:
    """Return the report of a run, if any."""
    state = state_of(request)
    try:
        folder = await _folder(request)
        if not is_regular(folder / REPORT):
            raise HTTPException(404, "this run has no report")
        with (folder / REPORT).open("rb") as file:
            text = file.read(MOST_BYTES)
        text = await state.workers.run(_hide_seeds, text, folder)
    except OSError:
        raise HTTPException(404, "this run has no report") from None
    except (Refusal, ValueError) as fault:
        raise HTTPException(422, f"the run cannot be read: {fault}") from None
    return HTMLResponse(text, headers={"Content-Security-Policy": ALONE})


def _is_of_tables(request: Request, path: Path) -> bool:
    """Return whether the games of ``path`` were played here; others may be under way."""
    return path.resolve().is_relative_to(state_of(request).registry.folder.resolve())


def _hide_seeds(text: bytes, folder: Path) -> bytes:
    """Return a report without drawn seeds, also those of other runs than ``folder``."""
    from experiments.runs import runfolder  # Arrow and SciPy take a second

    matches = []
    with suppress(OSError, Refusal, ValueError):
        matches = runfolder.read_matches(folder)
    for seed in {match.seed for match in matches}:
        if _is_drawn(seed):
            text = text.replace(str(seed).encode(), b"hidden")
    return _DRAWN.sub(b"hidden", text)


def _is_drawn(seed: int) -> bool:
    return len(str(seed)) > CHOSEN_DIGITS


async def record_path(request: Request) -> Path:
    """Return the file of the record in the path; 404 if it is unknown."""
    return await _find(request, "record", state_of(request).library.record)


async def _find(request: Request, kind: str, look_up: Callable[[str], Path]) -> Path:
    """Return what ``look_up`` finds by the parameter ``kind`` of the path; 404 if nothing."""
    try:
        return await state_of(request).workers.run(look_up, request.path_params[kind])
    except KeyError:
        raise HTTPException(404, f"unknown {kind}") from None


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


recorded = _keep(read)
"""The record in a file; raises RecordError and OSError as `read`."""


def _count_bits(path: Path) -> list[dict[str, Any]]:
    """Return the bits of all seats at the end of each turn, beginning with the deal."""
    record = recorded(path)
    last = {**record.end, "turn": record.events[-1]["turn"] + 1}  # ends the last turn
    turns = Entropies(record.rules).turns([*record.events, last])
    return [{"turn": turn, "bits": bits} for turn, bits in turns]


_timeline = _keep(_count_bits)


def _contents(path: Path, with_seed: bool) -> dict[str, Any]:
    """Return the record with all hands."""
    record = recorded(path)
    seats = [
        {"label": seat["label"], "suspect": suspect, "outside": seat["policy"] == OUTSIDE}
        for suspect, seat in zip(record.rules.suspects, record.seats, strict=True)
    ]
    header = {
        "rules": asdict(record.rules),
        "game": record.game,
        "seed": record.seed if with_seed and not _is_drawn(record.seed) else None,
        "seats": seats,
    }
    events = [
        {**messages.event(event)["event"], "known_to": event["known_to"]}
        for event in (*record.events, record.end)
    ]
    lines = [decision.line for decision in decisions(record) if decision.choices > 1]
    return {"header": header, "events": events, "decisions": lines}


def _turns(path: Path) -> list[dict[str, Any]]:
    with _playing_on:  # a second request for the same record waits for the cache
        return _timeline(path)


def _notebooks(path: Path, line: int) -> list[dict[str, Any]]:
    record = recorded(path)
    events = (*record.events, record.end)[: max(0, line - FIRST_LINE + 1)]
    seats = range(record.rules.players)
    return [notebook(Knowledge.of(record.rules, seat, events), chance=True) for seat in seats]


def _advice(path: Path, given: AdviceRequest, limits: Search) -> dict[str, Any]:
    player = compose_player(given.preset, given.settings, limits)
    return advise(recorded(path), given.line, player, given.seed, given.judged)


async def show_run_page(request: Request) -> HTMLResponse:
    """Return the page of a run."""
    await _folder(request)
    return page("run")


async def show_run(request: Request) -> JSONResponse:
    """Return the state of a run: the wins by player, and no details of any game."""
    folder = await _folder(request)
    workers, library = state_of(request).workers, state_of(request).library
    stage, last = await workers.run(stage_of, folder)
    try:
        state = await workers.run_long(_read_state, folder, last)
    except (Refusal, OSError, ValueError) as fault:
        raise HTTPException(422, f"the run cannot be read: {fault}") from None
    age = max(0.0, time.time() - last / 1e9)
    about = {"name": library.place(folder), "stage": stage, "age": age}
    return JSONResponse({**about, **state, **links(request.path_params["run"], folder)})


def links(name: str, folder: Path) -> dict[str, Any]:
    """Return the link to the report of a run, None without a report."""
    return {"report": f"/runs/{name}/report" if is_regular(folder / REPORT) else None}


async def _folder(request: Request) -> Path:
    """Return the folder of the run in the path; 404 if it is unknown."""
    return await _find(request, "run", state_of(request).library.run)


@lru_cache(_CACHED)
def _read_state(folder: Path, _: int) -> dict[str, Any]:
    from experiments.runs.live import live_figures  # Arrow and SciPy take a second

    return live_figures(_follow(folder).tallies())


@lru_cache(_CACHED)
def _follow(folder: Path) -> Any:
    from experiments.runs.live import Followed

    return Followed(folder)


_RECORD = "/api/records/{record}"
ROUTES = (
    Route("/records/{record}", show_page),
    Route(_RECORD, show),
    Route(f"{_RECORD}/beliefs", beliefs),
    Route(f"{_RECORD}/notebooks/{{line:int}}", notebooks),
    Route(f"{_RECORD}/explain", explain, methods=["POST"]),
    Route("/runs/{run}", show_run_page),
    Route("/api/runs/{run}", show_run),
    Route("/runs/{run}/report", report),
)
