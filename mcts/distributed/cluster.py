"""Join a Ray cluster within a bounded time, or fail with one line.

Ray retries for many minutes at an address where another service answers, and cannot be stopped
meanwhile.  So a separate process joins first, and is killed if it takes too long.
"""

from __future__ import annotations

import math
import os
import socket
import subprocess
import sys
import time
import traceback
from contextlib import nullcontext
from pathlib import Path

from ray._private import services
from ray._private.utils import read_ray_address

from mcts.distributed.local_ray import (
    LOOPBACK,
    MODE,
    TOKEN_PATH,
    RayFault,
    adopt_token,
    init,
    on_loopback,
    ray,
)

JOIN_SECONDS = 60.0
"""Maximum time to join a cluster, including the start of a process for it."""
SILENT_SECONDS = 20.0
"""Maximum silence of a cluster's head while games are played."""
_ANSWER_SECONDS = 5.0
_LOOK_SECONDS = 3.0
_OWN_SECONDS = 5.0
"""Time for Ray to resubmit the tasks of a lost host itself."""

_FEW_TRIES = {
    "RAY_gcs_server_port_wait_time_s": "1",
    "RAY_gcs_server_request_timeout_seconds": "10",
}

_NO_RAY = "the service at {} is not Ray, or takes more than {:g} seconds to join"


def connect(address: str) -> None:
    """Connect to the cluster at ``address``; ``auto`` is the one that this machine belongs to.

    If the cluster wants a token, the user supplies it by ``RAY_AUTH_MODE`` and related variables.
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
    """Checks the joined cluster every few seconds.

    Ray itself would end the process after a minute without the head, and lose unsaved results.
    Tasks sent to a disconnected host would wait for gRPC's keepalive to expire, minutes later.
    """

    def __init__(self) -> None:
        host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
        self._address = host, int(port)
        self._looked = time.monotonic()
        self._silent_since: float | None = None
        self._gone = _dead_hosts()
        self._sent_again = math.inf

    def check(self) -> bool:
        """Return whether running tasks should be resubmitted because a host is gone.

        Raises RayFault if the head has not answered for `SILENT_SECONDS`.
        """
        now = time.monotonic()
        if now - self._looked >= _LOOK_SECONDS:
            self._look(now)
            self._looked = time.monotonic()
        due = now >= self._sent_again
        if due:
            self._sent_again = math.inf
        return due

    def _look(self, now: float) -> None:
        try:
            socket.create_connection(self._address, timeout=_LOOK_SECONDS).close()
        except OSError:
            self._silent_since = self._silent_since or now
            if now - self._silent_since > SILENT_SECONDS:
                address = ":".join(map(str, self._address))
                raise RayFault(
                    f"the head of the cluster at {address} no longer answers: restart it"
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
    running; runs of others on the loopback interface do not count.  Raises RayFault if there is no
    cluster, or more than one.
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
            f"ray.address=auto: {len(clusters)} clusters run on this machine: name one, for "
            f"instance ray.address={clusters[0]}"
        )
    raise RayFault(
        "ray.address=auto: no cluster runs on this machine: start one with ray start --head, or "
        "omit ray.address"
    )


def _knock(address: str) -> None:
    """Raise RayFault if nothing answers at ``address``."""
    host, _, port = address.rpartition("/")[2].rpartition(":")
    if not (host and port.isdecimal()):
        return
    try:
        socket.create_connection((host, int(port)), timeout=_ANSWER_SECONDS).close()
    except (OSError, OverflowError) as fault:
        reason = getattr(fault, "strerror", None) or fault
        raise RayFault(
            f"ray.address={address}: no Ray answers there ({reason}): start it with "
            f"ray start --head --port={port}, or omit ray.address for this machine"
        ) from None


def _rehearse(address: str) -> None:
    """Join in a separate process, which is killed after `JOIN_SECONDS`."""
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
                f"it wants another token: set {MODE}=token, and {TOKEN_PATH} to the file "
                "that holds its token"
            )
        if "timed out" in log.lower():
            raise TimeoutError(_NO_RAY.format(address, JOIN_SECONDS))
        raise ConnectionError(text or f"Ray ended with code {ended.returncode}")


def _join(address: str) -> None:
    here = address.rpartition(":")[0] in (LOOPBACK, "localhost")
    with on_loopback() if here else nullcontext():
        init(address)


def _main() -> None:
    try:
        _join(sys.argv[1])
        ray.shutdown()
    except Exception as fault:
        traceback.print_exc()  # the cause is further down
        print(f"{type(fault).__name__}: {fault}", flush=True)
        os._exit(1)  # Ray's threads may still be trying


if __name__ == "__main__":
    _main()
