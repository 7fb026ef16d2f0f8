"""A run talks to nobody but the tracking server and the cluster that it was given."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.nightly

NEEDED = ("HOME", "PATH", "SLEUTH_CACHE_DIR", "XDG_CACHE_HOME")
"""Variables that the run gets: with those of a CI, or of pytest, MLflow reports nothing anyway."""

_TRACKED_RUN = """
import ipaddress
import os
import sys
import threading

outside = []

def guard(event, arguments):
    if event == "socket.connect" or event.startswith("socket.send"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else "localhost"  # or a Unix socket's path
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
    else:
        return
    if host not in (None, "", "localhost") and not loopback(host):
        outside.append(host)
        raise OSError("there is no route")

def loopback(host):
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

sys.addaudithook(guard)

from experiments.compare.__main__ import COMMAND

assert COMMAND.run(sys.argv[1:]) == 0
print("a tracked run:", *outside)

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "false"
from mlflow.telemetry import client

client.set_telemetry_client()
client.get_telemetry_client().activate()
for thread in threading.enumerate():
    if "Telemetry" in thread.name:
        thread.join(10)
print("with telemetry:", *outside)
"""


@pytest.mark.nightly
def test_a_tracked_run_needs_no_route_out(database, tmp_path):
    """The last line is the control: the guard sees what MLflow does if it is let."""
    nowhere = ["unshare", "-rn"]  # a network of its own, without any interface
    try:
        allowed = subprocess.run([*nowhere, "true"], capture_output=True).returncode == 0
    except OSError:
        allowed = False
    settings = ("player=random", "match.games=8", "match.workers=1")
    where = (f"run.folder={tmp_path / 'run'}", f"tracking.uri={database}")
    done = subprocess.run(
        [*(nowhere if allowed else ()), sys.executable, "-c", _TRACKED_RUN, *settings, *where],
        env={name: os.environ[name] for name in NEEDED if name in os.environ},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[-2] == "a tracked run:"
    assert said[-1].startswith("with telemetry: config.mlflow-telemetry.io")
