"""Speed of games among compiled policies, and the breakdown of the time of a swift game.

    python -m benchmarks.bench_arena [--repeats 5]

* policies: games of four of a kind on one core, with a fixed loop of random draws as control;
* shares: the actions of swift games are recorded; replaying them without knowledge gives the time
  of the rules, with the knowledge and the marginals before every decision that of the belief, and
  the rest of the whole game is the choice.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # when called as a script

from benchmarks.timing import control_nanoseconds, measure, show, show_load  # noqa: E402
from mcts.kernel.compile import jit  # noqa: E402
from sim.arena import Memory, act, play_many  # noqa: E402
from sim.chance import game_key  # noqa: E402
from sim.game import apply, new_game  # noqa: E402
from sim.policies import swift  # noqa: E402
from sim.policies.registry import NAMES, seat_policies  # noqa: E402
from sim.rules import Rules, world  # noqa: E402
from sim.state import OVER, SHOW, empty  # noqa: E402

GAMES = {"greedy": 60}
MOST_GAMES = 2_000
MOST_ACTIONS = 1_000_000


def policies(repeats: int) -> None:
    """Time games of four players of each policy."""
    per_draw = control_nanoseconds(repeats)
    for name in NAMES:
        games = np.arange(GAMES.get(name, MOST_GAMES))
        cpu, wall = measure(lambda name=name, games=games: _play(name, games), repeats)
        turns = _play(name, games).turns.mean()
        micro = 1e6 * cpu / len(games)
        show(
            f"four-{name} games",
            f"{1e6 / micro:,.0f} /s CPU, {len(games) / wall:,.0f} wall",
            f"{turns:.0f} turns, {1e3 * micro / turns:,.0f} ns a turn; "
            f"control: {per_draw:.2f} ns a draw, a game is {1e3 * micro / per_draw:,.0f} draws",
        )


def _play(name, games):
    return play_many(Rules(), [name] * 4, 0, games)


@jit
def _record(world, states, work, sample, games, actions) -> int:
    """Play ``games`` games and write all their actions, each game's ending with -1."""
    rules, s = world[0], states[0]
    n = 0
    for game in range(games):
        new_game(rules, s, game_key(0, game))
        while s.phase != OVER:
            actions[n] = act(rules, s, work, sample)
            apply(rules, s, actions[n])
            n += 1
        actions[n] = -1
        n += 1
    return n


@jit
def _again(world, states, actions, refreshing: bool) -> int:
    """Apply the recorded ``actions``; with ``refreshing``, compute marginals before decisions."""
    rules, s = world[0], states[0]
    game = 0
    new_game(rules, s, game_key(0, game))
    for action in actions:
        if action < 0:
            game += 1
            new_game(rules, s, game_key(0, game))
            continue
        if refreshing and s.phase != SHOW:
            swift.refresh(rules, s, s.seat)
        apply(rules, s, action)
    return game


def shares(repeats: int) -> None:
    """Split the time of a swift game into rules, belief and choice."""
    board, states, memory = world(Rules()), empty(), Memory(["swift"] * 4)
    seat_policies(states[0], ["swift"] * 4)
    actions = np.empty(MOST_ACTIONS, np.int64)
    games = MOST_GAMES
    n = _record(board, states, memory.work, memory.sample, games, actions)
    bare = empty()
    bare[0].policy[:] = states[0].policy
    whole = measure(lambda: _play("swift", np.arange(games)), repeats)[0]
    rules = measure(lambda: _again(board, bare, actions[:n], False), repeats)[0]
    knowing = measure(lambda: _again(board, states, actions[:n], True), repeats)[0]
    show(
        "a swift game",
        f"{1e6 * whole / games:.1f} us CPU",
        f"rules {rules / whole:.0%}, belief {(knowing - rules) / whole:.0%}, "
        f"choice {(whole - knowing) / whole:.0%}",
    )


def main() -> None:
    """Measure and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    show_load()
    policies(repeats)
    shares(repeats)


if __name__ == "__main__":
    main()
