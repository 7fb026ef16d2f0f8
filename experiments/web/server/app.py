"""The application: all routes behind the guard."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from experiments.web.server import lobby, pages, records, seat, watch
from experiments.web.server.guard import Guard, answer_bug, answer_refusal
from experiments.web.server.state import State


def application(state: State, names: frozenset[str]) -> Starlette:
    """Return the application.

    Parameters
    ----------
    state : shared by all routes
    names : of the server in requests (`guard.Guard`)
    """
    app = Starlette(
        routes=[route for each in (lobby, seat, watch, records, pages) for route in each.ROUTES],
        middleware=[Middleware(Guard, names)],
        exception_handlers={HTTPException: answer_refusal, Exception: answer_bug},
    )
    app.state.shared = state
    return app
