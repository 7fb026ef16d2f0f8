"""A Slurm of four nodes on this machine, as root, to try things on or to be disturbed.

    make slurm                              # start it, say how to use it, wait for Ctrl-C
    make slurm ARGS=FOLDER                  # events disturb jobs, whose rows are compared
    make slurm ARGS="FOLDER --cold"         # how long the first start of 8 tasks takes

Two partitions: jobs of ``high`` preempt those of ``low``, which are queued again.
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from benchmarks.slurm.daemons import CannotStart, Slurm

SOON = 10
"""Seconds that a requeued job waits in the campaign."""


def wait() -> None:
    """Start Slurm, print how to use it, and wait for Ctrl-C."""
    with Slurm() as slurm:
        print(f"export SLURM_CONF={slurm.conf}\nCtrl-C ends Slurm and its jobs", flush=True)
        signal.sigwait([signal.SIGINT, signal.SIGTERM])


def main() -> None:
    """Start Slurm, do what is asked for, and end it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.slurm",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--cold", action="store_true", help="measure cold starts")
    parser.add_argument("--only", default="", help="parts of the campaign whose name holds this")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        if asked.folder is None:
            wait()
            return
        from benchmarks.slurm.campaign import Campaign  # slow to import
        from benchmarks.slurm.cold import measure

        with Slurm(again=SOON) as slurm:
            folder = asked.folder.resolve()
            passed = (
                measure(slurm, folder) if asked.cold else Campaign(slurm, folder).run(asked.only)
            )
    except CannotStart as fault:
        print(f"slurm: {fault}")
        return
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(not passed)


if __name__ == "__main__":
    main()
