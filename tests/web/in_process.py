"""The application without sockets: all that it would send, as soon as the event loop has run.

Work for threads runs at once, so the same game makes the same traffic in the same order.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

from http_client import PATIENCE, settings

from experiments.web.server.serve import application, names_of, prepare
from experiments.web.workers import Workers


class Here(ThreadPoolExecutor):
    """Does all work at once, in the thread of the caller."""

    def submit(self, work, /, *given, **named):
        """Do ``work`` and return what came of it."""
        done = Future()
        try:
            done.set_result(work(*given, **named))
        except BaseException as fault:
            done.set_exception(fault)
        return done


class Listening:
    """Messages of a stream so far.

    Attributes
    ----------
    received : messages
    ids : of those that had one
    head : status and headers
    """

    def __init__(self) -> None:
        self.received: list[dict] = []
        self.ids: list[int] = []
        self.head = None
        self._news, self._left, self._rest = asyncio.Event(), asyncio.Event(), b""

    async def receive(self):
        """Return that the listener has left, once it has."""
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message):
        """Take in what is sent."""
        if message["type"] == "http.response.start":
            self.head = message["status"], sorted(message["headers"])
            return
        *whole, self._rest = (self._rest + message["body"]).split(b"\n")
        self.received += [json.loads(line[6:]) for line in whole if line.startswith(b"data: ")]
        self.ids += [int(line[4:]) for line in whole if line.startswith(b"id: ")]
        self._news.set()

    async def until(self, *kinds):
        """Wait until the last message is one of ``kinds``."""
        async with asyncio.timeout(PATIENCE):
            while not self.received or self.received[-1]["kind"] not in kinds:
                self._news.clear()
                await self._news.wait()

    def leave(self):
        """End it."""
        self._left.set()


class Inside:
    """The application with its tables in ``folder``."""

    def __init__(self, folder: Path) -> None:
        most = {"tables": 10**6, "streams": 10**6, "share": 1.0}
        state = prepare(settings(folder, **most), Workers(threads=Here()))
        self.registry = state.registry
        self._app = application(state, names_of("127.0.0.1"))
        self._streams: set[asyncio.Task] = set()

    async def ask(self, method, path, body=None):
        """Return status, headers and text of the answer."""
        given = b"" if body is None else json.dumps(body).encode()
        head, text = [], []

        async def receive():
            return {"type": "http.request", "body": given, "more_body": False}

        async def send(message):
            if message["type"] == "http.response.start":
                head.extend((message["status"], sorted(message["headers"])))
            else:
                text.append(message.get("body", b""))

        await self._app(_scope(method, path), receive, send)
        return (*head, b"".join(text).decode())

    def stream(self, path) -> Listening:
        """Listen to the stream at ``path``."""
        listening = Listening()
        task = asyncio.ensure_future(
            self._app(_scope("GET", path), listening.receive, listening.send)
        )
        self._streams.add(task)
        task.add_done_callback(self._streams.discard)
        return listening


def _scope(method, path):
    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    return {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }


@asynccontextmanager
async def inside(folder) -> AsyncIterator[Inside]:
    """The application for a while, with tables in ``folder``."""
    server = Inside(folder)
    yield server
    await server.registry.close()
