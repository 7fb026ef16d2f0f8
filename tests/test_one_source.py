"""A choice by name has one source: adding it changes few files, and none that lists names."""

from __future__ import annotations

import json
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


RUN = """
import contextlib, io, json, sys
from experiments.compare.__main__ import COMMAND
from experiments.settings.config import check, compose
from experiments.tables import catalog
from experiments.tables.__main__ import COMMAND as TABLES
from omegaconf import OmegaConf
from sim.player import PolicyPlayer
from sim.players.registry import make
from sim.referee import play
from sim.rules import preset

def shown(command, *typed):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        code = command.run(typed)
    return [code, out.getvalue()]

catalog.register()
settings = compose("compare", ["player=twin", "rules=brisk", "player.budget.simulations=2"])
check(settings)
rules = preset("brisk")
player = make(OmegaConf.to_container(settings.player), rules)
game = play(rules, [player, *(PolicyPlayer("random") for _ in range(3))], 1, 0)
json.dump(
    {
        "help": shown(COMMAND, "--help", "all", "player=twin", "rules=brisk"),
        "limit": shown(COMMAND, "player.search.patience=1"),
        "typo": shown(COMMAND, "player=twn"),
        "list": shown(TABLES),
        "cells": len(catalog.load("duel").cells),
        "player": [player.name, player.config.options.patience, player.result.simulations],
        "game": [rules.turn_cap, game.turns <= 30],
    },
    sys.stdout,
)
"""


@pytest.fixture(scope="module")
def ran(copy):
    """Results of the copy, from one process with kernels as plain Python."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUN],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_they_are_in_the_help(ran):
    code, shown = ran["help"]
    assert code == 0
    for line in ("name: twin", "name: brisk", "turn_cap: 30", "patience: 7"):
        assert line in shown
    assert "# how long it waits" in shown
    listed = " ".join(shown.split())  # wherever a line ends
    assert "swift, twin, uniform" in listed and "rules: brisk, cai2006" in listed


def test_their_limits_are_checked_by_the_command(ran):
    assert ran["limit"] == [1, "sleuth-compare: player.search.patience=1: must be at least 2\n"]
    code, refused = ran["typo"]
    assert code == 1 and "did you mean twin?" in refused


def test_the_table_is_listed_and_planned(ran):
    code, shown = ran["list"]
    assert code == 0 and "duel" in shown and "two policies against each other" in shown
    assert ran["cells"] == 2


def test_they_play(ran):
    assert ran["player"] == ["twin", 7, 2]
    assert ran["game"] == [30, True]
