"""Templates filled with nothing but what the reader may know; whatever is filled in is escaped."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from experiments.web.server.board import facts

HERE = Path(__file__).resolve().parent.parent


@cache
def _templates() -> Environment:
    loader = FileSystemLoader(HERE / "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined)


def page(name: str, status: int = 200, **values: object) -> HTMLResponse:
    """Return the page ``name``, with the facts of the game and ``values`` filled in."""
    template = _templates().get_template(f"{name}.html.jinja")
    return HTMLResponse(template.render(facts=facts(), status=status, **values), status)
