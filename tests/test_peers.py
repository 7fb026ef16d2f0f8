"""`make peers`: the measuring, and the whole table in small."""

import re

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="the extra peers is not installed")
pytest.importorskip("pomdp_py", reason="the extra peers is not installed")

from benchmarks.peers import __main__ as peers
from benchmarks.peers import measuring, rocks, tigers
from mcts.kernel.compile import INTERPRETED
from mcts.problems import rocksample, tiger


@pytest.mark.parametrize("name", tigers.LOOP.contestants)
def test_all_act_by_the_belief_they_are_given(name):
    """Sure of the tiger's side they open the other door at times, and never the tiger's."""
    choose = tigers.LOOP.contestants[name](50 if INTERPRETED else 200)
    for left, right, wrong in (
        (1.0, tiger.OPEN_RIGHT, tiger.OPEN_LEFT),
        (0.0, tiger.OPEN_LEFT, tiger.OPEN_RIGHT),
    ):
        chosen = {choose(tigers.START._replace(left=left), key) for key in range(6)}
        assert right in chosen and wrong not in chosen


@pytest.mark.parametrize("name", rocks.LOOP.contestants)
def test_at_rocks_they_act_by_the_belief_they_are_given(name):
    """The rover stands on a rock, which is sampled if it is known to be good, else never."""
    x, y = rocksample.PUBLISHED[7, 8][2]
    choose = rocks.LOOP.contestants[name](20 if INTERPRETED else 100)
    for good in (True, False):
        known = rocks.START._replace(x=x, y=y, good=np.full(8, float(good)))
        assert any(choose(known, key) == rocksample.SAMPLE for key in range(8)) == good


@pytest.mark.nightly
@pytest.mark.skipif(INTERPRETED, reason="too slow for the interpreter")
def test_the_table_is_printed(capsys, monkeypatch):
    monkeypatch.setattr(measuring, "LEAST_SECONDS", 0.001)
    few = "--rounds 2 --kuhn 20 --tiger 10 --rocks 5 --milliseconds 0.1 --seeds 2 --leduc-seeds 0"
    peers.main([*few.split(), "--episodes", "2", "--rock-episodes", "2"])
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert all(row.count("|") == 6 for row in rows)
    speeds = [row for row in rows if "simulations a CPU second" in row]
    assert len(speeds) == 10 and len(rows) == 1 + 3 * 10
    beside = [row for row in speeds if re.search(r"\| [\d.e+]+ \([\d.e+]+ to [\d.e+]+\) \|$", row)]
    assert len(beside) == 7
