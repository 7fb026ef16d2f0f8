"""Runs in MLflow: curves over games, parameters of players of all kinds, tags to find runs."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import mlflow
import numpy as np
import pytest

from experiments.matches.results import Played, Results
from experiments.provenance import tracking
from experiments.provenance.mounts import shared_by_hosts
from experiments.runs.mlflow_run import STEPS, Curves, MatchRecord, MlflowRun
from experiments.settings import config
from experiments.settings.commandline import Refusal
from experiments.stats import stopping
from experiments.stats.intervals import win_rate
from tests.experiments.rows import read_rows

SWIFT = ("player=swift", "opponent=random", "match.workers=1")


@pytest.fixture
def run(match, rows, tmp_path):
    """Return the results of 30 games, the last four of which have gaps before them."""
    found = Results(tmp_path, [match])
    won = np.random.default_rng(8).integers(4, size=40)
    for games in (range(12), range(12, 26), range(36, 40)):
        found.add(0, Played(rows(games, lambda game: int(won[game]))))
    found.flush()
    return found, won


def test_curves_are_of_the_games_whenever_one_looks(run, rows):
    found, won = run
    curves = Curves(found, stopping.parse("games"))
    points = dict(curves.win_rates())
    steps = [step for step in STEPS.tolist() if step <= 26]
    assert list(points) == steps and len(steps) > 3
    for step, metrics in points.items():
        wins = int((won[:step] == np.arange(step) % 4).sum())
        rate = win_rate(wins, step)
        assert metrics == {"win_rate": rate.value, "ci95_low": rate.low, "ci95_high": rate.high}
    assert not dict(curves.win_rates()), "nothing is new"
    found.add(0, Played(rows(range(26, 36), lambda game: int(won[game]))))
    later = dict(curves.win_rates())
    assert list(later) == [step for step in STEPS.tolist() if 26 < step <= 40]
    whole = Curves(found, stopping.parse("games"))
    assert dict(whole.win_rates()) == {**points, **later}


def test_a_run_is_a_curve_and_goes_on_as_one(run_compare, database, monkeypatch):
    """Also one that was killed: it says where it stands, and later what its rows say of before."""
    asked = (*SWIFT, f"tracking.uri={database}")
    end = MatchRecord.end
    with monkeypatch.context() as first:
        first.setattr("experiments.runs.mlflow_run.PATIENCE_SECONDS", 60.0)
        first.setattr(
            MatchRecord,
            "end",
            lambda self, _, *rest: (self.begin(), end(self, "KILLED", *rest)),
        )
        ran = run_compare(*asked, "match.games=30")
    assert ran.code == 0, ran.err
    more = run_compare(*asked, "match.games=70", f"run.folder={ran.folder}")
    assert more.code == 0, more.err
    client = mlflow.MlflowClient(database)
    (run,) = client.search_runs(
        [client.get_experiment_by_name("compare").experiment_id],
        "tags.planner = 'swift' AND params.`played.kind` = 'policy'",
    )
    held = json.loads((ran.folder / "matches.json").read_text())
    assert run.data.tags["run"] == held["run"]
    assert run.data.tags["mlflow.source.name"] == "experiments.compare"
    begun = (ran.folder / "matches.json").stat().st_mtime
    assert run.info.start_time <= 1000 * begun, "it lasted as long as the run, not as its record"
    steps = [step for step in STEPS.tolist() if step <= 70]
    table = read_rows(ran.folder)
    won = table.filter(table["focal"])["won"].to_numpy(zero_copy_only=False)
    history = client.get_metric_history(run.info.run_id, "win_rate")
    rates = {point.step: point.value for point in history}
    assert sorted({*steps, 70}) == sorted(rates)
    assert all(rate == pytest.approx(won[:step].mean()) for step, rate in rates.items())
    again = run_compare(*asked, "match.games=70", f"run.folder={ran.folder}")
    assert again.code == 0, again.err
    for name in run.data.metrics:
        said = [point.step for point in client.get_metric_history(run.info.run_id, name)]
        assert len(set(said)) == len(said), f"{name} has each point once"
        if name == "win_rate":
            assert sorted(said) == [*steps, 70], "each point once, and the end"


MOUNTS = r"""27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 27 0:51 / /home rw,relatime shared:5 master:1 - nfs4 filer:/export/home rw,vers=4.2
41 27 0:52 / /scratch\040fast rw,relatime - lustre mds@tcp:/scratch rw,flock
42 40 0:53 / /home/me/local rw - xfs /dev/nvme0n1 rw
43 27 0:54 / /mnt/far rw - fuse.sshfs me@far: rw
44 27 8:1 / /mnt/disk rw - fuseblk /dev/sda1 rw
45 27 0:55 / /work rw - nfs filer:/work rw
46 27 8:2 / /work rw - ext4 /dev/sda2 rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me/outputs/mlflow.db", "nfs4"),
        ("/scratch fast/mlflow.db", "lustre"),
        ("/mnt/far/not/yet/there.db", "fuse.sshfs"),
        ("/home/me/local/mlflow.db", None),
        ("/homely/mlflow.db", None),
        ("/mnt/disk/mlflow.db", None),
        ("/work/mlflow.db", None),  # the last mount hides the one below it
    ],
)
def test_a_file_system_that_hosts_share_is_known(tmp_path, path, kind):
    (tmp_path / "mounts").write_text(MOUNTS)
    assert shared_by_hosts(Path(path), tmp_path / "mounts") == kind
    assert shared_by_hosts(Path(path), tmp_path / "none") is None


