"""Undocumented parts of Ray, and a substitute where a version lacks them.

Ray has no public way to stay on the loopback interface, to read its token again or to start fewer
processes.  `pyproject.toml` names the versions that were tried; in others a part may be missing.
Then one line says so, and Ray behaves as it does by itself where that is safe:
`mcts.distributed.local_ray.start` refuses a Ray that listens on other interfaces.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from typing import Any


class Absent:
    """A part that this Ray lacks: every attribute and result is this object, empty and false."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: Any, **__: Any) -> Absent:
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __bool__(self) -> bool:
        return False


def find(module: str, name: str = "") -> Any:
    """Return ``name`` of the private ``module`` of Ray, or the module; if missing, `Absent`."""
    try:
        found = importlib.import_module(module)
        return getattr(found, name) if name else found
    except (ImportError, AttributeError):
        _warn()
        return Absent()


@cache
def _warn() -> None:
    """Say once per process that this version was not tried."""
    print(
        f"sleuth: Ray {metadata.version('ray')} was not tried and lacks private parts: if it does "
        "not start, install the version that pyproject.toml names",
        file=sys.stderr,
        flush=True,
    )
