"""Munge, a controller and nodes of Slurm on this machine, in a private folder; needs root.

All have ports, a key and a socket of their own, so that another Slurm of this machine is not
disturbed.  Cores are not bound: the nodes share those of the machine.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import Any

CPUS = 2
"""Of each node."""
STARTED = 60.0
"""Maximum time in seconds in which Slurm starts or answers."""

_PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")
_PACKAGES = ("munge", "slurmctld", "slurmd", "slurm-client")
_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"

_CONFIGURATION = """\
ClusterName=sleuth
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire={again}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmdLogFile={folder}/%n.log
SlurmctldLogFile={folder}/controller.log
SlurmdPidFile={folder}/%n.pid
SlurmctldPidFile={folder}/controller.pid
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=2,bf_interval=2
ReturnToService=2
KillWait=20
MailProg=/bin/true
MpiDefault=none
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=low Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE
PartitionName=high Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF
"""
"""``again``: seconds that a requeued job waits, by default 120."""

_NODE = (
    "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
    "CPUs={cpus} RealMemory=16000 State=UNKNOWN\n"
)


class CannotStart(RuntimeError):
    """Slurm cannot run here; the message says why, in one line."""


def check() -> None:
    """Install Slurm if it is missing; raise CannotStart if it cannot run here."""
    if not sys.platform.startswith("linux"):
        raise CannotStart("Slurm runs on Linux alone")
    if os.geteuid() != 0:
        raise CannotStart("a controller and its nodes need root: sudo make slurm")
    if absent := missing():
        if shutil.which("apt-get") is None:
            raise CannotStart(f"{', '.join(absent)} not found: install Slurm and munge")
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update"], ["install", "--yes", "--no-install-recommends", *_PACKAGES]):
            subprocess.run(["apt-get", "-qq", *command], env=environment, capture_output=True)
        if absent := missing():
            raise CannotStart(f"{', '.join(absent)} not found, and apt-get did not install them")


def missing() -> list[str]:
    """Return the programs of Slurm that are not installed here."""
    return [name for name in _PROGRAMS if shutil.which(name, path=_PATH) is None]


def configure(folder: Path, nodes: list[str], again: int) -> str:
    """Return the text of slurm.conf for ``nodes`` on free ports of this machine."""
    host, ports = socket.gethostname().partition(".")[0], _free_ports(len(nodes) + 1)
    text = _CONFIGURATION.format(host=host, folder=folder, controller=ports[0], again=again)
    lines = [
        _NODE.format(name=name, host=host, port=port, cpus=CPUS)
        for name, port in zip(nodes, ports[1:], strict=True)
    ]
    return "".join([*lines, text])


def _free_ports(number: int) -> list[int]:
    with ExitStack() as bound:
        sockets = [bound.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


class Slurm(AbstractContextManager["Slurm"]):
    """Slurm with nodes n1, n2, ...; a context manager, which ends all that it and its jobs started.

    ``again``: seconds that a requeued job waits.  Raises CannotStart.
    """

    def __init__(self, nodes: int = 4, again: int = 120) -> None:
        check()
        self.nodes = [f"n{number}" for number in range(1, nodes + 1)]
        self._again = again
        self._daemons: dict[str, subprocess.Popen] = {}

    def __enter__(self) -> Slurm:
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-"))
        self.folder.chmod(0o711)  # Munge wants its socket to be within everybody's reach
        self.conf = self.folder / "slurm.conf"
        self.environment = os.environ | {"SLURM_CONF": str(self.conf), "PATH": _PATH}
        self.conf.write_text(configure(self.folder, self.nodes, self._again))
        (self.folder / "state").mkdir()
        try:
            self._start_munge()
            self.start_controller()
            for node in self.nodes:
                self.start_node(node)
            await_that(lambda: self.idle() == len(self.nodes), "all nodes are idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for daemon in reversed(self._daemons.values()):
            daemon.terminate()
        for daemon in self._daemons.values():
            with suppress(subprocess.TimeoutExpired):
                daemon.wait(10)
            daemon.kill()
        while self.kill_processes():
            time.sleep(0.1)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self, name: str, *command: str) -> None:
        self._daemons[name] = subprocess.Popen(
            command,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C ends them in order
        )

    def _start_munge(self) -> None:
        key, names = self.folder / "munge.key", ("socket", "log-file", "pid-file", "seed-file")
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(64))
        paths = [f"--{name}={self.folder}/munge.{name.partition('-')[0]}" for name in names]
        self._start("munge", "munged", "--foreground", f"--key-file={key}", *paths)
        await_that((self.folder / "munge.socket").exists, "munge starts")

    def start_controller(self) -> None:
        """Start the controller, and wait until it answers."""
        self._start("controller", "slurmctld", "-D")
        await_that(lambda: "is UP" in self.run("scontrol", "ping"), "the controller answers")

    def stop_controller(self) -> None:
        """Stop the controller, which saves its state."""
        self._daemons["controller"].terminate()
        self._daemons["controller"].wait()

    def start_node(self, node: str) -> None:
        """Start the daemon of a node."""
        self._start(node, "slurmd", "-D", "-N", node)

    def kill_node(self, node: str) -> None:
        """Kill a node's daemon and all processes of its tasks, as a loss of power does."""
        self._daemons[node].kill()
        self._daemons[node].wait()
        while self.kill_processes(f"SLURMD_NODENAME={node}"):
            time.sleep(0.1)

    def run(self, *command: str, **variables: str) -> str:
        """Return what a command of Slurm prints; raise RuntimeError with its complaint."""
        environment = self.environment | variables
        ran = subprocess.run(command, env=environment, capture_output=True, text=True)
        if ran.returncode and command[1:] != ("ping",):
            raise RuntimeError(f"{' '.join(command)}: {ran.stderr.strip()}")
        return ran.stdout.strip()

    def idle(self) -> int:
        """Return how many nodes are idle."""
        return int(self.run("sinfo", "-h", "-p", "low", "-t", "idle", "-o", "%D") or 0)

    def kill_processes(self, *variables: str) -> int:
        """Kill the processes whose environment has ``variables``; return how many there were.

        Their children, which may have written their names over their environment, are killed too,
        and so are the daemons of their tasks.
        """
        found, parents = self.processes(*variables), _list_parents()
        killed = {parents[pid] for pid in found if _is_task_daemon(parents.get(pid, 0))} | set(
            found
        )
        while grown := {pid for pid, parent in parents.items() if parent in killed} - killed:
            killed |= grown
        for pid in killed:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return len(found)

    def processes(self, *variables: str) -> list[int]:
        """Return the processes of tasks whose environment has ``variables``."""
        wanted = {f"SLURM_CONF={self.conf}", *variables}
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, UnicodeDecodeError):
                given = (path / "environ").read_bytes().decode()
                if "\0SLURM_JOB_ID=" in given and wanted <= set(given.split("\0")):
                    found.append(int(path.name))
        return sorted(found)


def _list_parents() -> dict[int, int]:
    """Return the parent of each process."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            status = (path / "stat").read_text().rpartition(")")[2].split()
            found[int(path.name)] = int(status[1])
    return found


def _is_task_daemon(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().startswith("slurmstepd")
    return False


def await_that(condition: Callable[[], Any], what: str, seconds: float = STARTED) -> None:
    """Wait until ``condition`` holds; raise TimeoutError after ``seconds``."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds:g} s until {what}")
        time.sleep(0.2)
