"""A cluster of four hosts on this machine; needs root: ``make cluster``.

Each host is a set of namespaces with its own address, home and Ray; frames take 5 ms and one in a
hundred is lost.
"""

from __future__ import annotations

import signal
import sys

from benchmarks.cluster.hosts import PORT, CannotBuild, Lan

HOSTS = 4


def wait(lan: Lan) -> None:
    """Start Ray on all hosts, print how to use them, and wait for Ctrl-C."""
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
    """Start the hosts, and end them."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with Lan(HOSTS) as lan:
            wait(lan)
    except CannotBuild as fault:
        sys.exit(f"cluster: {fault}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
