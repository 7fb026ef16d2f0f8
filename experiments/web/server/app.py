"""The application: all routes behind the guard."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from experiments.web.server import lobby, pages, records, seat, watch
from experiments.web.server.guard import BROKEN, Guard, fault
from experiments.web.server.state import State

_USUAL = {404: "there is nothing here", 405: "that cannot be done here"}


def application(state: State, names: frozenset[str], rate: float) -> ASGIApp:
    """Return the application.

    Parameters
    ----------
    state : what all routes share
    names : under which the server may be asked for (`guard.Guard`)
    rate : requests a second from one address
    """
    routes = [*lobby.routes(), *seat.routes(), *watch.routes(), *records.routes(), *pages.routes()]
    handlers = {HTTPException: _refused, Exception: _broken}
    inner = Starlette(routes=routes, exception_handlers=handlers)
    inner.state.shared = state
    return Guard(inner, names, rate)


async def _refused(request: Request, refusal: HTTPException) -> Response:
    given = refusal.detail if isinstance(refusal.detail, str) else ""
    sentence = _USUAL.get(refusal.status_code, given) if _said_nothing(given) else given
    return fault(request.scope, refusal.status_code, sentence, **(refusal.headers or {}))


async def _broken(request: Request, _: Exception) -> Response:
    """Answer what raised a fault of ours, of which the guard tells on the terminal."""
    return fault(request.scope, 500, BROKEN)


def _said_nothing(given: str) -> bool:
    """Tell whether a refusal has the words of its status alone, which say nothing to a reader."""
    return given in ("", "Not Found", "Method Not Allowed")
