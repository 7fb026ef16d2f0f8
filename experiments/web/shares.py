"""Shares by address: one address gets only a part of each limited resource.

Machines of one IPv6 network (/64), which can choose among its addresses, count as one.
"""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache

from mcts.kernel.errors import SleuthError

ADDRESS: ContextVar[str] = ContextVar("address", default="")
"""Address of the current request, or of the maker of the table at work; empty for the server."""

TABLES = 2000
"""Tables made in a day: a limit of which an address has its share."""

AT_ONCE = 512
"""Limit of concurrent requests, shared likewise."""

_DAY = 86_400.0


class Crowded(SleuthError, ValueError):
    """The limit is reached for now."""


class Shares:
    """Shares of addresses; ``part``: of each limit for one address, 1 for no limits by address."""

    def __init__(self, part: float = 1.0) -> None:
        self._part = part
        self._spent: Counter[str] = Counter()
        self._asking: Counter[str] = Counter()
        self._day = time.monotonic()

    def of(self, limit: int) -> int:
        """Return how many of ``limit`` one address may use."""
        return max(1, int(limit * self._part))

    def spend(self) -> None:
        """Count one more table; raises Crowded if the address used up its share of the day."""
        if time.monotonic() - self._day > _DAY:
            self._spent.clear()
            self._day = time.monotonic()
        whose = ADDRESS.get()
        if self._part < 1 and self._spent[whose] >= self.of(TABLES):
            raise Crowded(f"your address has made {self.of(TABLES)} tables today, its share")
        self._spent[whose] += 1

    @contextmanager
    def ask(self) -> Iterator[None]:
        """Count a pending request; raises Crowded if the address has too many."""
        whose = ADDRESS.get()
        if self._part < 1 and self._asking[whose] >= self.of(AT_ONCE):
            raise Crowded("too many requests of your address at the same time: send this one later")
        self._asking[whose] += 1
        try:
            yield
        finally:
            self._asking -= Counter([whose])  # drops zero counts


class Turns:
    """At most ``max_turns`` concurrent turns; the next goes to the address with the fewest,
    among equals to the one whose last turn began first."""

    def __init__(self, max_turns: int) -> None:
        self._free = max_turns
        self._busy: Counter[str] = Counter()
        self._begun: dict[str, float] = {}
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        """Wait for a turn, and hold it for the block."""
        whose = ADDRESS.get()
        if self._free:
            self._free -= 1
            self._begin(whose)
        else:
            mine = asyncio.get_running_loop().create_future()
            self._waiting.append((whose, mine))
            try:
                await mine
            except asyncio.CancelledError:
                if not mine.cancelled():  # it got a turn
                    self._pass_on(whose)
                raise
        try:
            yield
        finally:
            self._pass_on(whose)

    def _begin(self, whose: str) -> None:
        self._busy[whose] += 1
        self._begun[whose] = time.monotonic()

    def _pass_on(self, whose: str) -> None:
        self._busy -= Counter([whose])
        self._waiting = [one for one in self._waiting if not one[1].done()]
        if not self._waiting:
            self._free += 1
            self._begun.clear()
            return

        def place(one: tuple[str, asyncio.Future[None]]) -> tuple[int, float]:
            return self._busy[one[0]], self._begun.get(one[0], 0.0)

        after = min(self._waiting, key=place)
        self._waiting.remove(after)
        self._begin(after[0])
        after[1].set_result(None)


@lru_cache(4096)
def _shorten(host: str) -> str:
    with suppress(ValueError):
        found = ipaddress.ip_address(host.partition("%")[0])
        if isinstance(found, ipaddress.IPv6Address) and not found.ipv4_mapped:
            return str(ipaddress.ip_network((found, 64), strict=False))
        return str(getattr(found, "ipv4_mapped", None) or found)
    return host


def address_of(client: tuple[str, int] | None) -> str:
    """Return the address of a ``client``, without the port."""
    return _shorten(client[0]) if client else ""
