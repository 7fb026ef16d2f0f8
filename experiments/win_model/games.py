"""Games to learn from: positions as a leaf of the search may be, and whether the seat won.

Of a compiled policy they are games of the arena; of a planner, games under the referee, in which
the opponents' knowledge is that of the true deal and the planner's is replayed from what it saw.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from experiments import study
from mcts.kernel.rng import derive_key, new_stream, uniform
from sim.planning.leaf.features import KEPT, describe, size
from sim.planning.leaf.positions import UNPLAYED, Positions, is_leaf, play_on, record_positions
from sim.planning.planner import Planner
from sim.player import Player, PolicyPlayer
from sim.policies.table import Policy, seat_policy
from sim.referee import play
from sim.rules import Rules, world
from sim.state import empty
from sim.view import as_seen, replay_evidence

PORTION = 20
"""Games of a unit."""

ROWS = study.Rows(
    file="positions.parquet",
    units="portions of games",
    schema={
        "game": pl.Int64,
        "inputs": pl.Binary,  # float64, in the order of `sim.planning.leaf.features`
        "rolled": pl.Float64,  # share of the roll-outs that won, -1: none were played
        "won": pl.Float64,
    },
    more=("network", "start", "bins", "most"),
)
"""One row a position."""


def portion(
    player: Policy | Planner,
    opponent: Policy,
    rules: Rules,
    seed: int,
    games: range,
    shares: tuple[float, float],
    held_out: int,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of ``games`` of the run ``seed``.

    Parameters
    ----------
    shares : of the positions that are kept, and of those that are rolled out in held-out games
    held_out : every so many-th game is held out
    """
    for game in games:
        mine = shares if game % held_out == 0 else (shares[0], 0.0)
        if isinstance(player, Policy):
            found = record_positions(rules, player, opponent, seed, [game], *mine)
        else:
            found = search_positions(rules, player, opponent, seed, game, *mine)
        for inputs, rolled, won in zip(found.inputs, found.rolled, found.won, strict=True):
            yield {"game": game, "inputs": inputs.tobytes(), "rolled": rolled, "won": won}


def search_positions(
    rules: Rules,
    planner: Planner,
    opponent: Policy,
    seed: int,
    game: int,
    share: float,
    rolled_share: float,
) -> Positions:
    """Return positions of ``planner`` in one ``game`` against ``opponent`` alone."""
    seat, board = game % rules.players, world(rules)[0]
    seats: list[Player] = [PolicyPlayer(opponent) for _ in range(rules.players)]
    seats[seat] = planner
    stream = new_stream(int(derive_key(seed, game, 1)))
    rows, rolled = [], []
    copies = empty().view(np.ndarray)

    def watch(state: np.record, action: int) -> None:
        if action < 0 or not is_leaf(state, seat) or uniform(stream) >= share:
            return
        copy = empty()
        copy[0] = state
        policy = planner.rollout_policy
        seat_policy(copy[0], seat, policy)
        copy[0].tracks[seat] |= KEPT
        recent = [as_seen(tuple(event), seat) for event in state.event[: state.events].tolist()]
        seen = planner.seen.copy()
        for event in recent:
            seen = np.append(seen, np.array([event], seen.dtype)).view(np.recarray)
        replay_evidence(board, copy[0], seat, seen)
        inputs = np.empty(size(rules.players))
        describe(board, copy[0], seat, inputs)
        rows.append(inputs)
        rolled.append(UNPLAYED)
        if uniform(stream) < rolled_share and opponent.name != "greedy":
            rolled[-1] = play_on(board, copy[0], copies, seat, stream)

    won = play(rules, seats, seed, game, watch).winner == seat
    count = len(rows)
    return Positions(
        np.full(count, game),
        np.array(rows).reshape(count, size(rules.players)),
        np.array(rolled),
        np.full(count, float(won)),
    )


def positions_of(rows: pl.DataFrame) -> Positions:
    """Return the positions of all ``rows``."""
    whole = np.frombuffer(b"".join(rows["inputs"])).reshape(rows.height, -1)
    return Positions(
        rows["game"].to_numpy(), whole, rows["rolled"].to_numpy(), rows["won"].to_numpy()
    )
