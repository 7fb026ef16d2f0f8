"""Time until eight tasks that start at once have played a game, by the state of the cache."""

from __future__ import annotations

import re
import shutil
import sys
import time
from pathlib import Path

from benchmarks.slurm.campaign import PLAYER, ROOT, TASKS
from benchmarks.slurm.daemons import Slurm, await_that

WAYS = {
    "one empty cache for all tasks": "shared",
    "the same cache, filled": "shared",
    "an empty cache for each task": "own{}",
}
"""Folder of compiled code by way, with the number of the task."""

SECONDS = 1800.0
_TIMES = re.compile(r"(\d+)m([\d.]+)s (\d+)m([\d.]+)s\n*$")
"""What the shell prints last: the time of its children by the user and the system."""


def measure(slurm: Slurm, folder: Path) -> bool:
    """Print a table of the ways; return whether all tasks played."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print("| compiled code | until all have played a game | CPU time of all tasks |\n|---|---|---|")
    played = True
    for number, (what, cache) in enumerate(WAYS.items()):
        began, logs = time.monotonic(), [folder / f"{number}.{task}.log" for task in range(TASKS)]
        for task, log in enumerate(logs):
            game = (*PLAYER, "match.games=1", f"run.folder={log.with_suffix('')}")
            command = f"{sys.executable} -m experiments.compare {' '.join(game)}; times"
            where = (
                "--cpus-per-task=1",
                f"--chdir={ROOT}",
                f"--output={log}",
                "--open-mode=append",
            )
            place = str(folder / cache.format(task))
            slurm.run("sbatch", *where, "--wrap", command, SLEUTH_CACHE_DIR=place)
        await_that(lambda: not slurm.run("squeue", "-h"), "all tasks end", SECONDS)
        seconds = time.monotonic() - began
        spent = [_TIMES.search(log.read_text()) for log in logs]
        cpu = sum(60 * int(t[1]) + float(t[2]) + 60 * int(t[3]) + float(t[4]) for t in spent if t)
        played &= all(any(log.with_suffix("").glob("games-*.parquet")) for log in logs)
        print(f"| {what} | {seconds:.0f} s | {cpu:.0f} s |", flush=True)
    return played
