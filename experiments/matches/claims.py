"""Blocks of games that one process claims among several that play in the same run folder.

A process plays the games of the blocks that it has claimed.  A claim is a POSIX lock on one byte of
the file `CLAIMS`: the kernel releases it when the process dies, and a shared home (NFS 4, Lustre
with ``-o flock``) knows it on every host.  The byte counts the games, from the block's start on,
whose rows are on disk: another host may list the folder late, but reads a locked file as it is.

The first bytes are *slots*: a process holds one, which names its parts.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from experiments.locks import BUSY, Busy, locking

CLAIMS = ".claims"
"""File in a run folder whose bytes are locked."""

SLOTS = 1000
"""Maximum number of processes that share a run folder."""

_PATIENCE = 10.0
"""Longest wait for a slot, in seconds; a process that begins holds all for a moment."""

LAG = 120.0
"""Longest time in seconds after which every host lists a new file."""

_open: set[tuple[int, int]] = set()
"""Folders where this process plays, by device and inode: closing one of two files that it has open
would release the locks of both."""

_opening = threading.Lock()


class Claims(AbstractContextManager["Claims"]):
    """The claims of this process in the run folder ``folder``; closing them releases all.

    ``names``: of all matches of the run's plan, in its order.  Raises Busy if this process already
    plays there or all slots are taken, Refusal if files cannot be locked or written there.

    Attributes
    ----------
    slot : number of this process among those that play; the first has 0
    shared : whether another process was seen at work
    """

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._folder, self._places = folder, {name: i for i, name in enumerate(names)}
        self._blocks: list[tuple[str, int]] = []
        self.shared = False
        with locking(folder), _opening:
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
            found = os.stat(folder)
            self._key = found.st_dev, found.st_ino
            if self._key in _open:
                raise Busy(f"{folder} is in use by this process: wait until it ends")
            self._file = os.open(folder / CLAIMS, flags, 0o666)
            _open.add(self._key)
        try:
            with locking(folder):
                self.slot = self._take_slot()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release all claims; other processes may then play what is not on disk."""
        os.close(self._file)
        _open.discard(self._key)

    def _take_slot(self) -> int:
        if self._lock(0, SLOTS):  # alone
            if time.time() - os.fstat(self._file).st_mtime > LAG:
                os.ftruncate(self._file, 0)  # what earlier processes counted is in the rows
            self._unlock(1, SLOTS - 1)
            return 0
        self.shared = True
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            for slot in range(SLOTS):
                if self._lock(slot):
                    return slot
            time.sleep(0.1)
        raise Busy(f"{SLOTS} processes play in {self._folder}: wait until one ends")

    def _lock(self, place: int, length: int = 1) -> bool:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, length, place)
        except OSError as fault:
            if fault.errno not in BUSY:
                raise
            return False
        return True

    def take(self, match: str, block: int, games: int) -> int | None:
        """Claim ``block`` of ``match``; return how many of its ``games`` are on disk.

        They are the first ones; other processes wrote them, and they may not be listed yet.  None
        if another process has the block, or all are on disk.  Raises Refusal if files can no longer
        be locked.
        """
        place = self._place(match, block)
        with locking(self._folder):
            if not self._lock(place):
                self.shared = True
                return None
            there = (os.pread(self._file, 1, place) or b"\0")[0]
            if there >= games:
                self._unlock(place)
                return None
        self._blocks.append((match, block))
        return there

    def settle(self, count: Callable[[str, int], int]) -> None:
        """Release the claimed blocks that are on disk; may raise OSError.

        ``count``: returns how many games a match's block has if all of them are, else 0.
        """
        held = []
        for match, block in self._blocks:
            place, games = self._place(match, block), count(match, block)
            if games:
                os.pwrite(self._file, bytes([games]), place)
                self._unlock(place)
            else:
                held.append((match, block))
        self._blocks = held

    def forget(self) -> bool:
        """Forget what is on disk if no other process plays here; return whether that is so.

        Rows that were counted but cannot be listed were removed: they are to be played again.
        """
        with locking(self._folder):
            others = [(0, self.slot), (self.slot + 1, SLOTS - self.slot - 1)]
            others = [one for one in others if one[1]]
            taken = [one for one in others if self._lock(*one)]
            if alone := taken == others:
                os.ftruncate(self._file, 0)
            for place, length in taken:
                self._unlock(place, length)
        return alone

    def _unlock(self, place: int, length: int = 1) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_UN, length, place)

    def _place(self, match: str, block: int) -> int:
        return SLOTS + block * len(self._places) + self._places[match]
