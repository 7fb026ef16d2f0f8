"""Make tables: in the lobby, again after a game, or from a recorded game."""

from __future__ import annotations

import secrets
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from belief.evidence import EvidenceFull
from experiments.explain.recorded import FIRST_LINE, decisions
from experiments.web.analysis.position import draw_past
from experiments.web.server.guard import read_body
from experiments.web.server.records import links, record_path, recorded
from experiments.web.server.state import State, place_of, refusals, state_of
from experiments.web.server.warmup import warm_up
from experiments.web.settings import Search
from experiments.web.tables.archive import LineUp
from experiments.web.tables.registry import Entry
from experiments.web.tables.requests import (
    Body,
    Natural,
    Pace,
    TableRequest,
    compose_player,
    compose_table,
    list_players,
    list_rules,
)
from experiments.web.tables.setup import PERSON, Setup
from mcts.kernel.compile import SEARCHING, count_functions
from mcts.options import SEEDS
from sim.records.record import RecordError, knows

MOST_SHOWN = 200
"""Maximum number of tables in the lobby, newest first."""


@cache
def presets() -> dict[str, Any]:
    """Return presets of rules and players, read once."""
    return {"rules": list_rules(), "players": list_players()}


async def show(request: Request) -> JSONResponse:
    """Return the content of the lobby."""
    state = state_of(request)
    library = state.library
    latest = list(state.registry.entries.values())[: -MOST_SHOWN - 1 : -1]
    records, runs, under_way, took = await state.workers.run(
        lambda: (library.records(), library.runs(), library.under_way(), _times(state, latest))
    )
    return JSONResponse(
        {
            **presets(),
            "tables": [_describe(entry) for entry in latest],
            "records": [
                {"id": one.name, **one.about, "seconds": took.get(one.name)} for one in records
            ],
            "runs": [{"id": one.name, **one.about, **links(one.name, one.path)} for one in runs],
            "under_way": [{"id": one.name, **one.about} for one in under_way],
            "reach": state.reach,
        }
    )


async def count_compiled(_: Request) -> JSONResponse:
    """Return how many functions this process has compiled, and the total, for waiting users."""
    return JSONResponse({"functions": count_functions(), "most": SEARCHING})


async def make(request: Request) -> JSONResponse:
    """Make a table; the links to its seats are returned only here."""
    state = state_of(request)
    given = await read_body(request, TableRequest)
    with refusals():
        setup = await state.workers.run(compose_table, given, state.limits)
        await state.workers.compile(warm_up, setup)
        entry, tokens = await state.registry.make(setup)
    links = {str(seat): f"/seat/{token}" for seat, token in tokens.items()}
    return JSONResponse({"id": entry.id, "seats": links, "watch": f"/watch/{entry.id}"}, 201)


def _times(state: State, entries: list[Entry]) -> dict[str | None, float]:
    """Return the seconds of games played here, by name of their record."""
    registry = state.registry
    return {
        state.library.name_of(registry.record_of(one)): one.outcome["seconds"]
        for one in entries
        if one.outcome
    }


def _describe(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "rules": entry.setup.rules["name"],
        "seats": entry.setup.labels,
        "over": entry.over,
        "aside": entry.aside,
        **(entry.outcome or {}),
        "open": entry.over or not entry.setup.people,
    }


YOU = "You"
"""The name of a person who continues a game."""

STRONG = "best", ("budget.simulations=1000",)
"""Replaces a person, or a player that its name does not determine."""


class PlayOnRequest(Body):
    """The line of an event, and the seat to take from there."""

    line: Natural
    seat: Natural
    pace: Pace = 1.0


