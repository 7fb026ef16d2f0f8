"""Server-sent events: a viewer's events of a table, resumed where the connection broke.

Only events have an id: the number of events that the viewer knew by then.  A browser that lost its
connection sends it as ``Last-Event-ID``; the server stores nothing, and the number reveals nothing
of what others know.  The awaited seat, a question and a search are sent on every connection, and
again when they change.

A viewer that reads too slowly loses only its connection.  Connections stay open after the game,
because a browser would reconnect.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress

from starlette.responses import StreamingResponse
from starlette.types import Message as Part
from starlette.types import Receive, Scope, Send

from experiments.web.server import messages
from experiments.web.server.messages import Message
from experiments.web.shares import ADDRESS, Shares
from experiments.web.tables.driver import ALL, Driver, Viewer

BEAT_SECONDS = 15.0
"""Longest silence, which keeps proxies from closing the connection."""

SLOW_SECONDS = 20.0
"""Longest wait for a viewer to read, in seconds."""

MOST_OF_A_SEAT = 8
"""Maximum number of streams to one seat: pages that its occupant has open."""

WATCHING = "watching"

MOST_AT_ONCE = 32 * 1024
"""Bytes to write before other tasks get their turn."""

_BEAT = b": still here\n\n"
_BEGIN = b"retry: 1000\n\n"
_ENDED_BY_EVENT = ("waiting", "prompt")
"""Kinds of messages that are valid until the next event at the latest."""


class Feed:
    """Messages to ``viewer`` of a table on one connection.

    ``after``: number of events that the viewer has from an earlier connection.
    """

    def __init__(self, driver: Driver, viewer: Viewer, after: int) -> None:
        self.driver, self._viewer, self._after = driver, viewer, after
        self._at = self._known = 0
        self._last: dict[str, Message | None] = {}
        self._trouble: str | None = None
        self._over = False

    def news(self) -> Iterator[bytes]:
        """Yield the messages since the last call."""
        driver = self.driver
        table = driver.table
        while self._at < table.shown:
            event = table.game.events[self._at]
            self._at += 1
            if driver.sees(event, self._viewer):
                self._known += 1
                for kind in _ENDED_BY_EVENT:
                    self._last.pop(kind, None)
                if self._known > self._after:
                    yield messages.encode(messages.event(event), self._known)
        for kind, message in self._state().items():
            if self._last.get(kind) != message:
                self._last[kind] = message
                if message:
                    yield messages.encode(message)
        if driver.trouble != self._trouble:
            self._trouble = driver.trouble
            yield messages.encode(messages.trouble(self._trouble))
        if (table.over or driver.halted) and not self._over:
            self._over = True
            yield messages.encode(messages.OVER if table.over else messages.HALTED)

    def _state(self) -> dict[str, Message | None]:
        """Return the current messages that are no events, by kind."""
        driver, viewer = self.driver, self._viewer
        question = waits = None
        if driver.prompt is not None and driver.prompt.seat == viewer:
            question = messages.prompt(driver.prompt)
        if driver.awaited is not None and driver.awaited != viewer:
            waits = messages.waiting(driver.awaited)
        search = driver.searching if viewer == ALL else None
        return {"waiting": waits, "prompt": question, "search": search}


class Stream(StreamingResponse):
    """The answer to a request for a table's events.

    ``feed``: the messages; ``on_end``: called when the connection ends.
    """

    def __init__(self, feed: Feed, on_end: Callable[[], None]) -> None:
        self._feed, self._on_end = feed, on_end
        self._news, self._left = asyncio.Event(), False
        headers = {"X-Accel-Buffering": "no"}
        super().__init__(self._events(), headers=headers, media_type="text/event-stream")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the viewer leaves."""
        listeners = self._feed.driver.listeners
        listeners.add(self._news)
        try:
            await super().__call__(scope, receive, send)
        finally:
            listeners.discard(self._news)
            self._on_end()

    async def stream_response(self, send: Send) -> None:
        """Send, but wait at most `SLOW_SECONDS` for the viewer to read."""

        async def send_in_time(part: Part) -> None:
            async with asyncio.timeout(SLOW_SECONDS):
                await send(part)

        with suppress(OSError):  # a TimeoutError, or the connection was cut
            await super().stream_response(send_in_time)

    def leave(self) -> None:
        """End the connection."""
        self._left = True
        self._news.set()

    async def _events(self) -> AsyncIterator[bytes]:
        text = _BEGIN
        while not self._left:
            self._news.clear()
            for part in self._feed.news():
                text += part
                if len(text) > MOST_AT_ONCE:
                    yield text
                    await asyncio.sleep(0)
                    text = b""
            if text:
                yield text
            text = b""
            try:
                async with asyncio.timeout(BEAT_SECONDS):
                    await self._news.wait()
            except TimeoutError:
                text = _BEAT


class Streams:
    """The open streams: ``max_watchers`` at most, with ``shares`` by address; few per seat.

    The limits leave room for seated players, however many watch.
    """

    def __init__(self, max_watchers: int, shares: Shares) -> None:
        self._max_watchers, self._shares = max_watchers, shares
        self._open: dict[Stream, tuple[object, ...]] = {}

    def open(self, driver: Driver, viewer: Viewer, last: str | None) -> Stream | None:
        """Return a new stream for ``viewer``, whose ``last`` event has this id.

        None if too many spectators watch, in all or from this address.  If a seat has
        too many, its oldest ends.
        """
        seated = isinstance(viewer, int)
        whose = (id(driver), viewer) if seated else (WATCHING, ADDRESS.get())
        same = [stream for stream, owner in self._open.items() if owner == whose]
        if seated:
            for stream in same[: len(same) + 1 - MOST_OF_A_SEAT]:
                stream.leave()
        else:
            watching = sum(owner[0] == WATCHING for owner in self._open.values())
            if watching >= self._max_watchers or len(same) >= self._shares.of(self._max_watchers):
                return None
        after = int(last) if last and re.fullmatch(r"\d{1,9}", last, re.ASCII) else 0
        feed = Feed(driver, viewer, after if after <= driver.known_to(viewer) else 0)

        def forget() -> None:
            self._open.pop(stream, None)

        stream = Stream(feed, forget)
        self._open[stream] = whose
        return stream

    def close(self) -> None:
        """End all connections."""
        for stream in list(self._open):
            stream.leave()
