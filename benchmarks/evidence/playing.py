"""Play missing results, each by its own command, until the time is over."""

from __future__ import annotations

import math
import shlex
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from benchmarks.evidence import archive, sources, state
from benchmarks.evidence.listing import TABLE, Evidence
from experiments.locks import Busy, hold
from experiments.settings.commandline import Refusal

_BUSY_SECONDS = 2.0
"""Time between two looks at studies that other processes play."""

_ENDING_SECONDS = 120.0
"""Maximum wait for a command to save its games once it was asked to end."""


@dataclass(frozen=True)
class Played:
    """A result after playing: all or some of its games.

    Attributes
    ----------
    evidence : the result
    run : the folder of its rows
    sources : digest of all code that may play it, which determines the folder's name
    ended : whether it is complete; False if the time was over, Ctrl-C came, or its command failed
    fault : how its command failed; empty otherwise
    """

    evidence: Evidence
    run: Path
    sources: str
    ended: bool
    fault: str = ""

    def digest(self, modules: Sequence[str]) -> str | None:
        """Return that of the ``modules`` that played it; None if code changed meanwhile."""
        root = self.evidence.root
        same = sources.digest(root, self.evidence.modules) == self.sources
        return sources.digest(root, modules) if same else None


def play(
    left: Sequence[Evidence], hours: float, folder: Path, console: Console
) -> Iterator[Played]:
    """Play each of ``left`` in turn for at most ``hours``, in folders below ``folder``.

    Results with rows of today's plan continue from the matches of today's code.  Games of other
    sources are in other folders, so none are mixed.  A failed command does not stop the next.

    Other processes may play the same evidence: they share the games of tables, and each plays other
    studies.
    """
    end = time.monotonic() + 3600 * hours
    waiting, busy = deque(left), 0
    while waiting:
        one = waiting.popleft()
        digest = sources.digest(one.root, one.modules)
        run = folder / digest / one.folder
        with ExitStack() as held:
            try:
                held.enter_context(alone(run))
            except Busy:
                waiting.append(one)
                busy += 1
                if busy < len(waiting):
                    continue
                if time.monotonic() > end:
                    yield Played(one, run, digest, ended=False)
                    return
                time.sleep(_BUSY_SECONDS)
                busy = 0
                continue
            busy = 0
            found = state.of(one)
            if found.word == state.FRESH:  # another process has kept it
                continue
            some = found.changed and len(found.changed) < len(one.parts(one.rows))
            if not run.exists() and (some or found.word == state.UNFINISHED):
                archive.unpack(one, run, found.changed)
            if one.kind == TABLE:
                held.close()
            try:
                ended = play_part(one, one.command, run.parent, console, end) is not None
            except Refusal as fault:
                yield Played(one, run, digest, ended=False, fault=str(fault))
                continue
        yield Played(one, run, digest, ended)
        if not ended:
            return


def alone(run: Path, seconds: float = 0.0) -> AbstractContextManager[None]:
    """Return a block in which no other process plays, unpacks or keeps what is in ``run``.

    Raises Busy after ``seconds``.
    """
    place = run.parent / f".{run.name}"
    place.mkdir(parents=True, exist_ok=True)
    return hold(place, seconds)


def play_part(
    one: Evidence, command: str, place: Path, console: Console, end: float = math.inf
) -> Path | None:
    """Play ``command``, all or a part of ``one``, in a folder below ``place``.

    Returns that folder, named as that of its rows; None if it did not end before the time ``end``
    or Ctrl-C.  The same call continues.  Raises Refusal if the command fails.
    """
    run = place / one.folder
    arguments = shlex.split(command)[2:]
    arguments += [f"folder={place}"] if one.kind == TABLE else [f"run.folder={run}"]
    console.print(f"{one.name}: {shlex.join(['python', '-m', *arguments])}", soft_wrap=True)
    return run if _run([sys.executable, "-m", *arguments], end) else None


def _run(command: Sequence[str], end: float) -> bool:
    """Run ``command``; return whether it ended by itself before the time ``end``."""
    process = subprocess.Popen(command)
    try:
        code = process.wait(max(0.0, end - time.monotonic()))
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        _end(process)
        return False
    if code:
        raise Refusal(f"{shlex.join(command[1:])} ended with {code}")
    return True


def _end(process: subprocess.Popen) -> None:
    """Ask ``process`` to save its games and end; kill it after `_ENDING_SECONDS`."""
    process.terminate()  # in the background of a script SIGINT may be ignored
    try:
        process.wait(_ENDING_SECONDS)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        process.wait()
