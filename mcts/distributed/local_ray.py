"""A private Ray on this machine, for this process and its children.

Any process that reaches a port of Ray can make it run code.  So Ray is bound to the loopback
interface, requires a token drawn at each start (in the environment of this process, inherited by
its children; in no file and on no command line), and has its sockets in a private folder.  The
user's ``RAY_AUTH_MODE``, ``RAY_AUTH_TOKEN`` or ``RAY_AUTH_TOKEN_PATH`` take precedence.

Ray has no public way to bind to the loopback interface, to read its token again or to start fewer
processes: hence the private imports, of the versions that `pyproject.toml` allows.
"""

from __future__ import annotations

import atexit
import errno
import os
import secrets
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import ray as ray
from ray._private import ray_constants, worker
from ray._private.node import Node
from ray._raylet import AuthenticationTokenLoader, Config

from mcts.kernel import temporary
from mcts.kernel.errors import SleuthError

# Read by Ray at start: no usage reports, no warning about GPUs; a task that finds no memory is
# retried as often as one whose worker died, not forever.
os.environ.setdefault("RAY_task_oom_retries", "5")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

LOOPBACK = "127.0.0.1"

MODE, TOKEN, TOKEN_PATH = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"
"""Environment variables by which Ray authenticates."""

_OBJECT_STORE_BYTES = 128 * 1024**2

_LONGEST_SOCKET = 103
"""Maximum length of a socket's path in bytes (107 on Linux)."""

_IN_FOLDER = "/r/session_2026-11-22_06-43-54_479562_1234567/sockets/plasma_store"

_ROOM_BYTES = 32 * 1024**2
"""Free bytes in the temporary folder; with less Ray waits half a minute and reports overload."""

_ANSWER_SECONDS = 5.0


class RayFault(SleuthError, RuntimeError):
    """Ray is not available; the message says why and what to do, in one line."""


_undo = ExitStack()
"""Cleanup that `stop` runs."""


def start(cores: int) -> None:
    """Start a private Ray with ``cores`` CPUs, unless it runs already.

    Raises RayFault if it does not start.
    """
    global _undo
    if ray.is_initialized():
        return
    stop()  # the remains, if Ray was shut down elsewhere
    _check_command_line()
    _check_loopback()
    with ExitStack() as undo:
        folder = private_folder()
        undo.callback(temporary.remove, folder)
        undo.enter_context(authentication())
        undo.callback(ray.shutdown)
        try:
            with on_loopback(), without_onlookers():
                init(
                    "local",
                    num_cpus=cores,
                    include_dashboard=False,
                    object_store_memory=_OBJECT_STORE_BYTES,
                    _node_ip_address=LOOPBACK,
                    # A folder of its own, since Ray makes it world-readable.
                    _temp_dir=str(folder / "r"),
                )
        except Exception as fault:  # Ray has no exception type for this
            raise RayFault(f"Ray did not start: {_describe(fault)}") from None
        if not ray.get_runtime_context().gcs_address.startswith(f"{LOOPBACK}:"):
            raise RayFault(f"Ray {ray.__version__} does not stay on {LOOPBACK}")
        _undo = undo.pop_all()


def init(address: str, **given: Any) -> None:
    """Start or join Ray by ``ray.init``, silently: it reports each dead worker in thirty lines."""
    worker._worker_logs_enabled = False
    ray.init(address, logging_level="critical", log_to_driver=False, **given)


def stop() -> None:
    """End Ray if it was started here, or the connection to the Ray that was joined."""
    global _undo
    undo, _undo = _undo, ExitStack()
    undo.close()
    ray.shutdown()


atexit.register(stop)


