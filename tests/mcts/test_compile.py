"""Machine code on disk is never stale, also for a domain in a package outside the project."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mcts.kernel.compile import INTERPRETED

ROOT_FOLDER = Path(__file__).parents[2]

RULES = """
from mcts.kernel.compile import jit

@jit
def prize(action):
    return 1.0 + action
"""

DOMAIN = """
from typing import NamedTuple
import numpy as np
from mcts.domain import register
from mcts.kernel.compile import jit
from .rules import prize

class Bandit(NamedTuple):
    arms: int = 2

@jit
def start(p, s, stream):
    s[0] = 0

@jit
def actions(p, s, out, edge_data):
    for i in range(p.arms):
        out[i] = i
        edge_data[i] = 0.0
    return p.arms

@jit
def step(p, s, action, edge_data, stream):
    s[0] = 1
    return 10.0 * prize(action)

@jit
def observation(p, s):
    return np.uint64(0)

@jit
def terminal(p, s):
    return s[0] == 1

@jit
def rollout(p, s, stream):
    return 0.0

register(Bandit, start=start, actions=actions, step=step, observation=observation,
         terminal=terminal, rollout=rollout, workspace=lambda p: np.zeros(1, np.int64),
         discount=1.0, low=0.0, high=100.0, max_actions=lambda p: p.arms, max_depth=1)
"""

RUN = """
from mcts.options import Budget, Options
from mcts.search import Search
from outside.bandit import Bandit
search = Search(Bandit(), Options(nodes=10))
values = search.run(Budget(simulations=20), 1).values
stats = getattr(search._kernel, "stats", None)
print([round(v, 9) for v in values.tolist()], sum(stats.cache_hits.values()))
"""


@pytest.mark.nightly
@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_edits_are_seen_and_unchanged_code_is_loaded(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT_FOLDER / "mcts", tmp_path / "mcts", ignore=ignored)
    outside = tmp_path / "outside"
    outside.mkdir()
    rules = outside / "rules.py"
    (outside / "__init__.py").write_text("")
    (outside / "bandit.py").write_text(DOMAIN)
    rules.write_text(RULES)

    def run():
        done = subprocess.run(
            [sys.executable, "-c", RUN],
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": "",
                "PYTHONDONTWRITEBYTECODE": "1",  # an edit within a second would not be seen
                "SLEUTH_CACHE_DIR": str(tmp_path / "cache"),
                "NUMBA_OPT": "1",  # compiles in two thirds of the time
            },
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert run() == "[10.0, 20.0] 0"
    assert run() == "[10.0, 20.0] 1"
    # Both edits show in the values: the rules' by 10, the search's by 7.
    rules.write_text(RULES.replace("1.0 + action", "2.0 + action"))
    simulation = tmp_path / "mcts/simulation.py"
    source = simulation.read_text()
    backed_up = "value = scratch.payoff[0]\n"
    assert backed_up in source
    simulation.write_text(source.replace(backed_up, "value = scratch.payoff[0] + 7.0\n", 1))
    assert run() == "[27.0, 37.0] 0"
