"""Games to learn from: one player tries rooms out, and its choices are kept with how games ended.

The player goes to the room that it can suggest in soonest, of those that may be the hidden one,
and in a share of its turns to any room.  It suggests and accuses as the players that learn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from experiments import study
from mcts.kernel.rng import below, derive_key, new_stream, uniform
from sim.board import N_ROOMS
from sim.players.fitted import ObservingPlayer
from sim.players.player import PolicyPlayer
from sim.qlearning.turns import GAME_SIZE, OF_ROOM, SIZE
from sim.referee import play
from sim.rules import Rules

PORTION = 50
"""Games of a unit."""

ROWS = study.Rows(
    file="games.parquet",
    units="portions of games",
    schema={
        "game": pl.Int64,
        "inputs": pl.Binary,  # float32 (9, inputs), in the order of memory
        "room": pl.Int64,  # that was gone to
        "barred": pl.Int64,  # room that was no choice, -1: none
        "last": pl.Boolean,  # of the player's choices in the game
        "won": pl.Boolean,
    },
    more=(),
)
"""One row a choice, in the order of games and of their turns."""

_CHANCE = GAME_SIZE + OF_ROOM.index("chance that it is the hidden one")
_TURNS = GAME_SIZE + OF_ROOM.index("expected turns until a suggestion there, this one included")


class Explorer(ObservingPlayer):
    """The player that tries rooms out.

    Attributes
    ----------
    chosen : (inputs, room, barred) of each choice in the game
    """

    def __init__(self, evidence: str, threshold: float, explore: float) -> None:
        super().__init__(evidence, threshold, "explorer")
        self._explore = explore

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        super().begin(rules, seat, view, key)
        self.chosen: list[tuple[np.ndarray, int, int]] = []
        self._stream = new_stream(derive_key(key, 1))

    def choose(self, s: np.record, barred: int) -> int:
        inputs = self.inputs()
        if uniform(self._stream) < self._explore:
            rooms = [room for room in range(N_ROOMS) if room != barred]
            room = rooms[below(self._stream, len(rooms))]
        else:
            far = inputs[:, _TURNS] + np.where(inputs[:, _CHANCE] > 0, 0, 100)
            if barred >= 0:
                far[barred] = np.inf
            room = int(far.argmin())
        self.chosen.append((inputs, room, barred))
        return room


def portion(
    number: int, rules: Rules, opponents: Sequence[str], explorer: Explorer, seed: int, games: int
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one portion of so many ``games`` of the run ``seed``.

    The seat of the explorer and the kind of its opponents go round.
    """
    for game in range(PORTION * number, min(PORTION * (number + 1), games)):
        seat = game % rules.players
        kind = opponents[game // rules.players % len(opponents)]
        seats = [explorer if at == seat else PolicyPlayer(kind) for at in range(rules.players)]
        won = play(rules, seats, seed, game).winner == seat
        for step, (inputs, room, barred) in enumerate(explorer.chosen, 1):
            yield {
                "game": game,
                "inputs": inputs.astype(np.float32).tobytes(),
                "room": room,
                "barred": barred,
                "last": step == len(explorer.chosen),
                "won": won,
            }


def inputs_of(rows: pl.DataFrame) -> np.ndarray:
    """Return the inputs (n, 9, inputs) of all rows."""
    whole = b"".join(rows["inputs"])
    return np.frombuffer(whole, np.float32).reshape(-1, N_ROOMS, SIZE).astype(float)
