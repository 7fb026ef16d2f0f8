"""Timing and printing of the benchmarks; a figure is the median of some repeats.

``/s CPU`` counts the seconds of this process and is little affected by load; wall time is measured
as such.  The control is a fixed loop of random draws, the current speed of this core.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.rng import draw, new_stream

DRAWS = 20_000_000


@jit
def _draws(stream: np.ndarray, n: int) -> int:
    """Draw ``n`` random words one after another; return their sum to prevent optimisation."""
    total = np.uint64(0)
    for _ in range(n):
        total += draw(stream)
    return total


def measure(work: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Return the median (CPU, wall) seconds of ``work``, called once before to compile."""
    work()
    cpu, wall = [], []
    for _ in range(repeats):
        before, began = time.process_time(), time.perf_counter()
        work()
        cpu.append(time.process_time() - before)
        wall.append(time.perf_counter() - began)
    return statistics.median(cpu), statistics.median(wall)


def show(name: str, value: str, control: str = "") -> None:
    """Print one line of the table."""
    print(f"{name:38}{value:>30}   {control}", flush=True)


def show_load() -> None:
    """Print the load of the machine."""
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def control_nanoseconds(repeats: int) -> float:
    """Return CPU nanoseconds of one random draw in a tight loop."""
    stream = new_stream(1)
    return 1e9 * measure(lambda: _draws(stream, DRAWS), repeats)[0] / DRAWS