@contextmanager
def authentication() -> Iterator[None]:
    """Make any Ray started inside require the user's token, or a fresh one.

    Raises RayFault if the user's token file cannot be read or is empty.
    """
    before = {name: os.environ.get(name) for name in (MODE, TOKEN)}
    if os.environ.setdefault(MODE, "token").lower() == "token":
        if os.environ.get(TOKEN_PATH) and not os.environ.get(TOKEN):
            _check_token_file(Path(os.environ[TOKEN_PATH]))
        elif not os.environ.get(TOKEN):
            # Ray would otherwise write a world-readable one into the home folder.
            os.environ[TOKEN] = secrets.token_hex(32)
    _reread()
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        _reread()


def adopt_token() -> None:
    """Authenticate with the user's token, as Ray does when it looks for a cluster."""
    known = AuthenticationTokenLoader.instance().has_token(ignore_auth_mode=True)
    if MODE not in os.environ and known:
        os.environ[MODE] = "token"
        _reread()


def _reread() -> None:
    """Make Ray read the environment again: it caches the first values."""
    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()


@contextmanager
def on_loopback() -> Iterator[None]:
    """Make Ray use `LOOPBACK` literally; it would otherwise use this machine's address."""
    before, ray_constants.ENABLE_RAY_CLUSTER = ray_constants.ENABLE_RAY_CLUSTER, False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


_ONLOOKERS = ("start_monitor", "start_log_monitor", "start_api_server")
"""Functions of a Ray node that start the autoscaler, the log monitor and the dashboard."""


@contextmanager
def without_onlookers() -> Iterator[None]:
    """Stop a Ray node from starting unneeded services, 2.4 of its 7.3 seconds of CPU."""
    kept = {name: getattr(Node, name) for name in _ONLOOKERS}
    for name in kept:
        setattr(Node, name, lambda *_, **__: None)
    try:
        yield
    finally:
        for name, start_it in kept.items():
            setattr(Node, name, start_it)


def private_folder() -> Path:
    """Make a folder private to this user, with a path short enough for Ray's sockets.

    Raises RayFault if none can be made.
    """
    reason = ""
    for parent in (os.environ.get("RAY_TMPDIR") or tempfile.gettempdir(), "/tmp"):
        if len(os.fsencode(f"{parent}/sleuth-ray-12345678{_IN_FOLDER}")) > _LONGEST_SOCKET:
            reason = reason or f"{parent} is too long for the path of a socket"
            continue
        try:
            if shutil.disk_usage(parent).free < _ROOM_BYTES:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return temporary.folder("ray-", parent)
        except OSError as fault:
            reason = reason or f"{parent}: {fault.strerror}"
    raise RayFault(f"Ray has no temporary folder ({reason}): set TMPDIR to a short path")


def _check_command_line() -> None:
    """Reject a command line on which Ray fails after some seconds: it is sent as UTF-8."""
    try:
        "".join(sys.orig_argv).encode()
    except UnicodeEncodeError:
        raise RayFault(
            "the command line has characters outside the locale's encoding: set LC_ALL=C.UTF-8"
        ) from None


def _check_loopback() -> None:
    try:
        with socket.create_server((LOOPBACK, 0)) as server:
            socket.create_connection(server.getsockname(), _ANSWER_SECONDS).close()
    except OSError as fault:
        raise RayFault(
            f"{LOOPBACK} cannot be reached ({fault.strerror or fault}), which Ray needs: "
            "set the interface up (ip link set lo up)"
        ) from None


def _check_token_file(path: Path) -> None:
    """Reject a token file for which Ray would end the process."""
    try:
        empty = not path.read_bytes().strip()
    except OSError as fault:
        raise RayFault(f"{TOKEN_PATH}={path}: {fault.strerror}") from None
    if empty:
        raise RayFault(f"{TOKEN_PATH}={path}: this file holds no token")


def _describe(fault: Exception) -> str:
    """Return the message of Ray's exception in one line, with a guess at the cause of a timeout."""
    text = " ".join(str(fault).split())[:300] or type(fault).__name__
    late = isinstance(fault, TimeoutError) or "timed out" in text.lower()
    return f"{text} Is the machine overloaded?" if late else text
