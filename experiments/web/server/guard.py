"""Checks before any route, headers on every answer, errors in words, limits of connections.

A page of another site must not play for a visitor or read a game.  Requests from a foreign page
(``Origin``, ``Sec-Fetch-Site``) are refused, and so are requests with a foreign ``Host``: a site
whose name was made to point here (DNS rebinding) is its own origin, but names itself in ``Host``.
Numeric addresses are allowed there, as they cannot be redirected.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import sys
import traceback
from contextlib import ExitStack
from typing import Any, TypeVar

from pydantic import ValidationError
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from experiments.web.server.pages import page
from experiments.web.shares import ADDRESS, Crowded, Shares, address_of
from experiments.web.tables.requests import Body

MOST_BODY = 64 * 1024
"""Maximum size of a request's body, in bytes."""

HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        "object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every answer."""

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?", re.ASCII)
_DEFAULTS = {404: "this page does not exist", 405: "this cannot be done here"}

Content = TypeVar("Content", bound=Body)


class Guard:
    """Middleware before all routes.

    ``names``: of this server in requests, in addition to numeric addresses; ``shares``: of
    addresses in concurrent requests, which include a stream until it begins.
    """

    def __init__(self, app: ASGIApp, names: frozenset[str], shares: Shares) -> None:
        self._app, self._names, self._shares = app, names, shares

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        asking = ExitStack()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                asking.close()
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        request, answer = Request(scope), self._app
        ADDRESS.set(address_of(request.client))
        with asking:
            try:
                asking.enter_context(self._shares.ask())
                if {"content-length", "transfer-encoding"} <= {*request.headers}:
                    # A proxy may use the other length, and see one request instead of two.
                    answer = error(request, 400, "the length of the body is given twice")
                    answer.headers["Connection"] = "close"
                elif (reason := self._refuse(request)) is not None:
                    answer = error(request, 403, reason)
            except Crowded as fault:
                answer = error(request, 429, str(fault))
            await answer(scope, receive, send_with_headers)

    def _refuse(self, request: Request) -> str | None:
        """Return the reason to refuse a request, or None."""
        headers = request.headers
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return "this server does not have that name"
        ours = {f"{scheme}://{hosts[0].lower()}" for scheme in ("http", "https")}
        foreign = any(origin.lower() not in ours for origin in headers.getlist("origin"))
        linked = request.method == "GET" and headers.get("sec-fetch-mode") == "navigate"
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            foreign |= not linked or _is_api(request)
        return "this was sent by a page of another site" if foreign else None

    def _is_ours(self, host: str) -> bool:
        found = _HOST.fullmatch(host.lower())
        if not found:
            return False
        name = found[1].strip("[]")
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in self._names
        return True


async def read_body(request: Request, kind: type[Content]) -> Content:
    """Return the body of a request, JSON of the form ``kind``.

    Raises
    ------
    HTTPException
        400, 413 or 422, with one sentence, if it is anything else.
    """
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/json":
        raise HTTPException(400, "send JSON, as application/json")
    content = b""
    try:
        async for part in request.stream():
            content += part
            if len(content) > MOST_BODY:
                raise HTTPException(413, f"the body is longer than {MOST_BODY:,} bytes, the limit")
    except ClientDisconnect:
        raise HTTPException(400, "the body is incomplete") from None
    try:
        return kind.model_validate_json(content)
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"] if part not in ("person", "player"))
        raise HTTPException(422, f"{where}: {first['msg']}".removeprefix(": ")) from None


def error(request: Request, status: int, sentence: str) -> Response:
    """Return an error in words: JSON for scripts, a small page for readers."""
    if _is_api(request):
        return JSONResponse({"error": sentence}, status)
    return page("error", status, sentence=sentence)


async def answer_refusal(request: Request, refusal: Exception) -> Response:
    """Return the answer to a request that a route refused."""
    assert isinstance(refusal, HTTPException)
    status, sentence = refusal.status_code, refusal.detail
    if sentence in ("", "Not Found", "Method Not Allowed"):  # only the words of the status
        sentence = _DEFAULTS.get(status, sentence)
    answer = error(request, status, sentence)
    answer.headers.update(refusal.headers or {})
    return answer


async def answer_bug(request: Request, fault: Exception) -> Response:
    """Return the answer to a request that failed by a bug; print the error on the terminal."""
    lines = "".join(traceback.format_exception(fault))
    print(f"a request could not be answered:\n{lines}", file=sys.stderr, flush=True)
    answer = error(request, 500, "something went wrong here: see the server's terminal")
    answer.headers.update(HEADERS)
    return answer


def _is_api(request: Request) -> bool:
    return request.scope["path"].startswith("/api/")


HEADERS_SECONDS = 10.0
"""Longest time from the first byte of a request to the end of its headers, in seconds."""


class Connection(H11Protocol):
    """A connection that is cut if its address has too many, or if its headers take too long."""

    shares = Shares()
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Accept the connection, unless its address has its share of them."""
        super().connection_made(transport)
        mine = address_of(self.client)
        same = sum(address_of(getattr(other, "client", None)) == mine for other in self.connections)
        if self.limit_concurrency and same > self.shares.of(self.limit_concurrency):
            transport.abort()
            return
        self._time_headers()

    def data_received(self, data: bytes) -> None:
        """Time the headers of each request separately."""
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._stop_timing()
        elif self._waiting is None and (self.cycle is None or self.cycle.response_complete):
            self._time_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection."""
        self._stop_timing()
        super().connection_lost(exc)

    def _time_headers(self) -> None:
        self._waiting = self.loop.call_later(HEADERS_SECONDS, self.transport.abort)

    def _stop_timing(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def limit(shares: Shares) -> type[Connection]:
    """Return the connections of a server with ``shares`` for addresses."""
    return type("Limited", (Connection,), {"shares": shares})
