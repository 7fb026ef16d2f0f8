"""What is chosen by name has one source: adding it changes few files, and none that lists names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("mcts", "belief", "sim", "experiments", "conf")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the project with one more of each."""
    made = tmp_path_factory.mktemp("project")
    for name in COPIED:
        shutil.copytree(ROOT / name, made / name, ignore=shutil.ignore_patterns("__pycache__"))
    for changes in ADDED.values():
        for name, (before, after) in changes.items():
            path = made / name
            text = path.read_text() if before else ""
            assert not before or text.count(before) == 1, f"{name} has not one {before!r}"
            assert before or not path.exists()
            path.write_text(text.replace(before, after) if before else after)
    return made


FLAT = '    "flat": Variant('
NODES = "    nodes: int = between(1, MOST_NODES, default=100_000)\n"
FINAL = "  final: visits            # visits | mean\n"
PRESET = "defaults:\n  - {}\n  - _self_\n\nname: {}\n"

DUEL = """defaults:
  - /schema/table@_here_
  - _self_

about: two policies against each other
players: [swift, closure]
opponents: [closure]
games: 4
simulations: null
seconds: 0.001
compiled: true
"""

ADDED = {
    "planner variant": {
        "sim/planning/variants.py": (
            FLAT,
            f'    "twin": Variant("mine", reward_from_deal=True),\n{FLAT}',
        ),
        "conf/player/twin.yaml": ("", PRESET.format("pomcp", "twin")),
    },
    "search option": {
        "mcts/options.py": (
            NODES,
            f'    patience: int = between(2, 99, default=5)\n    """Whose?"""\n{NODES}',
        ),
        "conf/player/bmcts.yaml": (FINAL, f"{FINAL}  patience: 7   # how long it waits\n"),
    },
    "rule preset": {
        "conf/rules/brisk.yaml": ("", PRESET.format("speed", "brisk") + "turn_cap: 30\n"),
    },
    "table": {"conf/table/duel.yaml": ("", DUEL)},
}
"""By what is added: the files that change, with what stands there before and after."""

MOST = {"planner variant": 3, "search option": 2, "rule preset": 1, "table": 1}


@pytest.mark.parametrize("what", ADDED)
def test_adding_changes_few_files(what):
    assert len(ADDED[what]) <= MOST[what]


def run(copy: Path, *arguments: str, code: int = 0) -> str:
    """Run Python in the copy, kernels as plain Python; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_they_are_in_the_help(copy):
    shown = run(copy, "-m", "experiments.compare", "--help", "player=twin", "rules=brisk")
    for line in ("name: twin", "name: brisk", "turn_cap: 30", "patience: 7"):
        assert line in shown
    assert "# how long it waits" in shown
    listed = " ".join(shown.split())  # wherever a line ends
    assert "swift, twin, uniform" in listed and "rules: brisk, cai2006" in listed


def test_their_limits_are_checked_by_the_command(copy):
    refused = run(copy, "-m", "experiments.compare", "player.search.patience=1", code=1)
    assert refused == "sleuth-compare: player.search.patience=1: must be at least 2\n"
    refused = run(copy, "-m", "experiments.compare", "player=twn", code=1)
    assert "did you mean twin?" in refused


def test_the_table_is_listed_and_planned(copy):
    shown = run(copy, "-m", "experiments.tables", "list")
    assert "duel" in shown and "two policies against each other" in shown
    planned = "from experiments.tables import catalog; print(len(catalog.load('duel').cells))"
    assert run(copy, "-c", planned).split() == ["2"]


PLAYS = """
from experiments.settings.config import check, composed
from omegaconf import OmegaConf
from sim.player import PolicyPlayer
from sim.players.registry import make
from sim.referee import play
from sim.rules import preset
settings = composed("compare", ["player=twin", "rules=brisk", "player.budget.simulations=2"])
check(settings)
rules = preset("brisk")
player = make(OmegaConf.to_container(settings.player), rules)
game = play(rules, [player, *(PolicyPlayer("random") for _ in range(3))], 1, 0)
print(player.name, player.config.options.patience, rules.turn_cap, game.turns <= 30,
      player.result.simulations)
"""


def test_they_play(copy):
    assert run(copy, "-c", PLAYS).split() == ["twin", "7", "30", "True", "2"]
