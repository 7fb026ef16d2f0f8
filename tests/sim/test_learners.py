"""The example of a third-party learner on the environment; it is skipped where it is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

ROOT = Path(__file__).resolve().parents[2]
NEEDED = "needs the extra 'learners': pip install '.[learners]'"


def test_the_example_runs(tmp_path):
    pytest.importorskip("sb3_contrib", reason=NEEDED)
    picture = tmp_path / "curve.png"
    command = [sys.executable, "examples/maskable_ppo.py", "--rules", "speed", "--seconds", "1"]
    command += ["--points", "1", "--games", "4", "--even-games", "4", "--picture", str(picture)]
    ended = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert ended.returncode == 0, ended.stderr
    assert "uniform over legal actions" in ended.stdout and "of 4" in ended.stdout
    assert picture.stat().st_size > 5_000
