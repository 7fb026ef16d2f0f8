"""A digest of the code that a process runs, so that all nodes of a cluster run the same."""

from __future__ import annotations

import hashlib
import socket
from functools import cache
from importlib.metadata import version
from pathlib import Path

from mcts.kernel.errors import SleuthError

_PACKAGES = ("mcts", "belief", "sim", "experiments")
_OTHERS = ("numpy", "numba")
_SHOWN = 8


class OtherCode(SleuthError, RuntimeError):
    """A node runs other code than the driver; the message names it in one line."""


@cache
def digest() -> str:
    """Return a digest of the packages' sources and of the versions of NumPy and Numba."""
    state = hashlib.sha256()
    root = Path(__file__).resolve().parents[2]
    for package in _PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            state.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    for package in _OTHERS:
        state.update(f"{package} {version(package)}\n".encode())
    return state.hexdigest()


def check(wanted: str) -> None:
    """Raise OtherCode unless the digest of this process's code is ``wanted``."""
    if digest() != wanted:
        raise OtherCode(
            f"host {socket.gethostname()} runs other code than the driver "
            f"({digest()[:_SHOWN]}, not {wanted[:_SHOWN]}): install the same packages on all "
            "hosts, and restart Ray there"
        )
