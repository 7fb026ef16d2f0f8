"""The pages, and what they are made of; what they show is asked for by their scripts."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from experiments.web.server.rendering import HERE, page
from experiments.web.server.state import seat_of, table_of


class Parts(StaticFiles):
    """Scripts and styles, which a browser keeps, but asks each time whether they have changed."""

    def file_response(self, *args: Any, **named: Any) -> Response:
        """Return the file, or that the browser has it."""
        found = super().file_response(*args, **named)
        found.headers["Cache-Control"] = "no-cache"
        return found


async def lobby(_: Request) -> HTMLResponse:
    """Show the lobby."""
    return page("lobby")


async def seat(request: Request) -> HTMLResponse:
    """Show the page of a seat."""
    seat_of(request)
    return page("play")


async def watch(request: Request) -> HTMLResponse:
    """Show the page of a table that is watched."""
    table_of(request)
    return page("watch")


def routes() -> list[Route | Mount]:
    """Return the routes of pages and of what they are made of."""
    return [
        Route("/", lobby, methods=["GET"]),
        Route("/seat/{token}", seat, methods=["GET"]),
        Route("/watch/{table}", watch, methods=["GET"]),
        Mount("/static", Parts(directory=HERE / "static", check_dir=False), name="static"),
    ]
