"""Commands on four hosts that fail in turn, compared with one undisturbed process.

Hosts 1 to 4: the head of Ray, the driver, and two workers that fail.  Host 4 also runs MLflow's
server when that is to be lost.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.cluster import rows
from benchmarks.cluster.faults import Faults, has_rows, restart
from benchmarks.cluster.hosts import HOME, PACKAGES, PORT, Host, Lan, await_that
from mcts.distributed.code import digest

HOSTS = 4
CHANGED, OTHER = f"{HOME}/code", f"{HOME}/other"
"""On a host: packages that differ by one line, and a different token."""
PLAYER = ("player=bmcts", "seed=6240", "tracking.enabled=false")
COMMANDS: dict[str, tuple[str, ...]] = {
    "match": ("compare", *PLAYER, "player.budget.simulations=400", "match.games=240"),
    "sweep": (
        "sweep",
        *PLAYER,
        "player.budget.simulations=200",
        "player.search.exploration=0.1,0.2,0.4",
        "match.games=100",
        "sweep.fresh=100",
    ),
    "table": ("tables", "planners", "only=[bmcts,flat]", "games=100", "simulations=200"),
    "episodes": (
        "episodes",
        "problem=rocksample",
        "map=[7,8]",
        "simulations=20000",
        "episodes=240",
        "seed=6240",
    ),
    "root search": (
        "compare",
        *PLAYER,
        "player/search=root",
        "player.search.workers=2",
        "player.budget.simulations=400",
        "match.games=60",
    ),
}
SILENT, BRIEF = "partition, given up", "partition of 3 s"
ALL = ("host killed, joins late", SILENT, "frozen for 3 s", BRIEF, "frozen, given up")


@dataclass
class Outcome:
    """Result of one part of the campaign; rows are compared with the undisturbed ones."""

    what: str
    faults: list[str] = field(default_factory=list)
    number: int = 0
    lost: int = 0
    doubled: int = 0
    changed: int = 0
    digest: str = ""
    wanted: str = ""
    said: str = ""
    passed: bool = False
    seconds: float = 0.0
    code: str = ""
    """Digest of the packages that it ran."""


class Campaign:
    """All parts, on ``lan``, in ``folder``; parts that passed with the same code are skipped."""

    def __init__(self, lan: Lan, folder: Path) -> None:
        self._lan, self._folder = lan, folder
        self._head, self._driver, *self._working = lan.hosts
        self._path = folder / "outcomes.json"
        self.outcomes: dict[str, Outcome] = {}
        if self._path.exists():
            kept = json.loads(self._path.read_text())
            same = [one for one in kept if one["passed"] and one["code"] == digest()]
            self.outcomes = {one["what"]: Outcome(**one) for one in same}

    def run(self, only: str = "") -> None:
        """Run the parts whose name contains ``only``, and print one line each."""
        self._start_rays()
        parts: dict[str, Callable[[Outcome], None]] = {
            f"{name}, hosts fail": lambda out, name=name: self._disturb(name, out)
            for name in COMMANDS
        }
        parts |= {
            "match, a host cut off for good": self._cut_off,
            "match, head killed": self._kill_head,
            "two versions of the code": self._mix_versions,
            "a stranger without the token": self._refuse_stranger,
            "MLflow's server lost and found": self._lose_tracking,
        }
        for what, part in parts.items():
            if only in what and what not in self.outcomes:
                outcome = Outcome(what, code=digest())
                began = time.monotonic()
                part(outcome)
                outcome.seconds = round(time.monotonic() - began, 1)
                self.outcomes[what] = outcome
                self._path.write_text(
                    json.dumps([asdict(one) for one in self.outcomes.values()], indent=1)
                )
                print(describe(outcome), flush=True)

    def _start_rays(self) -> None:
        self._head.start_ray()
        for host in (self._driver, *self._working):
            host.start_ray(self._head)

    @property
    def _address(self) -> str:
        return f"ray.address={self._head.address}:{PORT}"

    def _command(self, name: str, folder: Path, *more: str) -> list[str]:
        module, *settings = COMMANDS[name]
        where = f"folder={folder}" if module == "tables" else f"run.resume={folder}"
        return [sys.executable, "-m", f"experiments.{module}", *settings, where, *more]

    def _play_undisturbed(self, name: str) -> rows.Rows:
        """Return the rows of one undisturbed process of this machine."""
        folder = self._folder / "undisturbed" / name.replace(" ", "_")
        alone = "workers=1" if COMMANDS[name][0] == "episodes" else "match.workers=1"
        more = () if COMMANDS[name][0] == "tables" or name == "root search" else (alone,)
        done = folder.with_suffix(".done")
        if not done.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            command = self._command(name, folder, *more)
            subprocess.run(command, cwd=PACKAGES, check=True, capture_output=True)
            done.touch()
        return rows.read(folder)

    def _begin(self, name: str, folder: Path, *more: str) -> tuple[subprocess.Popen, Path]:
        """Start a command on the driving host; return it and the file of its output."""
        log = folder.with_suffix(".log")
        folder.parent.mkdir(parents=True, exist_ok=True)
        many = "workers=4" if COMMANDS[name][0] == "episodes" else "match.workers=4"
        crowd = () if COMMANDS[name][0] == "tables" or name == "root search" else (many,)
        command = self._command(name, folder, self._address, *crowd, *more)
        with log.open("a") as file:
            return self._driver.start(*command, output=file), log

    def _fresh(self, name: str) -> Path:
        folder = self._folder / name.replace(" ", "_").replace(",", "").replace("'", "")
        shutil.rmtree(folder, ignore_errors=True)
        folder.with_suffix(".log").unlink(missing_ok=True)
        return folder

    def _judge(self, outcome: Outcome, name: str, folder: Path, code: int, log: Path) -> None:
        wanted, found = self._play_undisturbed(name), rows.read(folder)
        outcome.number, outcome.digest, outcome.wanted = found.number, found.digest, wanted.digest
        outcome.lost, outcome.doubled, outcome.changed = rows.compare(found, wanted)
        lines = log.read_text().strip().splitlines()
        outcome.said = "" if code == 0 else (lines or [""])[-1]
        outcome.passed = code == 0 and found.digest == wanted.digest

    def _disturb(self, name: str, outcome: Outcome) -> None:
        """Play while both working hosts fail in turn."""
        self._play_undisturbed(name)
        folder = self._fresh(outcome.what)
        process, log = self._begin(name, folder)
        faults = Faults(self._lan, self._working, self._head, list(ALL))
        faults.until_done(process, has_rows(folder))
        outcome.faults = [f"{fault} ({host})" for fault, host in faults.done]
        self._judge(outcome, name, folder, process.wait(), log)
        outcome.passed &= bool(faults.done)

    def _cut_off(self, outcome: Outcome) -> None:
        """Cut a host off midway, until the end."""
        folder, host = self._fresh(outcome.what), self._working[0]
        process, log = self._begin("match", folder)
        await_that(lambda: process.poll() is not None or has_rows(folder)(), "rows", 300)
        self._lan.cut(host)
        outcome.faults = [f"cut off for good ({host.name})"]
        self._judge(outcome, "match", folder, process.wait(timeout=600), log)
        self._lan.join(host)
        restart(host, self._head)

    def _kill_head(self, outcome: Outcome) -> None:
        """Kill the head midway, restart the cluster and continue."""
        folder = self._fresh(outcome.what)
        process, log = self._begin("match", folder)
        await_that(lambda: process.poll() is not None or has_rows(folder)(), "rows", 300)
        self._head.reboot()
        code = process.wait(timeout=300)
        said = log.read_text().strip().splitlines()[-1]
        outcome.faults = ["head killed"]
        self._head.start_ray()
        for host in (self._driver, *self._working):
            restart(host, self._head)
        again, log = self._begin("match", folder)
        self._judge(outcome, "match", folder, again.wait(timeout=600), log)
        outcome.passed &= code == 1 and "no longer answers" in said
        outcome.said = said

    def _mix_versions(self, outcome: Outcome) -> None:
        """Make one host run code that differs by one line."""
        host = self._working[0]
        packages = " ".join(("mcts", "belief", "sim", "experiments", "conf"))
        host.run("sh", "-c", f"mkdir {CHANGED} && cp -r {packages} {CHANGED}")
        host.run("sh", "-c", f"echo '# a line more' >> {CHANGED}/sim/rules.py")
        host.run("pkill", "-9", "-f", "ray")
        host.run("mount", "--bind", CHANGED, str(PACKAGES))  # in the host's own view
        host.start_ray(self._head)
        folder = self._fresh(outcome.what)
        process, log = self._begin("match", folder)
        code = process.wait(timeout=300)
        outcome.said = log.read_text().strip().splitlines()[-1]
        outcome.passed = code == 1 and f"host {host.name} has other code" in outcome.said
        host.reboot()
        host.start_ray(self._head)

    def _refuse_stranger(self, outcome: Outcome) -> None:
        """Request the cluster with another token, and with none."""
        host, folder = self._working[0], self._fresh(outcome.what)
        command = self._command("match", folder, self._address)
        host.run("sh", "-c", f"echo 0123456789abcdef > {OTHER} && chmod 600 {OTHER}")
        other = host.run(*command, RAY_AUTH_TOKEN_PATH=OTHER)
        none = host.run(*command, RAY_AUTH_MODE="disabled")
        outcome.said = other.stderr.strip().splitlines()[-1]
        one_line = all(len(ran.stderr.strip().splitlines()) == 1 for ran in (other, none))
        refused = all(ran.returncode == 1 and "token" in ran.stderr for ran in (other, none))
        outcome.passed = refused and one_line and not rows.read(folder).number

    def _lose_tracking(self, outcome: Outcome) -> None:
        """Cut MLflow's server off in the middle of a match; repeat the command once it is back."""
        host: Host = self._working[1]
        store = ("--backend-store-uri", "sqlite:////tmp/mlflow.db", "--workers", "1")
        bound = ("--host", host.address, "--port", "5000", "--allowed-hosts", "*")
        mlflow = [sys.executable, "-m", "mlflow", "server", *store, *bound]
        server = host.start(*mlflow, output=subprocess.DEVNULL)
        code = f"import socket; socket.create_connection(('{host.address}', 5000), 1)"
        probe = (sys.executable, "-c", code)
        await_that(lambda: self._driver.run(*probe).returncode == 0, "MLflow answers", 120)
        folder = self._fresh(outcome.what)
        tracked = ("tracking.enabled=true", f"tracking.uri=http://{host.address}:5000")
        process, log = self._begin("match", folder, *tracked)
        await_that(lambda: process.poll() is not None or has_rows(folder)(), "rows", 300)
        self._lan.cut(host)
        code_without = process.wait(timeout=600)
        said = log.read_text().strip().splitlines()[-1]
        outcome.faults = ["MLflow's host cut off"]
        self._lan.join(host)
        restart(host, self._head)
        again, log = self._begin("match", folder, *tracked)
        self._judge(outcome, "match", folder, again.wait(timeout=300), log)
        outcome.passed &= code_without == 0 and "MLflow record is incomplete" in said
        outcome.said = said
        server.kill()


def describe(outcome: Outcome) -> str:
    """Return an outcome in one line."""
    mark = "passed" if outcome.passed else "FAILED"
    counts = f"{outcome.lost} lost, {outcome.doubled} doubled, {outcome.changed} changed"
    of = f"{outcome.number} rows, {counts}; " if outcome.number else ""
    said = f"; said: {outcome.said}" if outcome.said else ""
    return (
        f"{outcome.what}: {mark}, {len(outcome.faults)} faults, {of}{outcome.seconds:.0f} s{said}"
    )


def summarise(outcomes: list[Outcome]) -> str:
    """Return all outcomes as a table in Markdown."""
    lines = ["| what | faults | rows | lost, doubled, changed |", "|---|---|---|---|"]
    for one in outcomes:
        counts = f"{one.lost}, {one.doubled}, {one.changed}" if one.number else one.said
        lines.append(f"| {one.what} | {len(one.faults)} | {one.number or ''} | {counts} |")
    total = sum(len(one.faults) for one in outcomes)
    lines.append(f"| all | {total} | {sum(one.number for one in outcomes)} | |")
    return "\n".join(lines)
