"""A Slurm on this machine: its configuration, why it cannot start, and an array in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest

from benchmarks.slurm import daemons, rows
from benchmarks.slurm.campaign import ARRAY, ROOT
from benchmarks.slurm.daemons import CannotStart, Slurm, await_that
from benchmarks.slurm.events import Tasks, kill

MATCH = ("player=bmcts", "player.budget.simulations=200", "match.games=100", "match.workers=1")
MATCH_COMMAND = ("-m", "experiments.compare", *MATCH, "tracking.enabled=false")


def test_nodes_have_ports_of_their_own_and_one_partition_preempts_the_other(tmp_path):
    written = daemons.configure(tmp_path, ["n1", "n2"], 10).splitlines()
    lines = [dict(word.split("=", 1) for word in line.split()) for line in written]
    nodes = [line for line in lines if "NodeName" in line]
    assert [node["NodeName"] for node in nodes] == ["n1", "n2"]
    (controller,) = [line["SlurmctldPort"] for line in lines if "SlurmctldPort" in line]
    assert len({controller, *(node["Port"] for node in nodes)}) == 3
    partitions = {line["PartitionName"]: line for line in lines if "PartitionName" in line}
    low, high = partitions["low"], partitions["high"]
    assert (low["PreemptMode"], low["Default"]) == ("REQUEUE", "YES")
    assert int(low["PriorityTier"]) < int(high["PriorityTier"])
    assert {"AuthInfo": f"socket={tmp_path}/munge.socket,cred_expire=10"} in lines


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("sys.platform", "darwin"), "Linux alone"),
        (("os.geteuid", lambda: 1000), "need root"),
        (("shutil.which", lambda *_, **__: None), "munged, slurmctld, slurmd, sbatch not found"),
    ],
)
def test_a_machine_that_cannot_start_slurm_says_why(monkeypatch, change, said):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(*change)
    with pytest.raises(CannotStart, match=said):
        daemons.check()


def test_without_slurm_the_command_ends_well_with_a_line(monkeypatch, capsys):
    from benchmarks.slurm import __main__ as command

    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr("sys.argv", ["slurm"])
    command.main()
    assert capsys.readouterr().out.splitlines() == [
        "slurm: a controller and its nodes need root: sudo make slurm"
    ]


def test_rows_that_are_lost_doubled_or_changed_are_counted():
    wanted = Counter(["a", "b", "c", "d"])
    assert rows.compare(wanted, wanted) == (0, 0, 0)
    assert rows.compare(Counter({"a": 1, "b": 3, "x": 1}), wanted) == (2, 2, 1)


@pytest.fixture
def slurm():
    if os.geteuid() != 0 or daemons.missing():
        pytest.skip("Slurm needs root, slurmctld, slurmd and munge")
    with Slurm(nodes=2, again=5) as started:
        yield started


@pytest.mark.nightly
def test_an_array_shares_a_match_though_one_of_its_tasks_is_killed(slurm, tmp_path):
    shared, alone = tmp_path / "shared", tmp_path / "alone"

    def submit(keys):
        which = (f"--array={','.join(map(str, keys))}", "--job-name=match", "--cpus-per-task=1")
        where = (f"--output={tmp_path}/log.%a", f"--chdir={ROOT}", f"{ROOT}/examples/slurm/{ARRAY}")
        words = (*which, *where, *MATCH_COMMAND, f"run.folder={shared}")
        slurm.run("sbatch", *words, PYTHON=sys.executable)

    tasks = Tasks(slurm, "match", tmp_path, submit)
    tasks.submit(range(3))
    await_that(lambda: len(playing(tasks)) == 3, "all tasks play", 600)
    kill(tasks, playing(tasks)[0])
    await_that(lambda: not tasks.list_queued(), "the queue is empty", 600)
    await_that(lambda: not slurm.processes(), "no process is left")
    command = [sys.executable, *MATCH_COMMAND, f"run.folder={alone}"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    wanted = rows.read(alone)
    assert wanted.total() == 4 * 100
    assert rows.compare(rows.read(shared), wanted) == (0, 0, 0)
    writers = {path.name.split("-")[1] for path in shared.glob("games-*.parquet")}
    assert len(writers) > 1, "they shared it"


def playing(tasks):
    return [task for task in tasks.list_queued().values() if task.process]