@pytest.fixture
def record(tmp_path):
    """Open the record of a run that a launcher has started, without beginning it."""

    def make(launcher, *more, mode="MULTIRUN"):
        typed = [f"hydra.mode={mode}", f"hydra.launcher._target_=plugins.{launcher}", *more]
        settings = config.compose("compare", typed, with_hydra=True)
        with config.share(settings):
            MlflowRun(settings.tracking, tmp_path, tmp_path, lambda *_: None)

    return make


@pytest.mark.parametrize(
    ("launcher", "more"),
    [
        ("SlurmLauncher", ()),
        ("RayAWSLauncher", ()),
        ("RayLauncher", ("+hydra.launcher.ray.init.address=auto",)),
        ("SlurmLauncher", ("tracking.uri=sqlite:///given.db",)),
    ],
)
def test_one_file_is_not_written_by_runs_on_several_hosts(record, launcher, more):
    remedy = r"give tracking\.uri=http://SERVER:PORT or MLFLOW_TRACKING_URI, or tracking\.enabled"
    with pytest.raises(Refusal, match=rf"are on other hosts \({launcher}\): {remedy}"):
        record(launcher, *more)


@pytest.mark.parametrize(
    ("launcher", "more"),
    [
        ("BasicLauncher", ()),
        ("LocalLauncher", ()),
        ("RayLauncher", ("+hydra.launcher.ray.init.address=null",)),
        ("SlurmLauncher", ("tracking.uri=http://server:5000",)),
        ("SlurmLauncher", ("tracking.enabled=false",)),
    ],
)
def test_other_records_are_opened_without_a_word(record, capsys, launcher, more, monkeypatch):
    record(launcher, *more)
    record("SlurmLauncher", mode="RUN")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://server:5000")
    record("SlurmLauncher")
    assert not capsys.readouterr().err


def test_a_file_on_a_shared_disk_is_warned_of_once(record, capsys, monkeypatch):
    monkeypatch.setattr(tracking, "shared_by_hosts", lambda _: "nfs4")
    for _ in range(2):
        record("JoblibLauncher")
    record("BasicLauncher", "tracking.uri=http://server:5000")
    (said,) = capsys.readouterr().err.splitlines()
    assert (
        "mlflow.db is on nfs4: record to it from one host at a time, or give tracking.uri" in said
    )


def test_the_database_needs_no_memory_shared_by_its_writers(tmp_path):
    """Its journal is a file; SQLite's other one, WAL, works on one host alone."""
    tracking.Store(f"sqlite:///{tmp_path}/mlflow.db", "compare", tmp_path)
    with closing(sqlite3.connect(tmp_path / "mlflow.db")) as held:
        assert held.execute("PRAGMA journal_mode").fetchone() == ("delete",)
