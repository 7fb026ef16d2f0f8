"""The pages: templates without data of a table, which their scripts request."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from experiments.web.server.board import facts

_WEB = Path(__file__).resolve().parent.parent


@cache
def _templates() -> Environment:
    loader = FileSystemLoader(_WEB / "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined)


def page(name: str, status: int = 200, **values: object) -> HTMLResponse:
    """Return the page ``name`` with the facts of the game and ``values``, all escaped."""
    template = _templates().get_template(f"{name}.html.jinja")
    return HTMLResponse(template.render(facts=facts(), status=status, **values), status)


class Static(StaticFiles):
    """Scripts and styles, which a browser caches and revalidates at each use."""

    def file_response(self, *args: Any, **named: Any) -> Response:
        """Return the file, or 304 if the browser has it."""
        answer = super().file_response(*args, **named)
        answer.headers["Cache-Control"] = "no-cache"
        return answer


async def lobby(_: Request) -> HTMLResponse:
    """Return the page of the lobby."""
    return page("lobby")


ROUTES: tuple[Route | Mount, ...] = (
    Route("/", lobby),
    Mount("/static", Static(directory=_WEB / "static", check_dir=False), name="static"),
)
