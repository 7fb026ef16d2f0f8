"""Cost of a cold start, and speed of machine code generated once for all.

    python -m benchmarks.bench_compile [--only tiger,cluedo] [--repeats 5]

The search kernel of a domain is compiled in a new process without any machine code on disk, then
loaded in another.  Control: Numba's own linking (`mcts.kernel.linking`), in the same run.  Both
then search the same position in turn with the same keys, and their results are checked to be
equal.  Seconds are of CPU.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks.timing import show, show_load

POSITIONS = {
    "tiger": "from mcts.problems.tiger import TigerParameters\np = TigerParameters(steps=100)",
    "cluedo": "from benchmarks.bench_game import opening\np = opening()",
}
SIMULATIONS = {"tiger": 200_000, "cluedo": 10_000}

NUMBAS_WAY = "import numba\nnumba.__version__ = '0, linking by itself, ' + numba.__version__\n"
"""Disables `mcts.kernel.linking`, and names a separate cache."""

SEARCHER = """
import json, sys, time
{position}
from mcts.options import Budget, Options
from mcts.search import Search

before = time.process_time()
search = Search(p, Options(nodes=100_000))
print(json.dumps(time.process_time() - before), flush=True)
for line in sys.stdin:
    before = time.process_time()
    result = search.run(Budget(simulations={simulations}), int(line))
    rate = result.simulations / (time.process_time() - before)
    print(json.dumps([rate, result.visits.tolist(), result.values.tolist()]), flush=True)
"""


class Process:
    """A process that makes a search, then searches on request."""

    def __init__(self, name: str, numbas_way: bool, folder: str) -> None:
        code = SEARCHER.format(position=POSITIONS[name], simulations=SIMULATIONS[name])
        self._process = subprocess.Popen(
            [sys.executable, "-c", (NUMBAS_WAY if numbas_way else "") + code],
            env={**os.environ, "SLEUTH_CACHE_DIR": folder},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.made = self._answer()
        """CPU seconds to make the search."""

    def search(self, key: int) -> tuple[float, tuple]:
        """Return simulations per CPU second and the result."""
        print(key, file=self._process.stdin, flush=True)
        rate, *found = self._answer()
        return rate, found

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()

    def _answer(self):
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("the searching process ended")
        return json.loads(line)


def measure(name: str, repeats: int) -> None:
    """Compile, load and search the domain ``name`` both ways."""
    with tempfile.TemporaryDirectory() as folder:
        made, processes = [], []
        for numbas_way in (False, True):
            cold = Process(name, numbas_way, folder)
            cold.close()
            warm = Process(name, numbas_way, folder)
            made.append((cold.made, warm.made))
            processes.append(warm)
        rates = []
        for key in range(repeats + 1):
            (rate, found), (control, also) = (each.search(key) for each in processes)
            if found != also:
                raise SystemExit(f"{name}: the two ways of linking give different results")
            rates.append((rate, control))
        for each in processes:
            each.close()
    (cold, warm), (cold_control, warm_control) = made
    ratio = cold_control / cold
    show(f"{name}: cold start", f"{cold:.1f} s", f"control {cold_control:.1f} s, {ratio:.1f}x")
    show("  machine code loaded", f"{warm:.2f} s", f"control {warm_control:.2f} s")
    rate, control = (statistics.median(column) for column in zip(*rates[1:], strict=True))
    show(
        "  simulations",
        f"{rate:,.0f} /s CPU",
        f"control {control:,.0f}, {rate / control:.2f} of it",
    )


def main() -> None:
    """Measure the domains given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(POSITIONS), help="domains, separated by commas")
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    chosen = asked.only.split(",")
    if not set(chosen) <= set(POSITIONS):
        parser.error(f"domains are {', '.join(POSITIONS)}")
    show_load()
    for name in chosen:
        measure(name, asked.repeats)


if __name__ == "__main__":
    main()
