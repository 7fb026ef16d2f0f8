"""Who may ask, and how much: checks before any route, headers on every answer, faults in words.

A page of another site must not play for somebody, nor read what is played.  So a request that a
foreign page sent (``Origin``, ``Sec-Fetch-Site``) is refused, and so is one by a name that is not
this server's: a site whose name was made to point here (DNS rebinding) is its own origin, but names
itself in ``Host``.  An address in figures cannot be made to point elsewhere and may stand there.
"""

from __future__ import annotations

import ipaddress
import json
import re
import sys
import time
import traceback
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from experiments.web.server.rendering import page

MOST_BODY = 64 * 1024
"""Bytes of a request's body."""

MOST_ADDRESSES = 10_000
"""Addresses whose requests are counted at a time."""

BROKEN = "something went wrong here: see the server's terminal"

_BURST_SECONDS = 10.0
"""So many seconds' worth of requests may come at once."""

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
"""Of every answer."""

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?", re.ASCII)


class Rates:
    """Counts requests by address: ``each`` a second, and a few seconds' worth at once.

    Parameters
    ----------
    clock : seconds, which never run backwards
    """

    def __init__(self, each: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._each, self._clock = each, clock
        self._left: dict[str, tuple[float, float]] = {}

    def allow(self, address: str) -> bool:
        """Tell whether ``address`` may ask now, and count it."""
        now, most = self._clock(), self._each * _BURST_SECONDS
        if len(self._left) >= MOST_ADDRESSES:
            self._left = {
                one: (left, at)
                for one, (left, at) in self._left.items()
                if left + (now - at) * self._each < most
            }
        left, at = self._left.get(address, (most, now))
        left = min(most, left + (now - at) * self._each)
        self._left[address] = (left - 1.0 if left >= 1.0 else left, now)
        return left >= 1.0


class Guard:
    """Stands before ``app``.

    Parameters
    ----------
    names : under which this server may be asked for, beside addresses in figures
    rate : requests a second from one address
    """

    def __init__(self, app: ASGIApp, names: frozenset[str], rate: float) -> None:
        self._app, self._names, self._rates = app, names, Rates(rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            refused = self._refused(scope)
            if refused is None:
                refused, receive = await _read(scope, receive)
            if refused is not None:
                return await fault(scope, *refused)(scope, receive, sending)
            await self._app(scope, receive, sending)
        except Exception:
            told = f"a request could not be answered:\n{traceback.format_exc()}"
            print(told, file=sys.stderr, flush=True)
            if not begun:
                await fault(scope, 500, BROKEN)(scope, receive, sending)

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        """Return status and sentence for a request that is not to be heard."""
        headers = Headers(scope=scope)
        if not self._rates.allow(scope["client"][0] if scope["client"] else ""):
            return 429, "too many requests: wait a few seconds"
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._ours(hosts[0]):
            return 403, "this server is not asked for by that name"
        origins = headers.getlist("origin")
        ours = {f"{scheme}://{hosts[0].lower()}" for scheme in ("http", "https")}
        if any(origin.lower() not in ours for origin in origins):
            return 403, "this was sent by a page of another site"
        fetched = headers.get("sec-fetch-site", "none")
        linked = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
        if fetched not in ("same-origin", "none") and not (linked and not _api(scope)):
            return 403, "this was sent by a page of another site"
        length = headers.get("content-length", "")
        if re.fullmatch(r"\d{1,30}", length, re.ASCII) and int(length) > MOST_BODY:
            return 413, f"at most {MOST_BODY:,} bytes"
        return None

    def _ours(self, host: str) -> bool:
        found = _HOST.fullmatch(host.lower())
        if not found:
            return False
        name = found[1].strip("[]")
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in self._names
        return True


async def _read(scope: Scope, receive: Receive) -> tuple[tuple[int, str] | None, Receive]:
    """Read the body of a request that has one, as far as may be; return how to receive it again."""
    if scope["method"] in ("GET", "HEAD"):
        return None, receive
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None, receive
        body += message.get("body", b"")
        if len(body) > MOST_BODY:
            return (413, f"at most {MOST_BODY:,} bytes"), receive
        if not message.get("more_body"):
            break
    whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return whole.pop() if whole else await receive()

    return None, again


async def body(request: Request) -> object:
    """Return the JSON of a request.

    Raises
    ------
    HTTPException
        If it is none.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(400, "send JSON, as application/json")
    try:
        return json.loads(await request.body(), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise HTTPException(400, "this is not JSON") from None


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def fault(scope: Scope, status: int, sentence: str, **headers: str) -> Response:
    """Return a fault in words: as JSON to scripts, as a small page to readers."""
    if _api(scope):
        return JSONResponse({"error": sentence}, status, headers)
    refused = page("error", status, sentence=sentence)
    refused.headers.update(headers)
    return refused


def _api(scope: Scope) -> bool:
    return scope["path"].startswith("/api/")
