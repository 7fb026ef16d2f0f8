"""CPU time of each file of tests: what it took when it was recorded, and what it may take.

`durations.json` holds seconds of CPU by file, its child processes included; compilation in the
tests' own processes, which falls to the first file that needs a kernel, is a line of its own,
`COMPILATION`.  `make durations` records them again; compilation if it is more than before, as it is
without a cache (``SLEUTH_CACHE_DIR``).  What takes more than twice its record and some seconds
fails the run, after what the machine at hand takes longer for every file; a file that takes more
than `SLOW` is left out of `make check`.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

FILE = Path(__file__).with_name("durations.json")
RECORD = "SLEUTH_RECORD_DURATIONS"
"""Environment variable: write the file again at the end of a whole run."""

COMPILATION = "compilation"
"""Key of what all tests compile in their own processes."""

SLOW = 1.5
MARGIN = 20.0
ENOUGH = 10
"""Files from which the speed of a machine is reckoned."""


def read() -> dict[str, float]:
    """Return the recorded seconds by file, relative to the folder of the project."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def write(seconds: dict[str, float]) -> None:
    """Record ``seconds`` by file."""
    seconds[COMPILATION] = max(seconds[COMPILATION], read().get(COMPILATION, 0.0))
    rounded = {file: round(spent, 1) for file, spent in sorted(seconds.items())}
    FILE.write_text(json.dumps(rounded, indent=0) + "\n")


def slowness(seconds: dict[str, float], recorded: dict[str, float]) -> float:
    """Return how many times as long as recorded the median file took, at least 1.

    Only files that took longer than `SLOW` count, and fewer than `ENOUGH` of them say nothing.
    """
    known = [file for file in seconds if recorded.get(file, 0.0) > SLOW]
    if len(known) < ENOUGH:
        return 1.0
    return max(1.0, statistics.median(seconds[file] / recorded[file] for file in known))


def overruns(seconds: dict[str, float], recorded: dict[str, float]) -> list[str]:
    """Return a line for each file of ``seconds`` that passed its budget on this machine.

    A new file has the budget of one that takes no time; compilation has one once it is recorded.
    """
    slower = slowness(seconds, recorded)
    budgets = {file: slower * (2.0 * recorded.get(file, 0.0) + MARGIN) for file in seconds}
    return [
        f"{file} took {spent:.0f} s of CPU; its budget is {budgets[file]:.0f} s"
        for file, spent in sorted(seconds.items())
        if spent > budgets[file] and (file != COMPILATION or file in recorded)
    ]


def total(reports: Iterable) -> Counter[str]:
    """Return CPU seconds by file of pytest's ``reports``, setup and teardown included."""
    seconds: Counter[str] = Counter()
    for report in reports:
        seconds[report.nodeid.split("::")[0]] += getattr(report, "cpu", 0.0)
        seconds[COMPILATION] += getattr(report, "compiled", 0.0)
    return seconds


class Clock:
    """CPU time of this process and of children that have ended; ``compiling``: of it, in numba."""

    def __init__(self) -> None:
        self.compiling = 0.0
        self._depth = 0
        self._begun = 0.0
        self._listens = False

    def read(self) -> float:
        """Return the seconds so far, without compilation."""
        self._listen()
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = time.process_time() + children.ru_utime + children.ru_stime
        return spent - self.compiling

    def _listen(self) -> None:
        """Have Numba report compilations, once it has been imported."""
        if self._listens or "numba.core.event" not in sys.modules:
            return
        from numba.core import event

        clock = self

        class Listener(event.Listener):
            def on_start(self, _):
                clock._depth += 1
                if clock._depth == 1:
                    clock._begun = time.process_time()

            def on_end(self, _):
                clock._depth -= 1
                if clock._depth == 0:
                    clock.compiling += time.process_time() - clock._begun

        event.register("numba:compile", Listener())
        self._listens = True
