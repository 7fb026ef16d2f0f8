"""Output of a command whose reader may be gone: a lost terminal, a closed pipe.

A run of hours must not end because its window, or the ``tee`` that logged its progress, is gone:
its results are in files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from experiments.texts import redact


class _Kept:
    """A stream that goes on without its reader: what cannot be written is dropped."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(redact(text))  # which a library may print
        except (OSError, ValueError):  # it is gone, or closed
            drop(self._stream)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except (OSError, ValueError):
            drop(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def keep(lasting: bool = True) -> Iterator[None]:
    """Let the block print even if output is closed.

    ``lasting``: whether an output that fails meanwhile is dropped as well, and no fault.
    """
    # One that is closed from the start is None, and its number free for any file that is opened.
    streams = [stream or open(os.devnull, "w") for stream in (sys.stdout, sys.stderr)]  # noqa: SIM115
    sys.stdout, sys.stderr = map(_Kept, streams) if lasting else streams
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdout, sys.stderr = streams


def drop(stream: TextIO) -> None:
    """Send what is still printed to ``stream`` nowhere."""
    with suppress(OSError, ValueError):  # one that is no file, or closed
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
