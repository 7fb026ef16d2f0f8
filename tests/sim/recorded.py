"""Recorded games with their true final state, and one stored record that must replay.

The stored record changes only with deliberate changes of rules, random streams or record format.
Then regenerate it from the root of the repository, and give the reason in the commit::

    python -m tests.sim.recorded
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from mcts.kernel.rng import fold, new_stream
from sim.legal import legal
from sim.player import Player, PolicyPlayer
from sim.policies.registry import NAMES, Policy
from sim.records.record import Record, Recorder, read
from sim.referee import GameResult, play
from sim.rules import Rules, preset, world
from sim.state import ACCUSE, N_ACTIONS, REVEAL, empty

FILE = Path(__file__).parents[1] / "data" / "game.jsonl"
SEED, GAME = 11, 416
SHORT_SEED = 5


class Wanderer(Player):
    """Takes any legal action and shows any card; accuses once in fifty chances."""

    picks_cards = True

    def __init__(self) -> None:
        super().__init__("wanderer")
        self._options = np.empty(N_ACTIONS, np.int64)

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        self._board, self._key, self._draws = world(rules)[0], key, 0

    def decide(self, view: np.recarray) -> int:
        options = self._options[: legal(self._board, view[0], self._options)]
        accusing = (options >= ACCUSE) & (options < REVEAL)
        if (~accusing).any() and self._draw(50):
            options = options[~accusing]
        return int(options[self._draw(len(options))])

    def _draw(self, below: int) -> int:
        self._draws += 1
        stream = new_stream(int(fold(np.uint64(self._key), self._draws)))
        return int(stream[0] % np.uint64(below))


def players(names: Sequence[str | Policy]) -> list[Player]:
    """Return a player a name; ``wanderer`` is the one from outside."""
    return [Wanderer() if name == "wanderer" else PolicyPlayer(name) for name in names]


def write(
    rules: Rules, names: Sequence[str | Policy], seed: int, game: int
) -> tuple[str, GameResult, np.record]:
    """Play a game; return its record, its result and the true state at its end."""
    seats = players(names)
    recorder = Recorder(rules, seats, seed, game)
    end = empty()

    def watch(state: np.record, action: int) -> None:
        recorder(state, action)
        end[0] = state

    result = play(rules, seats, seed, game, watch)
    return recorder.text(), result, end[0]


@cache
def short_game(name: str, count: int, number: int) -> tuple[str, GameResult, np.record]:
    """Write down a short game with a wanderer and policies that differ from game to game."""
    others = [name for name in NAMES if name != "csp"]
    names = ["wanderer", Policy("swift", threshold=0.4), *others, Policy("csp", walk="adjacent")]
    seats = [names[(number + seat) % len(names)] for seat in range(count)]
    return write(preset(name, players=count, turn_cap=50), seats, SHORT_SEED, number)


def record_of(text: str | bytes, folder: Path) -> Record:
    """Write ``text`` to a file in ``folder`` and read it as a record."""
    path = folder / "game.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path)


def golden() -> str:
    """Play the game that is kept as data, and return its record."""
    seats = ["wanderer", Policy("swift", threshold=0.3), "heuristic", "random"]
    return write(preset("classic", turn_cap=40), seats, SEED, GAME)[0]


if __name__ == "__main__":
    FILE.write_text(golden())
    print(FILE)
