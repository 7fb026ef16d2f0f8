"""Jobs that Slurm disturbs, whose rows are compared with those of an undisturbed process."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from benchmarks.slurm import rows
from benchmarks.slurm.daemons import Slurm, await_that
from benchmarks.slurm.events import EVENTS, Tasks

ROOT = Path(__file__).resolve().parents[2]
ARRAY, RAY = "array.sbatch", "ray.sbatch"
TASKS = 8
PLAYER = ("player=bmcts", "seed=6255", "tracking.enabled=false")
COMMANDS = {
    "match": ("compare", *PLAYER, "player.budget.simulations=400", "match.games=400"),
    "sweep": (
        "sweep",
        *PLAYER,
        "player.budget.simulations=200",
        "player.search.exploration=0.1,0.2,0.4",
        "match.games=160",
        "sweep.fresh=160",
    ),
    "table": ("tables", "planners", "only=[bmcts,flat]", "games=160", "simulations=200"),
    "root": (
        "compare",
        *PLAYER,
        "player/search=root",
        "player.search.workers=2",
        "player.budget.simulations=400",
        "match.games=90",
    ),
}
PAUSE = 2.0
"""Seconds between two events."""
IDLE = 300.0
"""Maximum time without a task that plays."""
DISK = "16m"
"""Size of the disk on which the run folders lie."""


@dataclass(frozen=True)
class Part:
    """A part of the campaign: ``tasks`` of a template play a command during ``events``."""

    name: str
    what: str
    template: str
    tasks: int
    events: int


PARTS = (
    Part("match, an array of 8 tasks", "match", ARRAY, TASKS, 8),
    Part("sweep, an array of 8 tasks", "sweep", ARRAY, TASKS, 8),
    Part("table, an array of 8 tasks", "table", ARRAY, TASKS, 8),
    Part("root search on Ray, 2 nodes", "root", RAY, 1, 6),
    Part("two such jobs on one host", "root", RAY, 2, 6),
)


@dataclass
class Outcome:
    """Result of a part: ``events`` by kind, rows beside those undisturbed.

    ``faults``: what was not as it should be, a line each; ``again``: how often all tasks
    were submitted again at the end, since rows were missing.
    """

    part: Part
    events: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    lost: int = 0
    doubled: int = 0
    changed: int = 0
    again: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether all rows are there, once and as undisturbed, and nothing else was wrong."""
        return bool(self.rows) and not (self.lost or self.doubled or self.changed or self.faults)


