"""Output of a command whose reader may be gone: a lost terminal, a closed pipe.

A run of hours must not end because its window, or the ``tee`` that logged its progress, is gone:
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
    """A stream without secrets, which a library may print.

    If it is ``lasting``, it goes on without its reader: what cannot be written is dropped.
    """

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
        except (OSError, ValueError):  # its reader is gone, or it is closed
            if not self._lasting:
                raise
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
    sys.stdout, sys.stderr = (cast(TextIO, _Kept(stream, lasting)) for stream in streams)
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
