"""The server: its socket, its start and its end."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from experiments.settings.commandline import Refusal
from experiments.web.library import Library
from experiments.web.server.app import application
from experiments.web.server.state import State
from experiments.web.server.streams import Streams
from experiments.web.tables.hall import Hall
from experiments.web.tables.wish import Limits

_LOOK_SECONDS = 0.1
_DAY = 86_400.0
_TIDY_SECONDS = 60.0
"""Between two looks for tables that were left."""

_BESIDE = 200
"""Connections beside the streams."""

_ASIDES = 2
"""Threads for notebooks and the like, and as many for what takes longer."""
_OTHERS = 6
"""Threads in which tables are made, found again and kept."""

_NICENESS = 10
_LAST_SECONDS = 2
"""So long an answer under way at the end may take."""


@dataclass(frozen=True)
class Serving:
    """How to serve.

    Attributes
    ----------
    host, port : where; port 0 takes a free one
    folder : of the tables
    outputs : below which runs and records lie
    tables : that may be under way at the same time
    idle : days after which a table that was left is put aside
    searches : players that may search at the same time
    streams : connections that may watch at the same time
    rate : requests a second from one address
    limits : of searches at a table
    """

    host: str
    port: int
    folder: Path
    outputs: Path
    tables: int
    idle: float
    searches: int
    streams: int
    rate: float
    limits: Limits


def serve(how: Serving, ended: threading.Event, ready: Callable[[str], None]) -> int:
    """Serve until ``ended`` is set; return how many games are under way and kept.

    Parameters
    ----------
    ready : called with the server's address once it answers

    Raises
    ------
    Refusal
        If the port or the folder cannot be had.
    """
    listening = _bound(how.host, how.port)
    pools = (
        ThreadPoolExecutor(how.searches, "player", _yield_to_others),
        ThreadPoolExecutor(_ASIDES, "aside"),
        ThreadPoolExecutor(_ASIDES, "length", _yield_to_others),
    )
    try:
        return asyncio.run(_serve(how, listening, pools, ended, ready))
    finally:
        listening.close()
        for threads in pools:
            threads.shutdown(wait=False, cancel_futures=True)


def _yield_to_others() -> None:
    """Let the event loop go first where there are too few cores; threads that this one begins, as
    those of a search, do so as well."""
    if sys.platform == "linux":  # where a thread has a priority of its own
        with suppress(OSError):
            thread = threading.get_native_id()
            nice = max(_NICENESS, os.getpriority(os.PRIO_PROCESS, thread))
            os.setpriority(os.PRIO_PROCESS, thread, nice)


async def _serve(
    how: Serving,
    listening: socket.socket,
    pools: tuple[ThreadPoolExecutor, ...],
    ended: threading.Event,
    ready: Callable[[str], None],
) -> int:
    others = ThreadPoolExecutor(_OTHERS, "other", _yield_to_others)
    asyncio.get_running_loop().set_default_executor(others)
    hall = Hall(how.folder, how.tables, pools[0], how.idle * _DAY)
    streams = Streams(how.streams)
    reach = told_reach(how.host)
    state = State(hall, streams, *pools, how.limits, Library(how.outputs), reach)
    app = application(state, names_of(how.host), how.rate)
    server = _Server(
        uvicorn.Config(
            app,
            log_config=None,
            log_level="critical",
            access_log=False,  # links to seats are secrets
            server_header=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=_LAST_SECONDS,
            timeout_keep_alive=30,
            limit_concurrency=2 * how.streams + _BESIDE,
        )
    )
    hall.start()
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
                hall.put_aside()
        server.should_exit = True
        streams.close()
        await serving
    finally:
        await hall.close()
    return len(hall.under_way)


class _Server(uvicorn.Server):
    """Leaves the signals to the command, which ends all in order."""

    @contextmanager
    def capture_signals(self):
        yield


def address(listening: socket.socket) -> str:
    """Return where a browser on this machine finds the server."""
    host, port = listening.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def names_of(host: str) -> frozenset[str]:
    """Return the names under which the server may be asked for, beside addresses in figures."""
    names = {"localhost", host.lower()}
    if not _local(host):
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    return frozenset(names)


def told_reach(host: str) -> str:
    """Return who can reach the server, in words."""
    if _local(host):
        return "Only this machine can reach this page."
    if host in ("0.0.0.0", "::"):
        return "Everybody in the networks of this machine can reach this page."
    return f"Everybody who can reach {host} in its network can reach this page."


def _local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; raises Refusal."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((host, port))
            listening.listen(512)
            listening.setblocking(False)
        except OSError:
            listening.close()
            raise
    except OSError as fault:
        if fault.errno == errno.EADDRINUSE:
            advice = "end who has it, or set port=0 for a free one"
            raise Refusal(f"port {port} is taken: {advice}") from None
        reason = fault.strerror or fault
        raise Refusal(f"cannot listen on {host} port {port}: {reason}; set host and port") from None
    return listening
