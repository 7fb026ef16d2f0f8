"""The application without sockets: all that it would send, as soon as the event loop has run.

What is to run in threads runs at once, so the same game makes the same traffic in the same order.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager

from served import PATIENCE

from experiments.web.library import Library
from experiments.web.server.app import application
from experiments.web.server.serving import names_of, told_reach
from experiments.web.server.state import State
from experiments.web.server.streams import Streams
from experiments.web.tables.hall import Hall
from experiments.web.tables.wish import Limits


class Here(ThreadPoolExecutor):
    """Does at once, in the thread of whoever asks, what it is given."""

    def submit(self, work, /, *given, **named):
        """Do ``work`` and return what came of it."""
        done = Future()
        try:
            done.set_result(work(*given, **named))
        except BaseException as fault:
            done.set_exception(fault)
        return done


class Listening:
    """What a stream has told so far.

    Attributes
    ----------
    told : messages
    ids : of those that had one
    head : status and headers
    """

    def __init__(self) -> None:
        self.told: list[dict] = []
        self.ids: list[int] = []
        self.head = None
        self._news, self._left, self._rest = asyncio.Event(), asyncio.Event(), b""

    async def receive(self):
        """Tell, once it is so, that nobody listens any more."""
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message):
        """Take in what is sent."""
        if message["type"] == "http.response.start":
            self.head = message["status"], sorted(message["headers"])
            return
        *whole, self._rest = (self._rest + message["body"]).split(b"\n")
        self.told += [json.loads(line[6:]) for line in whole if line.startswith(b"data: ")]
        self.ids += [int(line[4:]) for line in whole if line.startswith(b"id: ")]
        self._news.set()

    async def until(self, *kinds):
        """Wait until the last message is one of ``kinds``."""
        async with asyncio.timeout(PATIENCE):
            while not self.told or self.told[-1]["kind"] not in kinds:
                self._news.clear()
                await self._news.wait()

    def leave(self):
        """End it."""
        self._left.set()


class Inside:
    """The application with the tables of ``hall``."""

    def __init__(self, hall: Hall, here: Here) -> None:
        outside = Library(hall.folder / "outputs")
        reach = told_reach("127.0.0.1")
        state = State(hall, Streams(10**6), here, here, here, Limits(1000, 1.0), outside, reach)
        self.hall = hall
        self._app = application(state, names_of("127.0.0.1"), 1e9)
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
    here = Here()
    asyncio.get_running_loop().set_default_executor(here)
    hall = Hall(folder, 10**6, here)
    yield Inside(hall, here)
    await hall.close()
