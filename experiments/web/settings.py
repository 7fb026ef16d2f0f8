"""Settings of the server: the schema of ``conf/web.yaml``."""

from __future__ import annotations

from dataclasses import dataclass, field

from omegaconf import MISSING

from experiments.settings.limits import above, between, place


@dataclass(unsafe_hash=True)
class Search:
    """The maximum budget of one decision at a table."""

    simulations: int = between(1, 10_000_000)
    seconds: float = between(0.001, 3600)


@dataclass
class Web:
    """Settings of the server, documented in ``conf/web.yaml``."""

    host: str = place()
    port: int = between(0, 65535)
    folder: str = place()
    outputs: str = place()
    browser: bool = MISSING
    tables: int = between(1, 10_000)
    idle: float = between(0.001, 36_500)
    searches: int = between(1, 1000)
    streams: int = between(1, 10_000)
    share: float = above(0, 1)
    search: Search = field(default_factory=Search)
