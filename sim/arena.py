"""The arena: games among compiled policies, tens of thousands a second on one core.

It is the state machine of `sim.game` with no seat that anybody outside must decide for; a game here
and the same game under `sim.referee` have the same moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcts.kernel.compile import jit
from sim.chance import game_key
from sim.game import advance, new_game
from sim.policies.table import READS_MATRIX, number
from sim.rules import Rules, world
from sim.state import EXTERNAL, empty


@dataclass(frozen=True)
class ArenaResult:
    """Results of ``n`` games, arrays by game.

    Attributes
    ----------
    winner : (n,) seat, or -1 for a draw
    turns : (n,) turns begun, all players together
    suggestions : (n, players) suggestions made by each seat
    out : (n, players) True where the seat accused wrongly
    """

    winner: np.ndarray
    turns: np.ndarray
    suggestions: np.ndarray
    out: np.ndarray


@jit
def _play(
    world: np.recarray,
    states: np.recarray,
    seed: int,
    games: np.ndarray,
    winner: np.ndarray,
    turns: np.ndarray,
    suggestions: np.ndarray,
    out: np.ndarray,
) -> None:
    rules, s = world[0], states[0]
    for i in range(len(games)):
        new_game(rules, s, game_key(seed, games[i]))
        advance(rules, s)
        winner[i] = s.winner
        turns[i] = s.turn
        for seat in range(rules.players):
            suggestions[i, seat] = s.suggestions[seat]
            out[i, seat] = s.out[seat] == 1


def seat_policies(state: np.record, policies: Sequence[str | None]) -> None:
    """Put compiled ``policies``, by seat, into the seats of ``state``; None leaves one external."""
    for seat, name in enumerate(policies):
        state.policy[seat] = EXTERNAL if name is None else number(name)
        state.tracks[seat] = 0 if name is None else READS_MATRIX[number(name)]


def play_many(rules: Rules, policies: Sequence[str], seed: int, games: np.ndarray) -> ArenaResult:
    """Play the games numbered ``games`` of run ``seed`` among ``policies`` (one a seat).

    Raises
    ------
    ValueError
        If there is not one policy a seat, or one is unknown.
    """
    if len(policies) != rules.players:
        raise ValueError(f"{rules.players} seats need as many policies, got {len(policies)}")
    states = empty()
    seat_policies(states[0], policies)
    games = np.ascontiguousarray(games, np.int64)
    n, players = len(games), rules.players
    result = ArenaResult(
        winner=np.empty(n, np.int64),
        turns=np.empty(n, np.int64),
        suggestions=np.empty((n, players), np.int64),
        out=np.empty((n, players), np.bool_),
    )
    _play(
        world(rules),
        states,
        seed,
        games,
        result.winner,
        result.turns,
        result.suggestions,
        result.out,
    )
    return result
