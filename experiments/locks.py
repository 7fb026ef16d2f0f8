"""The lock of a run folder, which one process at a time holds, on whatever host of a shared home.

The kernel releases it when its process dies.  Where a file system has no locks, the run is refused.
Where it has them on each host alone (Lustre with ``-o localflock``), the holder's heartbeat, kept
in `HOLDER`, shows it: a second host that gets the lock finds the first one alive, and is refused.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from experiments.provenance.files import writing
from experiments.settings import signals
from experiments.settings.commandline import Refusal

LOCK = ".lock"
"""Lock file in the folder, held by the process that writes there."""

HOLDER = ".holder"
"""File with the holder's host, process and a count that grows while it lives."""

BEAT_SECONDS = 4.0
"""Time between two counts of a holder."""

BUSY = {errno.EAGAIN, errno.EACCES}
"""Errors of a lock that another process holds."""

_NONE = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL}
"""Errors of a file system without locks."""


class Busy(Refusal):
    """Another process holds the folder's lock."""


@contextmanager
def locking(folder: Path) -> Iterator[None]:
    """Turn errors of the block, which locks files of the run folder ``folder``, into Refusal."""
    with writing(f"the run folder: {folder}", "choose another folder"):
        try:
            yield
        except OSError as fault:
            if fault.errno in _NONE:
                raise Refusal(
                    f"{folder}: its file system does not lock files ({fault.strerror}), so that "
                    "two processes could write the same rows: choose a run.folder on another one, "
                    "or mount it with locks"
                ) from None
            raise


@contextmanager
def hold(folder: Path, seconds: float = 0.0) -> Iterator[None]:
    """Hold the lock of ``folder``, which exists, within the block.

    ``seconds``: longest wait for it.  Raises Busy if another process holds it, Refusal if files
    cannot be locked or written there, or a holder on another host is alive all the same.
    """
    end = time.monotonic() + seconds
    with locking(folder):
        while (file := _try(folder / LOCK)) is None:
            if time.monotonic() > end:
                raise Busy(
                    f"{folder} is in use by another process: wait until it ends, or "
                    "choose another folder"
                )
            time.sleep(0.05)
    try:
        with locking(folder):
            _refuse_living(folder)
            beating = _Heart(folder / HOLDER)
        try:
            yield
        finally:
            beating.stop()
    finally:
        os.close(file)


def _try(path: Path) -> int | None:
    """Return the open and locked file ``path``; None if another process holds its lock."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(os.fstat(file), path.stat()):
                return file
        except OSError as fault:
            if fault.errno not in BUSY:
                os.close(file)
                raise
            os.close(file)
            return None
        os.close(file)  # its last holder has removed it


def _refuse_living(folder: Path) -> None:
    """Refuse a folder whose holder on another host still counts; wait for some beats to see."""
    before = _read(folder / HOLDER)
    host, _, _ = before.partition(" ")
    if not before or host == socket.gethostname():
        return
    end = time.monotonic() + 3 * BEAT_SECONDS
    while time.monotonic() < end:
        signals.raise_request()
        time.sleep(0.2)
        if _read(folder / HOLDER) not in (before, ""):
            raise Refusal(
                f"{folder} is in use on {host}, whose locks this host does not see: mount its "
                "file system with locks for all hosts (Lustre: -o flock), or choose another folder"
            )


def _read(path: Path) -> str:
    with suppress(OSError, ValueError):
        return path.read_text()
    return ""


class _Heart(threading.Thread):
    """Writes the count of the holder to ``path`` until it is stopped."""

    def __init__(self, path: Path) -> None:
        super().__init__(daemon=True)
        self._path, self._stopped, self._count = path, threading.Event(), 0
        self._beat()
        self.start()

    def _beat(self) -> None:
        self._path.write_text(f"{socket.gethostname()} {os.getpid()} {self._count}")
        self._count += 1

    def run(self) -> None:
        """Count; called by the thread."""
        while not self._stopped.wait(BEAT_SECONDS):
            with suppress(OSError):  # a full disk does not end a run here
                self._beat()

    def stop(self) -> None:
        """End the count, and remove the file."""
        self._stopped.set()
        self.join()
        with suppress(OSError):
            self._path.unlink()
