"""Events of Slurm, its machines and its disks that disturb tasks while they play."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.slurm.daemons import Slurm, await_that
from experiments.matches.claims import CLAIMS, SLOTS
from experiments.matches.part_files import GAMES

SECONDS = 90.0
"""Maximum time in which a task ends that was asked to, or whose disk is full."""
WARNING = 2
"""Minutes before the time limit in which the templates send USR1."""


@dataclass(frozen=True)
class Task:
    """A task in the queue.

    Attributes
    ----------
    key : number of the task in its array, or of the job
    job : by which Slurm's commands know it
    minutes : since it began
    process : the one that plays, 0 without one: it has the lock of a block of games, and rows were
        written since
    """

    key: int
    job: str
    state: str
    node: str
    minutes: int
    process: int = 0


class Tasks:
    """The tasks of the jobs ``name`` in ``slurm``, which write below the disk ``home``.

    ``submit``: submits the tasks with the given keys.
    """

    def __init__(
        self, slurm: Slurm, name: str, home: Path, submit: Callable[[Sequence[int]], None]
    ) -> None:
        self.slurm, self.name, self.home, self.submit = slurm, name, home, submit
        self._since: dict[int, float] = {}

    def list_queued(self) -> dict[int, Task]:
        """Return all tasks in the queue, by key."""
        listed = self.slurm.run("squeue", "-h", "-r", "-o", "%j|%K|%i|%A|%T|%B|%M")
        found = {}
        for line in listed.splitlines():
            name, index, job, number, state, node, lasted = line.split("|")
            plain, _, last = name.partition(".")
            if plain == self.name:
                key = int(last or index)
                minutes = int(lasted.split(":")[-2])
                process = self._player(number) if state == "RUNNING" else 0
                found[key] = Task(key, job, state, node, minutes, process)
        return found

    def _player(self, job: str) -> int:
        """Return the process of ``job`` that holds a block of games, or 0."""
        files = {path.stat().st_ino for path in self.home.rglob(CLAIMS)}
        ours = self.slurm.processes(f"SLURM_JOB_ID={job}")
        for line in Path("/proc/locks").read_text().splitlines():
            *_, process, place, start, _end = line.split()
            held = int(place.split(":")[-1]) in files and int(start) >= SLOTS
            if held and int(process) in ours:
                since = self._since.setdefault(int(process), time.time())
                return int(process) if self._find_write() > since else 0
        return 0

    def _find_write(self) -> float:
        """Return the time at which rows were last written."""
        parts = [path.stat().st_mtime for path in self.home.rglob(f"{GAMES}-*.parquet")]
        return max(parts, default=0.0)

    def await_end(self, task: Task) -> None:
        """Wait until ``task`` runs no more."""
        await_that(lambda: not self._runs(task), f"{task.job} ends", SECONDS)

    def _runs(self, task: Task) -> bool:
        found = self.list_queued().get(task.key)
        return found is not None and found.state in ("RUNNING", "COMPLETING")


def cancel(tasks: Tasks, task: Task) -> None:
    """Cancel the task, and submit it again."""
    tasks.slurm.run("scancel", task.job)
    tasks.await_end(task)
    tasks.submit([task.key])


def lose_node(tasks: Tasks, task: Task) -> None:
    """Cut the power of the task's node; Slurm queues what it ran again."""
    slurm, node = tasks.slurm, f"nodename={task.node}"
    slurm.kill_node(task.node)
    slurm.run("scontrol", "update", node, "state=down", "reason=power")
    time.sleep(2)
    slurm.start_node(task.node)
    slurm.run("scontrol", "update", node, "state=resume")


def restart_controller(tasks: Tasks, _: Task) -> None:
    """Stop the controller for some seconds."""
    tasks.slurm.stop_controller()
    time.sleep(3)
    tasks.slurm.start_controller()


def reach_limit(tasks: Tasks, task: Task) -> None:
    """Shorten the time limit so that Slurm warns the task now; its template queues it again."""
    job = f"jobid={task.job}"
    tasks.slurm.run("scontrol", "update", job, f"timelimit={task.minutes + WARNING}")
    tasks.await_end(task)
    with suppress(RuntimeError):  # it had played all
        tasks.slurm.run("scontrol", "update", job, "timelimit=240")


def preempt(tasks: Tasks, task: Task) -> None:
    """Let a job of the partition `high` take the task's node."""
    where = ("--partition=high", "--exclusive", "--nodes=1", f"--nodelist={task.node}")
    tasks.slurm.run("sbatch", "--wait", *where, "--output=/dev/null", "--wrap", "sleep 2")


def kill(tasks: Tasks, task: Task) -> None:
    """Kill the process that plays, and submit the task again."""
    os.kill(task.process, signal.SIGKILL)
    tasks.await_end(task)
    tasks.submit([task.key])


def fill(tasks: Tasks, _: Task) -> None:
    """Fill the disk until a task has ended by that; submit again what has ended."""
    before, filler = tasks.list_queued(), tasks.home / "filler"
    try:
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        await_that(lambda: before.keys() - tasks.list_queued().keys(), "a task ends", SECONDS)
    finally:
        filler.unlink()
    time.sleep(2)
    tasks.submit(sorted(before.keys() - tasks.list_queued().keys()))


EVENTS: dict[str, Callable[[Tasks, Task], None]] = {
    "killed by -9": kill,
    "node down": lose_node,
    "scancel": cancel,
    "preempted": preempt,
    "controller restarted": restart_controller,
    "time limit": reach_limit,
    "disk full": fill,
}
