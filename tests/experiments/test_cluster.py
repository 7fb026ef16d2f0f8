"""A run on a Ray cluster of two nodes loses nothing when one of them dies."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from experiments.matches import lineups, play, results
from experiments.settings import config
from tests.experiments.rows import read_rows

pytestmark = pytest.mark.nightly

GAMES = 6000
SETTINGS = ("player=heuristic", f"match.games={GAMES}", "tracking.enabled=false")


@pytest.mark.nightly
def test_a_killed_node_costs_no_game(tmp_path):
    script = Path(__file__).with_name("cluster_run.py")
    # Of its own, because a process has one Ray.
    process = subprocess.run(
        [sys.executable, script, tmp_path / "run", *SETTINGS],
        capture_output=True,
        text=True,
        cwd=script.parents[2],
        timeout=300,
    )
    assert process.returncode == 0, process.stderr
    assert "killing a node of 2 with 2 cores" in process.stdout
    (match,) = lineups.matches(config.compose("compare", SETTINGS))
    rows = play.portion(match, range(GAMES)).rows.cast(results.ROW)
    undisturbed = rows.sort_by([("game", "ascending"), ("seat", "ascending")])
    assert read_rows(tmp_path / "run").equals(undisturbed)
