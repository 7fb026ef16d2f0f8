"""Train MaskablePPO on Cluedo against compiled policies, and plot its win rate over time.

    python examples/maskable_ppo.py --seed 5330 --seconds 150 --games 300 --picture learner.png

Needs the extra ``learners`` (PyTorch, sb3-contrib).  Training stops after a number of CPU seconds
of this process, excluding measurements.  Before training and after each share of the seconds, the
network plays the same games, which are not used in training, and samples its actions.  Two
baselines: a player that draws uniformly among the legal actions, and the opponents' policy, which
wins one game in as many as there are players.

The 324 accusations are merged into one action, `OneAccusation`: a network learns when to accuse
long before it has tried each of them often enough.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium.spaces import Discrete
from matplotlib.figure import Figure
from sb3_contrib import MaskablePPO
from scipy.stats import binomtest
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

from sim import ACCUSE, FIRST_ROOM, FIRST_WEAPON, FLAT_LAYOUT, N_ACTIONS, REVEAL, Against

TABLES = 8
"""Parallel games in training, of the runs ``seed`` .. ``seed + TABLES - 1``."""

SPARED = REVEAL - ACCUSE
Choose = Callable[[np.ndarray, np.ndarray], int]


class OneAccusation(Against):
    """The learner's table, with one final action in place of all accusations.

    It accuses the most probable envelope among the legal ones.
    """

    def __init__(self, *settings: Any, **options: Any) -> None:
        super().__init__(*settings, **options)
        self.accusation = N_ACTIONS - SPARED
        self.action_space = Discrete(self.accusation + 1)

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool (257,); True is legal."""
        mask = super().action_masks()
        others = np.delete(mask, slice(ACCUSE, REVEAL))
        return np.append(others, mask[ACCUSE:REVEAL].any())

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Do as `Against.step` with the underlying action."""
        if action == self.accusation:
            offered = super().action_masks()[ACCUSE:REVEAL]
            chance = self._observe().view(FLAT_LAYOUT)[0]["chance"][:, 0]
            suspects, weapons, rooms = np.split(chance, (FIRST_WEAPON, FIRST_ROOM))
            likely = np.einsum("s,w,r->swr", suspects, weapons, rooms).ravel()
            action = ACCUSE + int(np.where(offered, likely, -1.0).argmax())
        elif action >= ACCUSE:
            action += SPARED
        return super().step(action)


class Point(NamedTuple):
    """A measurement: wins in a number of games, after some CPU seconds and steps."""

    seconds: float
    steps: int
    wins: int
    games: int

    def interval(self) -> tuple[float, float]:
        """Return the 95 % Wilson interval of the win rate."""
        low, high = binomtest(self.wins, self.games).proportion_ci(method="wilson")
        return low, high

    def describe(self) -> str:
        """Return one line."""
        low, high = self.interval()
        return (
            f"{self.seconds:6.0f} s {self.steps:8d} steps  wins {self.wins / self.games:6.1%} "
            f"({low:.1%} to {high:.1%}) of {self.games}"
        )


def count_wins(table: Against, choose: Choose, seed: int, games: int) -> int:
    """Return the wins of the learner's seat in games 0 .. games - 1 of run ``seed``."""
    wins = 0
    for game in range(games):
        seen, _ = table.reset(seed=seed, options={"game": game})
        over = False
        while not over:
            seen, reward, ended, cut, _ = table.step(choose(seen, table.action_masks()))
            over = ended or cut
        wins += reward == 1.0
    return wins


class Curve(BaseCallback):
    """Measures the network during training, and ends training when the seconds are spent."""

    def __init__(
        self,
        table: Against,
        seconds: float,
        points: int,
        seed: int,
        games: int,
        drawn: Callable[[list[Point]], None],
    ) -> None:
        super().__init__()
        self.drawn = drawn
        self.table, self.seconds, self.measured_at = table, seconds, seconds / points
        self.seed, self.games = seed, games
        self.points: list[Point] = []
        self.spent = 0.0

    def _on_training_start(self) -> None:
        self._measure()

    def _on_rollout_start(self) -> None:
        self.spent = time.process_time() - self.begun
        if self.spent >= len(self.points) * self.measured_at:
            self._measure()

    def _on_step(self) -> bool:
        return self.spent < self.seconds

    def _measure(self) -> None:
        def choose(seen: np.ndarray, mask: np.ndarray) -> int:
            return int(self.model.predict(seen, action_masks=mask)[0])

        before = time.process_time()
        wins = count_wins(self.table, choose, self.seed, self.games)
        self.points.append(Point(self.spent, self.num_timesteps, wins, self.games))
        print(self.points[-1].describe(), flush=True)
        self.drawn(self.points)
        lost = time.process_time() - before
        self.begun = (self.begun if len(self.points) > 1 else before) + lost


def draw(points: list[Point], even: Point, share: float, title: str, path: Path) -> None:
    """Plot the win rate over CPU seconds, with 95 % intervals, and both baselines."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    seconds = [point.seconds for point in points]
    low, high = zip(*(point.interval() for point in points), strict=True)
    axes.fill_between(seconds, low, high, alpha=0.25)
    rates = [point.wins / point.games for point in points]
    axes.plot(seconds, rates, marker="o", label="MaskablePPO")
    axes.axhline(even.wins / even.games, color="grey", ls=":", label="uniform over legal actions")
    axes.axhline(share, color="black", ls="--", label="the policy in its place")
    axes.set(xlabel="CPU seconds of training", ylabel="games won", ylim=(0, 1), title=title)
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=120)


def main() -> None:
    """Train, print one line per measurement, plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", default="random")
    parser.add_argument("--rules", default="ledford")
    parser.add_argument("--accuse-from", type=float, default=0.1)
    parser.add_argument("--wrong-price", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=0, help=f"of training; + {TABLES}: measured")
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--points", type=int, default=5)
    parser.add_argument("--games", type=int, default=400, help="of each measurement")
    parser.add_argument("--even-games", type=int, default=400, help="of the uniform player")
    parser.add_argument("--picture", type=Path)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    options = {"accuse_from": asked.accuse_from, "wrong_price": asked.wrong_price}

    def table() -> OneAccusation:
        return OneAccusation(asked.against, asked.rules, **options)

    fresh = asked.seed + TABLES
    rng, measured = np.random.default_rng(asked.seed), table()
    thoughtless = count_wins(
        measured,
        lambda _, mask: int(rng.choice(np.flatnonzero(mask))),
        fresh,
        asked.even_games,
    )
    even = Point(0.0, 0, thoughtless, asked.even_games)
    print("uniform over legal actions:", even.describe(), flush=True)

    def draw_points(points: list[Point]) -> None:
        if asked.picture:  # each time, so that a stopped run leaves its plot
            share = 1.0 / measured.table.rules.players
            title = f"MaskablePPO against {asked.against}, rules {asked.rules}"
            draw(points, even, share, title, asked.picture)

    curve = Curve(measured, asked.seconds, asked.points, fresh, asked.games, draw_points)
    model = MaskablePPO(
        "MlpPolicy",
        make_vec_env(table, TABLES, seed=asked.seed),
        n_steps=256,
        batch_size=512,
        n_epochs=4,
        learning_rate=1e-3,
        gamma=0.995,
        ent_coef=0.005,
        policy_kwargs={"net_arch": [64, 64]},
        seed=asked.seed,
        device="cpu",
    )
    model.learn(100_000_000, callback=curve)


if __name__ == "__main__":
    main()
