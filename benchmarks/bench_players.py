"""Speed of players that are called for each action: their decisions, and their games.

    python -m benchmarks.bench_players [--players bn bn+evidence=text bn+evidence=exact]

Each plays games under ``ferrari2009`` against two compiled policies, seats in rotation.  Decisions
are timed by the wall, games by the CPU, including the referee and the opponents.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # when called as a script

from benchmarks.timing import control_nanoseconds, show, show_load  # noqa: E402
from experiments.matches.lineups import read_players  # noqa: E402
from sim.player import Player, PolicyPlayer  # noqa: E402
from sim.players.registry import make  # noqa: E402
from sim.referee import play  # noqa: E402
from sim.rules import Rules, preset  # noqa: E402

SEED = 4242


def games(player: Player, rules: Rules, opponent: str, numbers: range) -> tuple[np.ndarray, float]:
    """Return the microseconds of all decisions in the games, and CPU seconds of the games."""
    decide, took = player.decide, []

    def decide_timed(view: np.recarray) -> int:
        begun = time.perf_counter()
        action = decide(view)
        took.append(1e6 * (time.perf_counter() - begun))
        return action

    player.decide = decide_timed
    others = [PolicyPlayer(opponent) for _ in range(rules.players - 1)]
    begun = time.process_time()
    for number in numbers:
        seat = number % rules.players
        play(rules, [*others[:seat], player, *others[seat:]], SEED, number)
    spent = time.process_time() - begun
    player.decide = decide
    return np.array(took), spent


def main() -> None:
    """Measure and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    listed = ["bn", "bn+evidence=text", "bn+evidence=exact", "hunter", "hunter+strategy=closed"]
    listed += ["hunter+evidence=exact"]
    parser.add_argument("--players", nargs="+", default=listed)
    parser.add_argument("--opponent", default="heuristic")
    parser.add_argument("--games", type=int, default=500)
    given = parser.parse_args()
    rules = preset("ferrari2009")
    show_load()
    per_draw = control_nanoseconds(3)
    for name, spec in read_players(given.players).items():
        player = make(spec, rules)
        games(player, rules, given.opponent, range(3))  # compiled, or loaded
        took, spent = games(player, rules, given.opponent, range(given.games))
        half, most = np.percentile(took, [50, 90])
        show(
            name,
            f"{given.games / spent:,.0f} games a CPU second",
            f"a decision {half:,.0f} us (median), {most:,.0f} (90 %); "
            f"{len(took) / given.games:.0f} a game; control: {per_draw:.2f} ns a draw",
        )


if __name__ == "__main__":
    main()
