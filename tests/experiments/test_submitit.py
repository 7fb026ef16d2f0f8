"""Hydra's launcher for Slurm, which submits a multirun's points as jobs, here without a Slurm."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

from tests.experiments.rows import read_rows
from tests.experiments.test_repeating import QUIET, read_command

pytest.importorskip(
    "hydra_plugins.hydra_submitit_launcher",
    reason="no launcher here: pip install hydra-submitit-launcher",
)

MATCH = ("player=swift", "match.workers=1", QUIET)


def start(folder, *words):
    """Start a multirun as a user does, so that its job is one of `__main__`."""
    command = [sys.executable, "-m", "experiments.compare", "-m", "hydra/launcher=submitit_local"]
    return subprocess.Popen(
        [*command, *MATCH, *words, f"run.folder={folder}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.nightly
def test_each_point_plays_in_a_process_and_records_what_repeats_it(run_compare, tmp_path):
    process = start(tmp_path / "run", "seed=1,2", "match.games=40")
    _, said = process.communicate(timeout=250)
    assert process.returncode == 0, said
    first, second = (read_rows(tmp_path / "run" / part) for part in "01")
    assert not first.equals(second), "the control"
    _, _, name, *settings = shlex.split(read_command(tmp_path / "run/0"))
    assert name == "experiments.compare" and "seed=1" in settings
    again = run_compare(*settings)
    assert again.code == 0 and read_rows(again.folder).equals(first)


@pytest.mark.nightly
def test_a_job_that_slurm_ends_and_starts_again_continues(run_compare, tmp_path):
    """A preempted job gets SIGTERM, and later runs again from the same pickled call."""
    folder, match = tmp_path / "run", ("seed=1", "match.games=100000")
    process = start(folder, *match)
    parts = list_parts(folder)
    while not parts:
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
        parts = list_parts(folder)
    (pickled,) = folder.glob(".submitit/*/*_submitted.pkl")
    number = pickled.parent.name
    os.kill(int(number), signal.SIGTERM)  # submitit passes it to the job
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1, said
    assert 0 < count_rows(folder) < 4 * 100_000, "the control: it was not at its end"
    names = ("JOB_ID", "NTASKS", "JOB_NUM_NODES", "NODEID", "GLOBALID", "LOCALID")
    given = dict(zip(names, (number, "1", "1", "0", "0", "0"), strict=True))
    environment = {f"SUBMITIT_LOCAL_{name}": value for name, value in given.items()}
    again = subprocess.run(
        [sys.executable, "-m", "submitit.core._submit", str(pickled.parent)],
        env=os.environ | environment | {"SUBMITIT_EXECUTOR": "local"},
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert again.returncode == 0, again.stderr
    assert parts.items() <= list_parts(folder).items(), "what was played is not played again"
    alone = run_compare(*MATCH, *match)
    assert alone.code == 0 and read_rows(folder / "0").equals(read_rows(alone.folder))


def list_parts(folder):
    """Return the time of change of each file of rows of a multirun's first point."""
    return {path: path.stat().st_mtime_ns for path in folder.glob("0/games-*.parquet")}


def count_rows(folder):
    return read_rows(folder / "0").num_rows
