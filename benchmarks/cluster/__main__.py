"""A cluster of four hosts on this machine, for experiments or fault injection; needs root.

        make cluster                                    # start it, print usage, wait for Ctrl-C
        make cluster ARGS=campaign                      # hosts fail while commands play
        make cluster ARGS="campaign --only match"

Each host is a set of namespaces with its own address, home and Ray; frames take 5 ms and one in a
hundred is lost.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections import Counter
from pathlib import Path

from benchmarks.cluster.campaign import HOSTS, Campaign, summarise
from benchmarks.cluster.hosts import PORT, CannotBuild, Lan


def wait(lan: Lan) -> None:
    """Start Ray on all hosts and wait for Ctrl-C."""
    head, *others = lan.hosts
    head.start_ray()
    for host in others:
        host.start_ray(head)
    for host in lan.hosts:
        print(f"{host.name}: {host.address}, in it by: nsenter -at {host.pid} env {host.variables}")
    print(
        f"from a host: {sys.executable} -m experiments.compare player=best "
        f"ray.address={head.address}:{PORT}\nCtrl-C ends the cluster",
        flush=True,
    )
    signal.sigwait([signal.SIGINT, signal.SIGTERM])


def main() -> None:
    """Start the hosts, run the requested command, and end them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=("wait", "campaign"), default="wait")
    parser.add_argument("--only", default="", help="parts whose name contains this")
    parser.add_argument("--folder", type=Path, default=Path("outputs/cluster"))
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with Lan(HOSTS) as lan:
            if asked.what == "wait":
                wait(lan)
                return
            asked.folder.mkdir(parents=True, exist_ok=True)
            campaign = Campaign(lan, asked.folder.resolve())
            campaign.run(asked.only)
    except CannotBuild as fault:
        sys.exit(f"cluster: {fault}")
    except KeyboardInterrupt:
        sys.exit(130)
    outcomes = list(campaign.outcomes.values())
    print(summarise(outcomes))
    kinds = Counter(fault.partition(" (")[0] for one in outcomes for fault in one.faults)
    print(", ".join(f"{count} x {kind}" for kind, count in kinds.items()))
    if not all(one.passed for one in outcomes):
        sys.exit(1)


if __name__ == "__main__":
    main()
