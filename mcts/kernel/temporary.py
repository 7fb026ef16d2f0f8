"""Private temporary folders that do not outlive the process that made them.

An exit removes them, and so does `discard` before an abrupt one.  The next process to make one
removes those of killed processes: each holds a file that its maker locks while it lives.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

PREFIX = "sleuth-"
"""Prefix of the names of all such folders."""

_LOCK = ".sleuth-temporary"
_SETTLED_SECONDS = 60.0  # a file is not locked at the instant of its creation

_made: dict[Path, tuple[int, int]] = {}
"""Folders, with the descriptors that hold their locks, and the makers' process ids."""


def folder(prefix: str, parent: str | Path | None = None) -> Path:
    """Make a folder below ``parent``, by default that of temporary files, private to this user.

    Raises OSError if it cannot be made there.
    """
    parent = Path(parent or tempfile.gettempdir())
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
                    _remove_if_abandoned(entry.path)
    made = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{prefix}", dir=parent))
    descriptor = os.open(made / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    with suppress(OSError):  # a file system without locks: no process holds one there
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    _made[made] = descriptor, os.getpid()
    return made


def remove(made: Path) -> None:
    """Remove a folder made by `folder`."""
    if made in _made:
        descriptor, _ = _made.pop(made)
        shutil.rmtree(made, ignore_errors=True)
        os.close(descriptor)


@atexit.register
def discard() -> None:
    """Remove the folders that this process made; for processes that exit abruptly."""
    for made, (_, maker) in list(_made.items()):
        if maker == os.getpid():  # not a `fork` of it
            remove(made)


def _remove_if_abandoned(path: str) -> None:
    """Remove the folder ``path`` if this user made it here, and its maker has ended."""
    descriptor = os.open(os.path.join(path, _LOCK), os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        info = os.fstat(descriptor)
        if info.st_uid == os.geteuid() and time.time() - info.st_ctime > _SETTLED_SECONDS:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(descriptor)
