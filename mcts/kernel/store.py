"""Bytes kept on disk for later processes: private, and written atomically.

The content is unpickled and run as machine code.  So the folder must belong to this user and be
closed to others, and a file is ignored unless its checksum, of its name and all its bytes, agrees.
An unreadable file is a miss, and an unwritable one is not kept: only `UnsafeCache` ends a run.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import stat
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from mcts.kernel import temporary, waiting
from mcts.kernel.errors import SleuthError

VARIABLE = "SLEUTH_CACHE_DIR"
"""Environment variable that names the folder."""

_MARK = b"sleuth code 1\n"
_HEADER = len(_MARK) + hashlib.sha256().digest_size

_ENDING = ".code"
_OURS = re.compile(rf".+-[0-9a-f]{{32}}{re.escape(_ENDING)}(\.\w+\.tmp)?")
"""Names of files that this module writes, and so may remove."""

_DAY = 86400.0
_UNUSED = 30 * _DAY
_ABANDONED = _DAY / 24  # age of a file that its writer never renamed

_CLAIMS = ".claims"
"""File whose bytes processes lock, one byte per name, while they make a missing entry."""

_PATIENCE = 120.0
"""Maximum wait for another process that makes the same entry, in seconds."""

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

_REMEDY = f"set {VARIABLE} to a folder of your own"
_AGAIN = f"so the next start compiles again: {_REMEDY}"


class UnsafeCache(SleuthError):
    """Others could have replaced the cached machine code; the message is one line."""


class Store:
    """Files of bytes by name in one folder; without a folder nothing is kept.

    Attribute ``folder``: a Path or None, unchecked; `open_store` checks it.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._tidy = False
        self._claims: int | None = None

    def path(self, name: str) -> Path:
        """Return the file of ``name``, which ends in a dash and 32 hexadecimal digits."""
        return self.folder / (name + _ENDING)

    def read(self, name: str) -> memoryview | None:
        """Return the content written as ``name``; None if it is missing or damaged."""
        if self.folder is None:
            return None
        try:
            with self.path(name).open("rb") as file:
                found = file.read()
                if abs(time.time() - os.fstat(file.fileno()).st_mtime) > _DAY:
                    with suppress(OSError):
                        os.utime(file.fileno())  # in use: `_remove_unused` reads this time
        except (OSError, MemoryError):
            return None
        return memoryview(found)[_HEADER:] if _is_whole(name, found) else None

    def write(self, name: str, content: bytes) -> None:
        """Keep ``content`` as ``name``; if that fails, say so once."""
        if self.folder is None:
            return
        try:
            if not self.folder.exists():
                prepare(self.folder)  # it was removed in the meantime
            self._replace(name, content)
        except (OSError, UnsafeCache) as fault:
            reason = getattr(fault, "strerror", None) or fault
            waiting.say(f"machine code cannot be kept in {self.folder} ({reason}), {_AGAIN}")
            return
        if not self._tidy:
            self._tidy = True
            self._remove_unused()

    def claim(self, name: str) -> bool:
        """Claim the making of ``name``, until `disclaim`; return whether another had claimed it.

        If so, wait for its result, at most `_PATIENCE`, unless files cannot be locked.
        """
        if self.folder is None:
            return False
        waited = False
        end = time.monotonic() + _PATIENCE
        with suppress(OSError):
            if self._claims is None:
                flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
                self._claims = os.open(self.folder / _CLAIMS, flags, 0o600)
            while time.monotonic() < end:
                try:
                    fcntl.lockf(self._claims, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(name))
                    break
                except (BlockingIOError, PermissionError):
                    waited = True
                    waiting.say_compiling(end - _PATIENCE)
                    time.sleep(0.05)
        return waited

    def disclaim(self, name: str) -> None:
        """End the claim of ``name``."""
        if self._claims is not None:
            with suppress(OSError):
                fcntl.lockf(self._claims, fcntl.LOCK_UN, 1, _place(name))

    def _replace(self, name: str, content: bytes) -> None:
        path = self.path(name)
        descriptor, temporary = tempfile.mkstemp(".tmp", f"{path.name}.", self.folder)
        try:
            with open(descriptor, "wb") as file:
                file.write(header(name, content))
                file.write(content)
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise

    def _remove_unused(self) -> None:
        """Remove files unread for a month, and temporary files that were never renamed."""
        now = time.time()
        with suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                if not _OURS.fullmatch(entry.name):
                    continue
                limit = _UNUSED if entry.name.endswith(_ENDING) else _ABANDONED
                with suppress(OSError):
                    if now - entry.stat(follow_symlinks=False).st_mtime > limit:
                        os.unlink(entry)


def _place(name: str) -> int:
    """Return the byte of `_CLAIMS` for ``name``."""
    return int(name[-12:], 16)


def header(name: str, content: bytes | memoryview) -> bytes:
    """Return the bytes that precede ``content`` in the file of ``name``."""
    state = hashlib.sha256(name.encode() + b"\0")
    state.update(content)
    return _MARK + state.digest()


def _is_whole(name: str, found: bytes) -> bool:
    """Return whether ``found`` is exactly what was written for ``name``."""
    return found[:_HEADER] == header(name, memoryview(found)[_HEADER:])


@cache
def open_store() -> Store:
    """Return the store of this process; its folder exists, is private, and can be written.

    The folder is given by `VARIABLE`, else ``~/.cache/sleuth-mcts``, else, after a line on the
    error stream, a temporary one that is removed when this process ends.  Processes started later,
    Ray's included, find the same one through `VARIABLE`.  Raises UnsafeCache if it belongs to
    another user, or others can write to it.
    """
    named = os.environ.get(VARIABLE)
    wanted = named or "~/.cache"
    try:
        wanted = _find_folder(named)
        prepare(wanted)
    except (OSError, RuntimeError, ValueError) as fault:  # no home, or an invalid path
        wanted = _temporary(wanted, getattr(fault, "strerror", None) or fault)
    else:
        if named:  # relative to the current directory
            os.environ[VARIABLE] = str(wanted)
    return Store(wanted)


def _find_folder(named: str | None) -> Path:
    """Return the absolute path of the folder that the environment names."""
    if named:
        return Path(os.path.abspath(named))
    base = os.environ.get("XDG_CACHE_HOME") or ""
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "sleuth-mcts"


def prepare(folder: Path) -> None:
    """Create ``folder`` with mode 0700, or check that it is safe to use.

    A link is judged by its target.  Raises UnsafeCache if it belongs to another user, or others can
    write to it.  Raises OSError if it cannot be created, read or written, except for lack of space.
    """
    with suppress(FileExistsError):
        os.makedirs(folder, mode=0o700)
    info = os.stat(folder)
    if not stat.S_ISDIR(info.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    place = f"machine code is run from {folder}"
    if info.st_uid != os.geteuid():
        raise UnsafeCache(f"{place}, which belongs to another user: {_REMEDY}")
    if info.st_mode & 0o022:
        raise UnsafeCache(f"{place}, to which others can write: delete it, or {_REMEDY}")
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as fault:
        if fault.errno not in _NO_ROOM:  # a full disk can still be read
            raise


def _temporary(wanted: Path | str, reason: object) -> Path | None:
    """Say why, and return a new private folder for this process and its children."""
    waiting.say(f"machine code cannot be kept in {wanted} ({reason}), {_AGAIN}")
    with suppress(OSError):
        folder = temporary.folder("code-")
        os.environ[VARIABLE] = str(folder)
        return folder
    return None