class Campaign:
    """All parts in ``slurm``; what they write is kept in ``folder``."""

    def __init__(self, slurm: Slurm, folder: Path) -> None:
        self._slurm, self._folder, self._home = slurm, folder, folder / "home"
        self._kinds: Iterator[str] = cycle(EVENTS)

    def run(self, only: str = "") -> bool:
        """Run the parts whose name holds ``only``; print a table, and return whether all passed."""
        shutil.rmtree(self._folder, ignore_errors=True)
        for name in ("home", "logs", "undisturbed"):
            (self._folder / name).mkdir(parents=True)
        began, outcomes = time.monotonic(), []
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(self._home)], check=True
        )
        try:
            for part in PARTS:
                if only in part.name:
                    outcomes.append(self._play(part))
                    print(describe(outcomes[-1]), flush=True)
        finally:
            shutil.copytree(self._home, self._folder / "disturbed")
            subprocess.run(["umount", "--lazy", str(self._home)], check=True)
        print(f"{summarise(outcomes)}\n{time.monotonic() - began:.0f} s in all")
        return all(outcome.passed for outcome in outcomes)

    def _play(self, part: Part) -> Outcome:
        """Play a part while it is disturbed; compare with its rows undisturbed."""
        wanted = self._play_undisturbed(part.what)
        outcome, began = Outcome(part), time.monotonic()
        tasks = Tasks(self._slurm, name(part), self._home, lambda keys: self._submit(part, keys))
        self._disturb(tasks, outcome)
        while self._count(outcome, wanted) and outcome.again < 2:
            outcome.again += 1
            self._disturb(tasks, outcome)
        outcome.seconds = time.monotonic() - began
        for log in (self._folder / "logs").glob(f"{name(part)}.*"):
            if "Traceback" in log.read_text():
                outcome.faults.append(f"a traceback in {log}")
        return outcome

    def _count(self, outcome: Outcome, wanted: Counter[tuple]) -> int:
        """Count the rows of a part; return how many are lost."""
        outcome.rows = outcome.lost = outcome.doubled = outcome.changed = 0
        for folder in self._folders(outcome.part):
            found = rows.read(folder)
            lost, doubled, changed = rows.compare(found, wanted)
            outcome.rows += found.total()
            outcome.lost += lost
            outcome.doubled += doubled
            outcome.changed += changed
        return outcome.lost

    def _folders(self, part: Part) -> list[Path]:
        """Return the run folders of a part: one that the array shares, or one for each job."""
        number = 1 if part.template == ARRAY else part.tasks
        return [self._home / f"{name(part)}.{key}" for key in range(number)]

    def _submit(self, part: Part, keys: Sequence[int]) -> None:
        """Submit the tasks ``keys`` of a part."""
        log, folders = self._folder / "logs" / name(part), self._folders(part)
        jobs: list[tuple[tuple[str, ...], str, str, Path]]
        if part.template == ARRAY:
            which = f"--array={','.join(map(str, keys))}"
            jobs = [((which, "--cpus-per-task=1"), name(part), f"{log}.%a", folders[0])]
        else:
            jobs = [
                (("--nodes=2",), f"{name(part)}.{key}", f"{log}.{key}", folders[key])
                for key in keys
            ]
        template = str(ROOT / "examples" / "slurm" / part.template)
        for options, job, output, folder in jobs if keys else ():
            where = (f"--job-name={job}", f"--output={output}", f"--chdir={ROOT}")
            words = (*options, *where, "--partition=low", template, *command(part.what, folder))
            given = {"PYTHON": sys.executable, "RAY_TMPDIR": str(self._slurm.folder)}
            self._slurm.run("sbatch", *words, **given)

    def _disturb(self, tasks: Tasks, outcome: Outcome) -> None:
        """Submit a part's tasks, and disturb one that plays until none is queued."""
        tasks.submit(range(outcome.part.tasks))
        idle = time.monotonic()
        while queued := tasks.list_queued():
            if outcome.events.total() == outcome.part.events:
                time.sleep(1)
                continue
            playing = [task for task in queued.values() if task.process]
            if not playing:
                if time.monotonic() - idle > IDLE:
                    outcome.faults.append(f"no task plays: {self._slurm.run('squeue')}")
                    self._slurm.run("scancel", "--user=root")
                time.sleep(0.5)
                continue
            kind, task = next(self._kinds), playing[outcome.events.total() % len(playing)]
            try:
                EVENTS[kind](tasks, task)
            except (RuntimeError, ProcessLookupError) as late:  # the task has just ended
                print(f"{outcome.part.name}: no {kind}: {late}", flush=True)
            except TimeoutError as slow:
                outcome.faults.append(f"{kind}: {slow}")
            else:
                outcome.events[kind] += 1
                print(f"{outcome.part.name}: {kind}, {task.job} on {task.node}", flush=True)
            time.sleep(PAUSE)
            idle = time.monotonic()
        try:
            await_that(lambda: not self._slurm.processes(), "the jobs' processes end")
        except TimeoutError:
            outcome.faults.append(f"{self._slurm.kill_processes()} processes were left")

    def _play_undisturbed(self, what: str) -> Counter[tuple]:
        """Return the rows of one undisturbed process."""
        folder = self._folder / "undisturbed" / what
        if not folder.exists():
            words = [sys.executable, *command(what, folder)]
            with (self._folder / "logs" / f"undisturbed.{what}").open("w") as log:
                subprocess.run(words, cwd=ROOT, check=True, stdout=log, stderr=log)
        return rows.read(folder)


def name(part: Part) -> str:
    """Return the name of a part's jobs."""
    return f"{part.what}{part.tasks}"


def command(what: str, folder: Path) -> list[str]:
    """Return the words after Python of a command that writes to ``folder``."""
    module, *settings = COMMANDS[what]
    where = f"folder={folder}" if module == "tables" else f"run.folder={folder}"
    alone = ["match.workers=1"] if what in ("match", "sweep") else []
    return ["-m", f"experiments.{module}", *settings, *alone, where]


def describe(outcome: Outcome) -> str:
    """Return an outcome in a line."""
    counts = f"{outcome.lost} lost, {outcome.doubled} doubled, {outcome.changed} changed"
    return (
        f"{outcome.part.name}: {'passed' if outcome.passed else 'FAILED'}, "
        f"{outcome.events.total()} events, {outcome.rows:,} rows, {counts}; "
        f"{outcome.again} times again, "
        f"{outcome.seconds:.0f} s{''.join(f'; {fault}' for fault in outcome.faults)}"
    )


def summarise(outcomes: Sequence[Outcome]) -> str:
    """Return all outcomes as a table in Markdown."""
    lines = [
        f"| | {' | '.join(EVENTS)} | rows | lost, doubled, changed |",
        "|---" * (len(EVENTS) + 3) + "|",
    ]
    whole = Outcome(Part("all", "", "", 0, 0))
    for one in outcomes:
        whole.events += one.events
        for count in ("rows", "lost", "doubled", "changed"):
            setattr(whole, count, getattr(whole, count) + getattr(one, count))
    for one in (*outcomes, whole):
        events = " | ".join(str(one.events[kind]) for kind in EVENTS)
        counts = f"{one.lost}, {one.doubled}, {one.changed}"
        lines.append(f"| {one.part.name} | {events} | {one.rows:,} | {counts} |")
    return "\n".join(lines)
