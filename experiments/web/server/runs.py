"""A run of matches as it is played: a page that asks for its figures again and again."""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route

from experiments.settings.commandline import Refusal
from experiments.web.library import is_regular, stage_of
from experiments.web.server.pages import page
from experiments.web.server.records import REPORT
from experiments.web.server.state import state_of

if TYPE_CHECKING:
    from experiments.runs.live import Followed

_CACHED = 16
"""Runs whose figures are kept until something is written to their folder."""


async def show_page(request: Request) -> HTMLResponse:
    """Return the page of a run."""
    await _folder(request)
    return page("run")


async def show(request: Request) -> JSONResponse:
    """Return how a run stands: who won how many of its games, and no more of any game."""
    folder = await _folder(request)
    workers, library = state_of(request).workers, state_of(request).library
    stage, last = await workers.run(stage_of, folder)
    try:
        stands = await workers.run_long(_standing, folder, last)
    except (Refusal, OSError, ValueError) as fault:
        raise HTTPException(422, f"the run cannot be read: {fault}") from None
    age = max(0.0, time.time() - last / 1e9)
    about = {"name": library.place(folder), "stage": stage, "age": age}
    return JSONResponse({**about, **stands, **links(request.path_params["run"], folder)})


def links(name: str, folder: Path) -> dict[str, Any]:
    """Return the link to the report of a run, None if it has none."""
    return {"report": f"/runs/{name}/report" if is_regular(folder / REPORT) else None}


async def _folder(request: Request) -> Path:
    """Return the folder of the run in the path; 404 if it is unknown."""
    state = state_of(request)
    try:
        return await state.workers.run(state.library.run, request.path_params["run"])
    except KeyError:
        raise HTTPException(404, "unknown run") from None


@lru_cache(_CACHED)
def _standing(folder: Path, _: int) -> dict[str, Any]:
    from experiments.runs.live import live_figures  # Arrow and SciPy take a second

    return live_figures(_follow(folder).tallies())


@lru_cache(_CACHED)
def _follow(folder: Path) -> Followed:
    from experiments.runs.live import Followed

    return Followed(folder)


ROUTES = (Route("/runs/{run}", show_page), Route("/api/runs/{run}", show))
