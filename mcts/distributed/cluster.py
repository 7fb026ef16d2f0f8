"""A cluster of Ray, joined within a bounded time or refused in one line.

Ray tries for many minutes at an address where something else answers, and cannot be stopped
meanwhile.  So a process of its own joins first, and is killed if that takes too long.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import traceback
from pathlib import Path

from mcts.distributed.local_ray import (
    LOOPBACK,
    MODE,
    TOKEN_PATH,
    RayFault,
    adopt_token,
    find_private,
    init,
    on_loopback,
    ray,
)

services = find_private("ray._private.services")
read_ray_address = find_private("ray._private.utils", "read_ray_address")

JOIN_SECONDS = 60.0
"""Longest that joining a cluster may take, with the start of a process for it."""

SILENT_SECONDS = 20.0
"""Longest that the head of a cluster may be silent while games are played."""

_ANSWER_SECONDS = 5.0
_LOOK_SECONDS = 3.0
_OWN_SECONDS = 5.0
"""That Ray has, after a host is gone, to send its tasks elsewhere itself."""

_FEW_TRIES = {
    "RAY_gcs_server_port_wait_time_s": "1",
    "RAY_gcs_server_request_timeout_seconds": "10",
}

_NO_RAY = "what answers at {} is no Ray, or too slow to join in {:g} seconds"


def connect(address: str) -> None:
    """Connect to the cluster at ``address``; ``auto`` is the one that this machine belongs to.

    The token, if the cluster wants one, is the user's: ``RAY_AUTH_MODE`` and what goes with it.
    Raises RayFault if the cluster is not found, or refuses the connection.
    """
    if ray.is_initialized():
        return
    here = address
    if address == "auto":
        here = find_address()
        adopt_token()
    _knock(here)
    try:
        _rehearse(here)
        _join(here)
    except (OSError, ValueError, RuntimeError, ray.exceptions.RayError) as fault:
        text = " ".join(str(fault).split())[:300]
        raise RayFault(f"ray.address={address}: cannot connect: {text}") from None


class Watch:
    """Looks after the cluster that was joined, every few seconds.

    Ray itself would end the process after a minute without the head, whatever was not written down.
    Of a host that is cut off and stays so, it knows after some seconds that it is gone, but tasks
    sent there wait for gRPC's keepalive to end, minutes later; a shorter one would end tasks that
    take minutes, by "too many pings".
    """

    def __init__(self) -> None:
        host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
        self._address = host, int(port)
        self._looked = time.monotonic()
        self._silent_since: float | None = None
        self._gone = _dead_hosts()
        self._sent_again: float | None = None

    def check(self) -> bool:
        """Return whether tasks under way should be sent again, since a host is gone.

        Raises RayFault if the head has not answered for `SILENT_SECONDS`.
        """
        now = time.monotonic()
        if now - self._looked >= _LOOK_SECONDS:
            self._look(now)
            self._looked = time.monotonic()
        due = self._sent_again is not None and now >= self._sent_again
        if due:
            self._sent_again = None
        return due

    def _look(self, now: float) -> None:
        try:
            socket.create_connection(self._address, timeout=_LOOK_SECONDS).close()
        except OSError:
            self._silent_since = self._silent_since or now
            if now - self._silent_since > SILENT_SECONDS:
                address = ":".join(map(str, self._address))
                raise RayFault(
                    f"the head of the cluster at {address} does not answer any more: start it again"
                ) from None
            return
        self._silent_since = None
        gone = _dead_hosts()
        if gone - self._gone:
            self._sent_again = now + _OWN_SECONDS
        self._gone = gone


def _dead_hosts() -> set[str]:
    return {node["NodeID"] for node in ray.nodes() if not node["Alive"]}


def find_address() -> str:
    """Return the address of the cluster that this machine belongs to.

    That is the one of ``RAY_ADDRESS``, or the last that ``ray start`` joined, or the only one
    about; runs of others that stay on the loopback interface are none.  Raises RayFault if there is
    no cluster, or more than one.
    """
    given = os.environ.get("RAY_ADDRESS")
    if given and given != "local":
        return given
    services.find_gcs_addresses.cache_clear()
    about = services.find_gcs_addresses()
    last = read_ray_address()
    if last and (last in about or not about):
        return last
    clusters = sorted(one for one in about if not one.startswith(f"{LOOPBACK}:"))
    if len(clusters) == 1:
        return clusters[0]
    if clusters:
        raise RayFault(
            f"ray.address=auto: {len(clusters)} clusters run on this machine: name one, by "
            f"ray.address={clusters[0]} for instance"
        )
    raise RayFault(
        "ray.address=auto: no cluster runs on this machine: start one by ray start --head, or "
        "leave ray.address out"
    )


def _knock(address: str) -> None:
    """Refuse an address where nothing answers."""
    host, _, port = address.rpartition("/")[2].rpartition(":")
    if not (host and port.isdecimal()):
        return
    try:
        socket.create_connection((host, int(port)), timeout=_ANSWER_SECONDS).close()
    except (OSError, OverflowError) as fault:
        reason = getattr(fault, "strerror", None) or fault
        raise RayFault(
            f"ray.address={address}: no Ray answers there ({reason}): start it by "
            f"ray start --head --port={port}, or leave ray.address out for this machine"
        ) from None


def _rehearse(address: str) -> None:
    """Join in a process of its own, which is killed if it takes longer than `JOIN_SECONDS`."""
    packages = Path(__file__).resolve().parents[2]
    paths = os.pathsep.join([str(packages), *filter(None, sys.path)])
    try:
        ended = subprocess.run(
            [sys.executable, "-m", __name__, address],
            env=os.environ | _FEW_TRIES | {"PYTHONPATH": paths},
            capture_output=True,
            timeout=JOIN_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError(_NO_RAY.format(address, JOIN_SECONDS)) from None
    if ended.returncode:
        text, log = (end.decode(errors="replace") for end in (ended.stdout, ended.stderr))
        if "AuthenticationError" in log:
            raise ConnectionError(
                f"it wants another token than ours: set {MODE}=token, and {TOKEN_PATH} to the file "
                "that holds its token"
            )
        if "timed out" in log.lower():
            raise TimeoutError(_NO_RAY.format(address, JOIN_SECONDS))
        raise ConnectionError(text or f"Ray ended with code {ended.returncode}")


def _join(address: str) -> None:
    if address.rpartition(":")[0] in (LOOPBACK, "localhost"):
        with on_loopback():
            init(address)
    else:
        init(address)


def _main() -> None:
    try:
        _join(sys.argv[1])
        ray.shutdown()
    except Exception as fault:
        traceback.print_exc()  # the cause is further down
        print(f"{type(fault).__name__}: {fault}", flush=True)
        os._exit(1)  # whatever threads of Ray still try


if __name__ == "__main__":
    _main()
