"""The server: its routes, socket, start and end."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from experiments.settings.commandline import Refusal
from experiments.web.library import Library
from experiments.web.server import lobby, pages, records, viewers
from experiments.web.server.guard import Guard, answer_bug, answer_refusal, limit
from experiments.web.server.state import State
from experiments.web.server.streams import Streams
from experiments.web.settings import Web
from experiments.web.shares import Shares
from experiments.web.tables.registry import Registry
from experiments.web.workers import Workers

_LOOK_SECONDS = 0.1
_DAY = 86_400.0
_TIDY_SECONDS = 60.0
"""Seconds between two searches for abandoned tables."""

_OTHER_CONNECTIONS = 200
"""Number of connections in addition to the streams."""

_LAST_SECONDS = 2
"""Longest wait at the end for pending answers, in seconds."""


def application(state: State, names: frozenset[str]) -> Starlette:
    """Return the application, with the guard before all routes.

    ``state``: shared by all routes; ``names``: of the server in requests (`guard.Guard`).
    """
    app = Starlette(
        routes=[route for each in (lobby, viewers, records, pages) for route in each.ROUTES],
        middleware=[Middleware(Guard, names, state.registry.shares)],
        exception_handlers={HTTPException: answer_refusal, Exception: answer_bug},
    )
    app.state.shared = state
    return app


def serve(settings: Web, ended: threading.Event, ready: Callable[[str], None]) -> int:
    """Serve until ``ended`` is set; return the number of games under way.

    ``ready``: called with the server's address once it answers.  Raises Refusal if the port or the
    folder is unavailable.
    """
    with _listen(settings.host, settings.port) as listening:
        return asyncio.run(_serve(settings, listening, ended, ready))


async def _serve(
    settings: Web, listening: socket.socket, ended: threading.Event, ready: Callable[[str], None]
) -> int:
    state = prepare(settings, Workers(settings.searches))
    registry, shares = state.registry, state.registry.shares
    server = _Server(
        uvicorn.Config(
            application(state, names_of(settings.host)),
            log_config=None,
            log_level="critical",
            access_log=False,  # links to seats are secrets
            server_header=False,
            lifespan="off",
            ws="none",
            http=limit(shares),
            proxy_headers=False,  # a visitor of this machine could forge any address
            timeout_graceful_shutdown=_LAST_SECONDS,
            timeout_keep_alive=30,
            limit_concurrency=2 * settings.streams + _OTHER_CONNECTIONS,
        )
    )
    registry.start()
    serving = asyncio.create_task(server.serve([listening]))
    try:
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        ready(address(listening))
        tidied = time.monotonic()
        while not ended.is_set() and not serving.done():
            await asyncio.sleep(_LOOK_SECONDS)
            if time.monotonic() - tidied > _TIDY_SECONDS:
                tidied = time.monotonic()
                registry.put_aside()
        server.should_exit = True
        state.streams.close()
        await serving
    finally:
        await registry.close()
        state.workers.close()
    return len(registry.under_way)


def prepare(settings: Web, workers: Workers) -> State:
    """Return the state of the routes; raises Refusal if the folder is unavailable."""
    shares = Shares(settings.share)
    registry = Registry(
        Path(settings.folder), settings.tables, workers, settings.idle * _DAY, shares
    )
    return State(
        registry=registry,
        streams=Streams(settings.streams, shares),
        workers=workers,
        limits=settings.search,
        library=Library(Path(settings.outputs)),
        reach=describe_reach(settings.host),
    )


class _Server(uvicorn.Server):
    """Leaves the signals to the command, which ends the server in order."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def address(listening: socket.socket) -> str:
    """Return the address of the server for a browser on this machine."""
    host, port = listening.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def names_of(host: str) -> frozenset[str]:
    """Return the names of the server in requests, without numeric addresses."""
    names = {"localhost", host.lower()}
    if not _is_local(host):
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    return frozenset(names)


def describe_reach(host: str) -> str:
    """Return a sentence on who can reach the server."""
    if _is_local(host):
        return "Only this machine can reach this page."
    if host in ("0.0.0.0", "::"):
        return "All machines in the networks of this machine can reach this page."
    return f"All machines that can reach {host} can reach this page."


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; raises Refusal."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as fault:
        if fault.errno == errno.EADDRINUSE:
            advice = "end the program that uses it, or set port=0 for a free one"
            raise Refusal(f"port {port} is taken: {advice}") from None
        reason = fault.strerror or fault
        raise Refusal(f"cannot listen on {host} port {port}: {reason}; set host and port") from None
