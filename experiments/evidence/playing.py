"""Playing what is missing, each by its own command, until the time is over."""

from __future__ import annotations

import math
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from experiments.evidence import sources
from experiments.evidence.listing import TABLE, Evidence
from experiments.settings.commandline import Refusal

_ENDING_SECONDS = 120.0
"""Longest wait for a command to write down what it has played, once it was asked to end."""


def play(
    left: Sequence[Evidence], hours: float, folder: Path, console: Console
) -> Iterator[tuple[Evidence, Path | None]]:
    """Play each of ``left`` in turn for ``hours`` at most, in folders below ``folder``.

    Yields each with the folder of its run, or None if the time was over before its end.  Games of
    other sources lie elsewhere, so none are mixed.  Raises Refusal if a command fails.
    """
    end = time.monotonic() + 3600 * hours
    for one in left:
        place = folder / sources.digest(one.root, one.item.sources)
        run = play_part(one, one.command, place, console, end)
        yield one, run
        if run is None:
            return


def play_part(
    one: Evidence, command: str, place: Path, console: Console, end: float = math.inf
) -> Path | None:
    """Play ``command``, all or a part of ``one``, in a folder below ``place``.

    Returns that folder, named as that of its rows; None if it did not end before the time ``end``
    or Ctrl-C.  The same call goes on.  Raises Refusal if the command fails.
    """
    run = place / one.folder
    arguments = shlex.split(command)[2:]
    arguments += [f"folder={place}"] if one.kind == TABLE else [f"run.resume={run}"]
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
    """Ask ``process`` to write down what it has and end; kill it after `_ENDING_SECONDS`."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(_ENDING_SECONDS)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        process.wait()
