"""Hosts in namespaces of network, processes, mounts and names, with fault injection.

A host has an address, a name, a private ``/tmp`` and ``/dev/shm``, and its own home with the token
of Ray; it reads the installed packages of this machine, including those below ``/tmp``, and begins
with a copy of its cache of compiled code.  Only root may make one.
"""

from __future__ import annotations

import os
import secrets
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from shutil import which
from typing import IO, Any

from mcts.kernel.store import open_store

NETWORK = "10.77.0."
PORT = 6379
PREFIX = "sleuth"
"""Prefix of namespaces, followed by their maker's process id and a number."""
PACKAGES = Path(__file__).resolve().parents[2]
HOME = "/tmp/home"
STARTED = 90.0
"""Maximum start time of a host or its Ray, in seconds."""

_RAY = {
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN_PATH": f"{HOME}/.ray/auth_token",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "3000",
    "RAY_health_check_failure_threshold": "3",
}
"""A silent host is given up after some ten seconds, sooner than by Ray's own settings."""

_OWN = {**_RAY, "HOME": HOME, "TMPDIR": "/tmp", "SLEUTH_CACHE_DIR": "/mnt/cache"}

_SCRIPT = """
set -e
hostname {name}
mkdir -p {cache}
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /mnt
mkdir /mnt/changed /mnt/work /mnt/cache
mount -t overlay overlay -o lowerdir={cache},upperdir=/mnt/changed,workdir=/mnt/work /mnt/cache
mkdir /mnt/before
mount --bind /tmp /mnt/before
mount -t tmpfs tmpfs /tmp
for kept in {kept}; do
    mkdir -p /tmp/$kept
    mount --bind /mnt/before/$kept /tmp/$kept
done
umount -l /mnt/before
mkdir -p {home}/.ray
exec sleep infinity
"""


class CannotBuild(RuntimeError):
    """This machine cannot make such hosts; the message says why, in one line."""


def check() -> None:
    """Raise CannotBuild if namespaces cannot be made here."""
    if os.geteuid() != 0:
        raise CannotBuild("hosts in namespaces need root: sudo make cluster")
    missing = [name for name in ("ip", "unshare", "nsenter", "mount") if which(name) is None]
    if missing:
        raise CannotBuild(f"{', '.join(missing)} not found: install iproute2 and util-linux")
    if not Path("/dev/net/tun").exists():
        raise CannotBuild("there is no /dev/net/tun: load the kernel's module tun")
    probe = f"{PREFIX}-{os.getpid()}-probe"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True)
    if made.returncode:
        raise CannotBuild(f"namespaces cannot be made: {made.stderr.strip()}")
    _run("ip", "netns", "del", probe)


def _cache() -> Path:
    """Return the folder with the compiled code of this machine."""
    folder = open_store().folder
    if folder is None:
        raise CannotBuild("there is no folder for compiled code: set SLEUTH_CACHE_DIR")
    return folder


def _installed_below(folder: str) -> list[str]:
    """Return the locations of Python and the packages below ``folder``, relative to it."""
    places = {Path(sys.prefix), Path(sys.base_prefix), PACKAGES}
    return sorted(str(p.relative_to(folder)) for p in places if p.is_relative_to(folder))


def _run(*command: str) -> str:
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        raise CannotBuild(f"{' '.join(command)}: {ran.stderr.strip()}")
    return ran.stdout


