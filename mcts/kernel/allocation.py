"""The cores that the machine's scheduler leaves to this process.

A container or a cluster may grant less than the affinity shows: Slurm binds tasks to cores only
where it is set up to, and a control group limits time, not cores.
"""

from __future__ import annotations

import math
import os
from contextlib import suppress
from pathlib import Path

SLURM = "SLURM_CPUS_PER_TASK"


def cores(listed: Path = Path("/proc/self/cgroup"), mounted: Path = Path("/sys/fs/cgroup")) -> int:
    """Return the number of cores that this process may use, at least 1.

    It is the least of its affinity, Slurm's cores per task and the quota of its control groups,
    rounded down.  ``listed``: file with the groups; ``mounted``: folder with their settings.
    """
    affine = hasattr(os, "sched_getaffinity")
    found: float = len(os.sched_getaffinity(0)) if affine else os.cpu_count() or 1
    granted = os.environ.get(SLURM, "")
    if granted.isdecimal() and int(granted):
        found = min(found, int(granted))
    return max(1, int(min(found, _quota(listed, mounted))))


def _quota(listed: Path, mounted: Path) -> float:
    """Return the least quota, in cores, of the control groups and of those around them."""
    least = math.inf
    try:
        lines = listed.read_text().splitlines()
    except OSError:
        return least
    for controllers, path in (line.split(":", 2)[1:] for line in lines):
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = mounted / controllers  # version 2 has one tree, without a name
        group = root / path.lstrip("/")
        for folder in (group, *group.parents):
            least = min(least, _quota_of(folder))
            if folder == root:
                break
    return least


def _quota_of(group: Path) -> float:
    for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):  # version 2, 1
        with suppress(OSError, ValueError):  # another version; "max" for none
            quota, period = " ".join((group / name).read_text() for name in names).split()
            if int(quota) > 0 < int(period):
                return int(quota) / int(period)
    return math.inf