async def show_after(request: Request) -> JSONResponse:
    """Return the links from a finished game, for a seat or a spectator.

    ``record`` is the link of its record, ``study`` that of the participant, or None; ``again`` is
    whether the table can be made again.
    """
    state, (entry, seat) = state_of(request), place_of(request)
    await state.registry.settle(entry)
    if not entry.over:
        raise HTTPException(409, "this game is not over")
    place = state.registry.record_of(entry)
    name = await state.workers.run(state.library.name_of, place)
    token = request.path_params["token"].partition(".")[0] if seat is not None else ""
    return JSONResponse(
        {
            "record": None if name is None else f"/records/{name}",
            "again": _is_again(entry, seat),
            "study": f"/study/{token}" if state.studies.find(token) else None,
        }
    )


async def play_again(request: Request) -> JSONResponse:
    """Make a table again for the same players."""
    state, (entry, seat) = state_of(request), place_of(request)
    await state.registry.settle(entry)
    if not entry.over or not _is_again(entry, seat):
        raise HTTPException(409, "this game cannot be played again from here")
    setup = replace(entry.setup, seed=None, game=0)
    line_up = LineUp.of(setup)
    if line_up is not None and str(line_up.folder) != entry.run:
        setup = replace(setup, seed=entry.setup.seed)  # chosen by the user
    return await _make(state, setup)


async def play_on(request: Request) -> JSONResponse:
    """Make a table that continues a recorded game, its hidden part drawn again."""
    state, path = state_of(request), await record_path(request)
    given = await read_body(request, PlayOnRequest)
    try:
        setup = await state.workers.run_long(_set_up, path, given, state.limits)
    except (RecordError, EvidenceFull, OSError, ValueError) as fault:
        raise HTTPException(422, f"the game cannot be continued from here: {fault}") from None
    return await _make(state, setup)


def _is_again(entry: Entry, seat: int | None) -> bool:
    """Return whether a table can be made again: by its people, or by all if it had none."""
    setup = entry.setup
    return setup.counted and not setup.series and (seat is not None or not setup.people)


async def _make(state: State, setup: Setup) -> JSONResponse:
    with refusals():
        await state.workers.compile(warm_up, replace(setup, past=None))
        entry, tokens = await state.registry.make(setup)
    seats = [{"name": setup.labels[at], "link": f"/seat/{token}"} for at, token in tokens.items()]
    return JSONResponse({"id": entry.id, "seats": seats, "watch": f"/watch/{entry.id}"}, 201)


def _set_up(path: Path, given: PlayOnRequest, limits: Search) -> Setup:
    """Return the table that continues the game in ``path``.

    It uses only the seat's knowledge up to the next decision, and the players.
    """
    record = recorded(path)
    if given.seat >= record.rules.players:
        raise ValueError(f"the game has seats 0 to {record.rules.players - 1}")
    if (line := next((one.line for one in decisions(record) if one.line >= given.line), 0)) == 0:
        raise ValueError("no decision follows; choose an earlier event")
    events = record.events[: line - FIRST_LINE]
    seats = [_opponent(str(seat["label"]), limits) for seat in record.seats]
    seats[given.seat] = {"name": PERSON, "label": YOU}
    seed = secrets.randbelow(SEEDS)
    setup = Setup(asdict(record.rules), tuple(seats), seed, pace=given.pace, counted=False)
    known = [event for event in events if knows(event, given.seat)]
    past = draw_past(record.rules, setup.build_players(), given.seat, known, seed)
    return replace(setup, past=asdict(past))


def _opponent(label: str, limits: Search) -> dict[str, Any]:
    """Return the player with this ``label`` in the lobby, otherwise a strong one."""
    preset, *settings = label.split() or [""]
    try:
        return compose_player(preset, settings, limits)
    except ValueError:
        return compose_player(*STRONG, limits)


_PLACES = "seat/{token}", "watch/{table}"
ROUTES = (
    Route("/api/lobby", show),
    Route("/api/compiled", count_compiled),
    Route("/api/tables", make, methods=["POST"]),
    *(Route(f"/api/{place}/after", show_after) for place in _PLACES),
    *(Route(f"/api/{place}/again", play_again, methods=["POST"]) for place in _PLACES),
    Route("/api/records/{record}/on", play_on, methods=["POST"]),
)
