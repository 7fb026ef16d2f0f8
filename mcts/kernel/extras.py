"""Libraries that only some parts need: extras of the distribution, with a one-line install hint."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mcts.kernel.errors import SleuthError


class MissingExtra(SleuthError, ImportError):
    """A library that belongs to an extra is not installed."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Import libraries of the extra ``name`` inside; `MissingExtra` says how to install them."""
    try:
        yield
    except ModuleNotFoundError as fault:
        raise MissingExtra(
            f"{fault.name} is not installed: pip install 'sleuth-mcts[{name}]'"
        ) from None
