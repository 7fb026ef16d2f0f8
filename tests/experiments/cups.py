"""A game of a coin below one of four cups, as a user would write it; with a fault or none."""

import polars as pl

GAME = """
from __future__ import annotations
import os
import random
import signal
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mcts.plain.problem import Problem

CUPS = (0.1, 0.2, 0.3, 0.4)


def step(at, cup, chance):
    if FAULT == "raises":
        raise KeyError("no cup")
    if FAULT == "dies once" and not DEATH.exists():
        DEATH.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return At(at.coin, (*at.lifted, cup)), 9.0 if cup == at.coin else -1.0


def observation(at):
    if FAULT == "never again":
        return chance_of_its_own.random()
    return np.array([at.lifted[-1] == at.coin, len(at.lifted)])


@dataclass(frozen=True)
class At:
    coin: int
    lifted: tuple = ()


FAULT = None
DEATH = Path(__file__).with_suffix(".dead")
chance_of_its_own = random.Random(1)
problem = Problem(
    start=lambda chance: At(chance.choices(range(4), CUPS)[0]),
    actions=lambda at: np.array([n for n in range(4) if not {n, at.coin} & set(at.lifted)]),
    step=step,
    observation=observation,
    low=0.0,
    high=9.0,
    steps=4,
)
number = 3
"""

RAISED = "KeyError: 'no cup' (game_raises.py, line 18)"


def rows(outcome):
    return pl.read_parquet(outcome.folder / "episodes.parquet").drop("seconds")