class Host:
    """Host ``number`` of a `Lan`, started, with the address 10.77.0.``number``."""

    def __init__(self, number: int, tap: str, token: str) -> None:
        self.number, self.address, self.name = number, f"{NETWORK}{number}", f"host{number}"
        self._tap, self._token = tap, token
        self._netns = f"{PREFIX}-{os.getpid()}-{number}"
        _run("ip", "netns", "add", self._netns)
        _run("ip", "link", "set", tap, "netns", self._netns)
        inside = ("ip", "-n", self._netns)
        _run(*inside, "addr", "add", f"{self.address}/24", "dev", tap)
        _run(*inside, "link", "set", tap, "up")
        _run(*inside, "link", "set", "lo", "up")
        # The first process, whose end ends all others.
        kept = " ".join(shlex.quote(path) for path in _installed_below("/tmp"))
        script = _SCRIPT.format(name=self.name, cache=_cache(), home=HOME, kept=kept)
        spaces = ("--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc")
        self._outer = subprocess.Popen(
            ["ip", "netns", "exec", self._netns, "unshare", *spaces, "sh", "-c", script],
            stderr=subprocess.DEVNULL,  # unshare reports that it was killed
        )
        await_that(lambda: self._first() is not None, f"{self.name} starts")
        self.pid = self._first()
        await_that(lambda: self._command().startswith(b"sleep"), f"{self.name} is ready")
        write = f"umask 077; cat > {HOME}/.ray/auth_token"
        subprocess.run(self._into("sh", "-c", write), input=self._token, text=True, check=True)

    def _first(self) -> int | None:
        """Return the process with number 1 in the host, by its number on this machine."""
        with suppress(OSError, IndexError):
            children = Path(f"/proc/{self._outer.pid}/task/{self._outer.pid}/children")
            return int(children.read_text().split()[0])
        return None

    def _command(self) -> bytes:
        with suppress(OSError):
            return Path(f"/proc/{self.pid}/cmdline").read_bytes()
        return b""

    def _into(self, *command: str) -> list[str]:
        spaces = ("--mount", "--uts", "--ipc", "--net", "--pid")
        return ["nsenter", "--target", str(self.pid), *spaces, "--", *command]

    def start(
        self, *command: str, output: Any = subprocess.PIPE, **changed: str
    ) -> subprocess.Popen:
        """Start ``command`` on the host; ``changed``: variables."""
        environment = os.environ | _OWN | {"PYTHONPATH": str(PACKAGES), **changed}
        for name in ("RAY_ADDRESS", "RAY_AUTH_TOKEN"):
            environment.pop(name, None)
        return subprocess.Popen(
            self._into("sh", "-c", f"cd {PACKAGES} && exec {shlex.join(command)}"),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if output is not subprocess.PIPE else output,
            text=True,
        )

    def run(self, *command: str, timeout: float = 600, **given: Any) -> subprocess.CompletedProcess:
        """Run ``command`` on the host to its end."""
        process = self.start(*command, **given)
        out, err = process.communicate(timeout=timeout)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def start_ray(self, head: Host | None = None) -> None:
        """Start Ray here: a node of the cluster of ``head``, or its head."""
        where = (
            ("--head", f"--port={PORT}", "--include-dashboard=false")
            if head is None
            else (f"--address={head.address}:{PORT}",)
        )
        common = (f"--node-ip-address={self.address}", "--num-cpus=1")
        ended = self.run(
            sys.executable,
            "-m",
            "ray.scripts.scripts",
            "start",
            *where,
            *common,
            "--object-store-memory=100000000",
            "--disable-usage-stats",
        )
        if ended.returncode:
            raise RuntimeError(f"{self.name}: Ray did not start: {ended.stderr[-2000:]}")

    @property
    def variables(self) -> str:
        """Variables of the environment that a command on the host needs, for a shell."""
        return " ".join(f"{name}={value}" for name, value in _OWN.items())

    def remove(self) -> None:
        """End the host and all its processes."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._outer.wait()
        subprocess.run(["ip", "netns", "del", self._netns], capture_output=True)


class Lan:
    """Hosts 1 to ``hosts`` on one wire; a context manager, which ends them.

    ``delay`` in milliseconds per frame and direction; ``loss``, the share of frames lost, by
    ``seed``.  Raises CannotBuild.
    """

    def __init__(self, hosts: int, delay: float = 5, loss: float = 0.01, seed: int = 0) -> None:
        self._asked = hosts, delay, loss, seed
        self.hosts: list[Host] = []

    def __enter__(self) -> Lan:
        check()
        remove_leftovers()
        hosts, delay, loss, seed = self._asked
        taps = [f"tap{os.getpid()}-{number}" for number in range(1, hosts + 1)]
        wire = [sys.executable, "-m", "benchmarks.cluster.wire", str(delay), str(loss), str(seed)]
        self._wire = subprocess.Popen(
            [*wire, *taps],
            cwd=PACKAGES,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C ends the hosts first
        )
        token = secrets.token_hex(32)
        try:
            if not _pipe(self._wire.stdout).readline():
                raise CannotBuild("the wire between the hosts did not start")
            for number, tap in enumerate(taps, 1):
                self.hosts.append(Host(number, tap, token))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for host in self.hosts:
            host.remove()
        _remove_spaces(os.getpid())
        self._wire.kill()
        self._wire.wait()

    def cut(self, host: Host) -> None:
        """Lose all frames to and from ``host``."""
        pipe = _pipe(self._wire.stdin)
        pipe.write(f"cut {host.number - 1}\n")
        pipe.flush()


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None, "it was requested"
    return pipe


def remove_leftovers() -> None:
    """Remove the namespaces of runs that were killed."""
    for line in _run("ip", "netns", "list").splitlines():
        prefix, _, rest = line.split()[0].partition("-")
        process = rest.partition("-")[0]
        if prefix == PREFIX and process.isdecimal() and not Path(f"/proc/{process}").exists():
            _remove_spaces(int(process))


def _remove_spaces(maker: int) -> None:
    """Remove the namespaces of process ``maker``, and end the processes in them."""
    for line in _run("ip", "netns", "list").splitlines():
        name = line.split()[0]
        if name.startswith(f"{PREFIX}-{maker}-"):
            for process in _run("ip", "netns", "pids", name).split():
                with suppress(ProcessLookupError):
                    os.kill(int(process), signal.SIGKILL)
            subprocess.run(["ip", "netns", "del", name], capture_output=True)


def await_that(condition: Callable[[], Any], what: str, seconds: float = STARTED) -> None:
    """Wait until ``condition`` holds; raises TimeoutError after ``seconds``."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds:g} s until {what}")
        time.sleep(0.05)
