"""Server-sent events: what a viewer is told of a table, from where it left off.

Only events have an id: how many the viewer knew by then.  So a browser that lost its connection
says by ``Last-Event-ID`` how far it came, the server need not remember it, and the number tells
nothing of what others were told.  Whom all wait for, a question or a search stand for themselves:
they are told anew on every connection, and told again when they change.

A viewer that reads too slowly loses nothing but its connection.  When a game is over connections
stay as they are, for a browser would only come back.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator

from starlette.types import Message as Sent
from starlette.types import Receive, Scope, Send

from experiments.web.server import messages
from experiments.web.server.messages import Message
from experiments.web.tables.driver import ALL, Driver, Viewer

BEAT_SECONDS = 15.0
"""Longest silence, so that whatever stands between does not take the connection for dead."""

SLOW_SECONDS = 20.0
"""Longest wait for a viewer to read."""

MOST_AT_ONCE = 32 * 1024
"""Bytes that are written before others come to their turn."""

_HEADERS = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]
_BEAT = b": still here\n\n"
_BEGIN = b"retry: 1000\n\n"
_ENDED = ("waiting", "prompt")
"""Kinds of messages that hold no longer than to the next event."""


class Told:
    """What ``viewer`` of a table has been told in one connection.

    Parameters
    ----------
    after : how many events it knows from an earlier connection
    """

    def __init__(self, driver: Driver, viewer: Viewer, after: int) -> None:
        self._driver, self._viewer, self._after = driver, viewer, after
        self._at = self._known = 0
        self._last: dict[str, Message | None] = {}
        self._trouble: str | None = None
        self._over = False

    def new(self) -> Iterator[bytes]:
        """Yield what there is to be told since it was last asked for."""
        driver = self._driver
        table = driver.table
        while self._at < table.shown:
            event = table.game.events[self._at]
            self._at += 1
            if driver.sees(event, self._viewer):
                self._known += 1
                for kind in _ENDED:
                    self._last.pop(kind, None)
                if self._known > self._after:
                    yield messages.written(messages.event(event), self._known)
        for kind, message in self._state().items():
            if self._last.get(kind) != message:
                self._last[kind] = message
                if message:
                    yield messages.written(message)
        if self._driver.trouble != self._trouble:
            self._trouble = self._driver.trouble
            yield messages.written(messages.trouble(self._trouble))
        if (table.over or driver.halted) and not self._over:
            self._over = True
            yield messages.written(messages.OVER if table.over else messages.HALTED)

    def _state(self) -> dict[str, Message | None]:
        """Return by kind what holds now beside the events."""
        driver, viewer = self._driver, self._viewer
        asked = waits = None
        if driver.prompt is not None and driver.prompt.seat == viewer:
            asked = messages.prompt(driver.prompt)
        if driver.waits not in (None, viewer):
            waits = messages.waiting(driver.waits)
        search = driver.searching if viewer == ALL else None
        return {"waiting": waits, "prompt": asked, "search": search}


class Stream:
    """The answer to a request for a table's events.

    Parameters
    ----------
    told : what the viewer is told
    driver : of the table
    ended : called when the connection is
    beat, slow : seconds of silence, and of waiting for the viewer
    """

    def __init__(
        self,
        told: Told,
        driver: Driver,
        ended: Callable[[], None],
        beat: float = BEAT_SECONDS,
        slow: float = SLOW_SECONDS,
    ) -> None:
        self._told, self._driver, self._ended = told, driver, ended
        self._beat, self._slow = beat, slow
        self._news, self._gone = asyncio.Event(), False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        leaving = asyncio.ensure_future(self._leaving(receive))
        self._driver.listeners.add(self._news)
        try:
            begin = {"type": "http.response.start", "status": 200, "headers": _HEADERS}
            await self._sent(send, begin)
            text = _BEGIN
            while not self._gone:
                self._news.clear()
                for part in self._told.new():
                    text += part
                    if len(text) > MOST_AT_ONCE:
                        await self._text(send, text)
                        await asyncio.sleep(0)  # a long game that is caught up keeps nobody waiting
                        text = b""
                if text:
                    await self._text(send, text)
                text = await self._waited()
        except OSError:  # it does not read (a TimeoutError), or has gone in mid-sentence
            return
        finally:
            leaving.cancel()
            self._driver.listeners.discard(self._news)
            self._ended()

    def leave(self) -> None:
        """End the connection."""
        self._gone = True
        self._news.set()

    async def _waited(self) -> bytes:
        """Wait for something new; return what is to be sent if there was nothing for long."""
        try:
            async with asyncio.timeout(self._beat):
                await self._news.wait()
        except TimeoutError:
            return _BEAT
        return b""

    async def _text(self, send: Send, text: bytes) -> None:
        await self._sent(send, {"type": "http.response.body", "body": text, "more_body": True})

    async def _sent(self, send: Send, message: Sent) -> None:
        """Send; raises TimeoutError if the viewer does not read."""
        async with asyncio.timeout(self._slow):
            await send(message)

    async def _leaving(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.leave()


class Streams:
    """The connections that are open, of which there may be ``most``."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: set[Stream] = set()

    def opened(self, driver: Driver, viewer: Viewer, last: str | None) -> Stream | None:
        """Return a new stream for ``viewer``, who names the ``last`` event it got, or None if there
        are too many."""
        if len(self._open) >= self._most:
            return None
        known = sum(driver.sees(event, viewer) for event in _shown(driver))
        after = int(last) if last and re.fullmatch(r"\d{1,9}", last, re.ASCII) else 0
        told = Told(driver, viewer, after if after <= known else 0)
        stream = Stream(told, driver, lambda: self._open.discard(stream))
        self._open.add(stream)
        return stream

    def close(self) -> None:
        """End all connections."""
        for stream in list(self._open):
            stream.leave()


def _shown(driver: Driver) -> list[dict]:
    return driver.table.game.events[: driver.table.shown]
