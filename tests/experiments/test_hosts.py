"""A cluster of hosts in namespaces on a lossy wire: what is cut off costs no game."""

from __future__ import annotations

import base64
import io
import sys
import tarfile

import pytest

from benchmarks.cluster.hosts import PORT, CannotBuild, Lan, await_that, check
from experiments.matches import lineups, play, results
from experiments.settings import config
from tests.experiments.rows import read_rows

GAMES = 60_000
SETTINGS = ("player=heuristic", f"match.games={GAMES}", "tracking.enabled=false")


@pytest.fixture(scope="module")
def possible() -> None:
    try:
        check()
    except CannotBuild as fault:
        pytest.skip(str(fault))


@pytest.mark.nightly
@pytest.mark.usefixtures("possible")
def test_a_host_that_is_cut_off_costs_no_game_and_a_stranger_gets_in_nowhere(tmp_path):
    """Two hosts: the one that drives, and one whose frames are lost in the middle for good."""
    folder = tmp_path / "run"
    with Lan(2, seed=1) as lan:
        first, second = lan.hosts
        first.start_ray()
        second.start_ray(first)
        address = f"ray.address={first.address}:{PORT}"
        compare = [sys.executable, "-m", "experiments.compare", *SETTINGS, address]
        process = first.start(*compare, "match.workers=2", "run.folder=/mnt/run")
        inside = f"ls /mnt/run/{results.GAMES}-*.parquet"
        await_that(
            lambda: process.poll() is not None or first.run("sh", "-c", inside).returncode == 0,
            "rows",
        )
        assert process.poll() is None, "it ended before anything could be cut"
        lan.cut(second)
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0, said
        stranger = first.run(*compare, RAY_AUTH_MODE="disabled")
        assert stranger.returncode == 1 and "token" in stranger.stderr
        assert len(stranger.stderr.strip().splitlines()) == 1
        packed = first.run("sh", "-c", "cd /mnt && tar c run | base64")
    with tarfile.open(fileobj=io.BytesIO(base64.b64decode(packed.stdout))) as archive:
        archive.extractall(folder.parent, filter="data")
    (match,) = lineups.matches(config.compose("compare", SETTINGS))
    whole = play.portion(match, range(GAMES)).rows.cast(results.ROW)
    assert read_rows(folder).equals(whole.sort_by([("game", "ascending"), ("seat", "ascending")]))


def test_a_machine_that_cannot_make_hosts_says_why(monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(CannotBuild, match="need root"):
        check()
