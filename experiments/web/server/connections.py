"""Connections, limited by address and in time."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from experiments.web.shares import Shares, address_of

HEADERS_SECONDS = 10.0
"""Longest time from the first byte of a request to the end of its headers."""


class Connection(H11Protocol):
    """A connection that is cut if its address has too many, or its headers take too long."""

    shares = Shares()
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Take the connection in, unless its address has its share of them."""
        super().connection_made(transport)
        mine = address_of(self.client)
        same = sum(address_of(getattr(other, "client", None)) == mine for other in self.connections)
        if self.limit_concurrency and same > self.shares.of(self.limit_concurrency):
            transport.abort()
            return
        self._time_headers()

    def data_received(self, data: bytes) -> None:
        """Time the headers of each request on its own."""
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._stop_timing()
        elif self._waiting is None and (self.cycle is None or self.cycle.response_complete):
            self._time_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
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
