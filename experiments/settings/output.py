"""Output of a command that may lose its reader: a lost terminal, a closed pipe.

A run of hours must not end because its window, or the ``tee`` that logs its progress, has closed:
its results are in files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from experiments.texts import redact


class _Kept:
    """A stream that redacts secrets and, if ``lasting``, drops output once its reader is lost."""

    def __init__(self, stream: TextIO, lasting: bool) -> None:
        self._stream, self._lasting = stream, lasting

    def write(self, text: str) -> int:
        with self._keeping():
            self._stream.write(redact(text))
        return len(text)

    def flush(self) -> None:
        with self._keeping():
            self._stream.flush()

    @contextmanager
    def _keeping(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError):  # reader lost, or stream closed
            if not self._lasting:
                raise
            drop(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def keep(lasting: bool = True) -> Iterator[None]:
    """Let the block print even if output is closed.

    ``lasting``: whether output that fails meanwhile is also dropped instead of raising.
    """
    # A stream closed from the start is None, and its descriptor would be reused by another file.
    streams = [stream or open(os.devnull, "w") for stream in (sys.stdout, sys.stderr)]  # noqa: SIM115
    sys.stdout, sys.stderr = (cast(TextIO, _Kept(stream, lasting)) for stream in streams)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdout, sys.stderr = streams


def drop(stream: TextIO) -> None:
    """Discard further output to ``stream``."""
    with suppress(OSError, ValueError):  # not a file, or closed
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
