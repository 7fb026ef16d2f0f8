"""Bytes kept on disk for later processes: private, and whole or not at all.

What is read here is unpickled and run as machine code.  So the folder must belong to this user and
be closed to others, and a file counts for nothing unless a checksum in it, of its name and of all
its bytes, agrees.  A file is written under another name and renamed, so that neither a reader nor a
second writer ever meets half of one, nor does the end of the process leave half of one behind.

Whatever cannot be read is a miss, whatever cannot be written is not kept: a run never ends for it.
The one exception is `UnsafeCache`.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from mcts.kernel import temporary
from mcts.kernel.errors import SleuthError

VARIABLE = "SLEUTH_CACHE_DIR"
"""Environment variable that names the folder."""

_MARK = b"sleuth code 1\n"
_HEADER = len(_MARK) + hashlib.sha256().digest_size

_ENDING = ".code"
_OURS = re.compile(rf".+-[0-9a-f]{{32}}{re.escape(_ENDING)}(\.\w+\.tmp)?")
"""Names of files that are written here, and so may be removed."""

_DAY = 86400.0
_UNUSED = 30 * _DAY
_ABANDONED = _DAY / 24  # a file that its writer never came to rename

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

_REMEDY = f"set {VARIABLE} to a folder of your own"
_AGAIN = f"so the next start compiles again: {_REMEDY}"


class UnsafeCache(SleuthError):
    """Others could have put machine code where ours is kept; the message is one line."""


class Store:
    """Files of bytes by name in one folder; without a folder it keeps nothing.

    Attributes
    ----------
    folder : Path or None
        Taken as it is; `opened` is what judges one.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._tidy = False

    def path(self, name: str) -> Path:
        """Return the file of ``name``, which ends in 32 hexadecimal digits after a dash."""
        return self.folder / (name + _ENDING)

    def read(self, name: str) -> memoryview | None:
        """Return what was written as ``name``; None if it is not there, or not as it was."""
        if self.folder is None:
            return None
        try:
            # What is no file, a pipe for instance, must not make us wait.
            descriptor = os.open(self.path(name), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(descriptor, "rb") as file:
                info = os.fstat(descriptor)
                if not stat.S_ISREG(info.st_mode) or info.st_uid != os.geteuid():
                    return None
                found = file.read()
                if abs(time.time() - info.st_mtime) > _DAY:
                    with suppress(OSError):
                        os.utime(descriptor)  # in use: `_remove_unused` goes by this time
        except (OSError, MemoryError):
            return None
        return memoryview(found)[_HEADER:] if _is_whole(name, found) else None

    def write(self, name: str, content: bytes) -> None:
        """Keep ``content`` as ``name``; if that is not possible, say so once."""
        if self.folder is None:
            return
        try:
            try:
                self._replace(name, content)
            except OSError as fault:
                if fault.errno in _NO_ROOM:
                    raise
                self._make_room(name)
                self._replace(name, content)
        except (OSError, UnsafeCache) as fault:
            reason = getattr(fault, "strerror", None) or fault
            _say(f"machine code cannot be kept in {self.folder} ({reason}), {_AGAIN}")
            return
        if not self._tidy:
            self._tidy = True
            self._remove_unused()

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

    def _make_room(self, name: str) -> None:
        """Put away what stands where a file or the folder should be."""
        prepare(self.folder)  # it may have been removed meanwhile
        path = self.path(name)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)  # another process may be ahead of us

    def _remove_unused(self) -> None:
        """Remove what no process has read for a month, and what none has finished writing."""
        now = time.time()
        with suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                if not _OURS.fullmatch(entry.name):
                    continue
                limit = _UNUSED if entry.name.endswith(_ENDING) else _ABANDONED
                with suppress(OSError):
                    if now - entry.stat(follow_symlinks=False).st_mtime > limit:
                        os.unlink(entry)


def header(name: str, content: bytes | memoryview) -> bytes:
    """Return what stands before ``content`` in the file of ``name``."""
    state = hashlib.sha256(name.encode() + b"\0")
    state.update(content)
    return _MARK + state.digest()


def _is_whole(name: str, found: bytes) -> bool:
    """Tell whether ``found`` is what was written for ``name``, to the last bit."""
    return found[:_HEADER] == header(name, memoryview(found)[_HEADER:])


@cache
def opened() -> Store:
    """Return the store of this process; the folder is there, private, and can be written.

    It is what `VARIABLE` names, else ``~/.cache/sleuth-mcts``, else, after a line on the error
    stream, a temporary one that is removed when this process ends.  Processes that are started from
    here on, those of Ray among them, find the same one by `VARIABLE`.

    Raises
    ------
    UnsafeCache
        If it belongs to somebody else, or others can write to it.
    """
    named = os.environ.get(VARIABLE)
    wanted = named or "~/.cache"
    try:
        wanted = _wanted(named)
        prepare(wanted, shared=bool(named))
    except (OSError, RuntimeError, ValueError) as fault:  # no home, a path that cannot be
        wanted = _temporary(wanted, getattr(fault, "strerror", None) or fault)
    else:
        if named:  # relative to where this process is now
            os.environ[VARIABLE] = str(wanted)
    return Store(wanted)


def _wanted(named: str | None) -> Path:
    """Return the absolute path of the folder, as far as one can tell from the environment."""
    if named:
        return Path(os.path.abspath(named))
    base = os.environ.get("XDG_CACHE_HOME") or ""
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "sleuth-mcts"


def prepare(folder: Path, shared: bool = True) -> None:
    """Make ``folder``, private, or look whether it may be used as it is.

    Parameters
    ----------
    folder
        A link is judged by what it points to.
    shared
        Whether other files than ours may be in it; only without them is it closed to readers.

    Raises
    ------
    UnsafeCache
        If it belongs to somebody else, or others can write to it.
    OSError
        If it cannot be made, read or written, except for want of room.
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
    if info.st_mode & 0o077 and (not shared or all(map(_OURS.fullmatch, os.listdir(folder)))):
        os.chmod(folder, 0o700)
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as fault:
        if fault.errno not in _NO_ROOM:  # what is there can be read
            raise


def _temporary(wanted: Path | str, reason: object) -> Path | None:
    """Return a new private folder for this process and those that it starts, and say why."""
    try:
        folder = temporary.folder("code-")
    except OSError:
        folder = None
    else:
        os.environ[VARIABLE] = str(folder)
    _say(f"machine code cannot be kept in {wanted} ({reason}), {_AGAIN}")
    return folder


@cache
def _say(line: str) -> None:
    """Print ``line`` on the error stream, once a process."""
    print(f"sleuth: {line}", file=sys.stderr, flush=True)
