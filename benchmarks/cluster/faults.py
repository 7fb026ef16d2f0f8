"""Faults of hosts in turn while a command runs, each repaired before the next."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

from benchmarks.cluster.hosts import Host, Lan, await_that

SILENT = 12.0
"""Seconds of a partition or frozen host that is to be given up."""
BRIEF = 3.0
"""Seconds of a fault that may go undetected."""
BETWEEN = 4.0

Fault = Callable[[Lan, Host, Host], None]
"""A fault of the network, the failing host and the head."""


def kill(_: Lan, host: Host, head: Host) -> None:
    """Cut the power of a host; it restarts with empty folders and joins late."""
    host.kill()
    time.sleep(BRIEF)
    host.reboot()
    host.start_ray(head)


def partition(lan: Lan, host: Host, head: Host) -> None:
    """Cut a host off until it is given up; then restart its Ray."""
    lan.cut(host)
    time.sleep(SILENT)
    lan.join(host)
    restart(host, head)


def interrupt(lan: Lan, host: Host, _: Host) -> None:
    """Cut a host off for a moment."""
    lan.cut(host)
    time.sleep(BRIEF)
    lan.join(host)


def freeze(_: Lan, host: Host, head: Host) -> None:
    """Stop all processes of a host until it is given up, and let them continue."""
    host.freeze()
    time.sleep(SILENT)
    host.thaw()
    restart(host, head)


def pause(_: Lan, host: Host, __: Host) -> None:
    """Stop all processes of a host for a moment."""
    host.freeze()
    time.sleep(BRIEF)
    host.thaw()


FAULTS: dict[str, Fault] = {
    "host killed, joins late": kill,
    "partition, given up": partition,
    "partition of 3 s": interrupt,
    "frozen, given up": freeze,
    "frozen for 3 s": pause,
}


def restart(host: Host, head: Host) -> None:
    """Restart Ray on a host that its cluster has given up, as its owner would."""
    host.run("pkill", "-9", "-f", "ray", timeout=30)
    host.start_ray(head)


class Faults:
    """Faults and ``hosts`` in turn while a command runs; ``done`` counts them by name."""

    def __init__(self, lan: Lan, hosts: list[Host], head: Host, names: list[str]) -> None:
        self._lan, self._head = lan, head
        self._next: Iterator[tuple[str, Host]] = zip(cycle(names), cycle(hosts), strict=False)
        self.done: list[tuple[str, str]] = []

    def until_done(self, process: subprocess.Popen, begun: Callable[[], bool]) -> None:
        """Break hosts from when the command has ``begun`` until it ends."""
        await_that(lambda: process.poll() is not None or begun(), "the command plays", 300)
        time.sleep(BETWEEN)
        while process.poll() is None:
            name, host = next(self._next)
            FAULTS[name](self._lan, host, self._head)
            self.done.append((name, host.name))
            end = time.monotonic() + BETWEEN
            while process.poll() is None and time.monotonic() < end:
                time.sleep(0.1)


def has_rows(folder: Path) -> Callable[[], bool]:
    """Return a function that says whether a command has written rows below ``folder``."""
    return lambda: any(folder.rglob("*.parquet")) or any(folder.rglob("*.jsonl"))
