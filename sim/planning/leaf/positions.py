"""Positions of games with how they ended, to fit a win model to.

Recorded are what a leaf may be: the own decisions and the beginnings of the others' turns.  Each is
kept with a probability, since positions of one game are much alike; which ones, and the games,
follow from the seed.  Some are also played on again and again, as roll-outs would.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.rng import derive_key, draw, new_stream, uniform
from sim.arena import Memory, act
from sim.chance import game_key
from sim.game import advance, apply, new_game
from sim.planning.leaf.features import KEPT, describe, size
from sim.policies import greedy
from sim.policies.table import Policy, seat_policies
from sim.rules import Rules, world
from sim.state import END, OVER, SUGGEST, TURN, State, World, empty

ROLLOUTS = 20
"""Times that a position is played on."""

UNPLAYED = -1.0
"""Share of roll-outs won where none was played."""

_MOST_ROWS = 4_000


class Positions(NamedTuple):
    """Positions as a seat that searches would have met them.

    Attributes
    ----------
    game : int64 (n,) number of the game
    inputs : (n, features) of `sim.planning.leaf.features`
    rolled : (n,) share of `ROLLOUTS` that the seat won from there, or `UNPLAYED`
    won : (n,) 1.0 where the seat won, else 0.0
    """

    game: np.ndarray
    inputs: np.ndarray
    rolled: np.ndarray
    won: np.ndarray


@jit
def is_leaf(s: State, seat: int) -> bool:
    """Return whether a leaf of ``seat`` may be like ``s``."""
    if s.out[seat]:
        return False
    if s.seat == seat:
        return s.phase in (TURN, SUGGEST, END)
    return s.phase == TURN


@jit
def play_on(world: World, s: State, copies: np.ndarray, seat: int, stream: np.ndarray) -> float:
    """Return the share of `ROLLOUTS` from ``s`` that ``seat`` wins; ``copies`` is scratch (1,).

    Consumes a draw for each.
    """
    won = 0
    for _ in range(ROLLOUTS):
        copies[0] = s
        copy = copies[0]
        copy.key = draw(stream)
        copy.recording = 0
        copy.events = 0
        advance(world, copy)
        won += copy.winner == seat
    return won / ROLLOUTS


@jit
def _record(
    world: World,
    s: State,
    work: tuple,
    sample: tuple,
    seat: int,
    shares: tuple[float, float],
    stream: np.ndarray,
    copies: np.ndarray,
    rows: np.ndarray,
    rolled: np.ndarray,
    used: int,
) -> tuple[int, bool]:
    """Play to the end, writing features into ``rows[used:]``; return how many are in use.

    Also returns False if ``work`` is too small: then it can be called again with the same state.
    """
    while s.phase != OVER:
        if is_leaf(s, seat) and used < len(rows) and uniform(stream) < shares[0]:
            describe(world, s, seat, rows[used])
            rolled[used] = UNPLAYED
            if uniform(stream) < shares[1]:
                rolled[used] = play_on(world, s, copies, seat, stream)
            used += 1
        action = act(world, s, work, sample)
        if action == greedy.UNSOLVED:
            return used, False
        apply(world, s, action)
    return used, True


def record_positions(
    rules: Rules,
    own: Policy,
    model: Policy,
    seed: int,
    games: Sequence[int],
    share: float,
    rolled_share: float = 0.0,
) -> Positions:
    """Return positions of ``own`` in ``games`` of ``seed`` against ``model`` alone.

    It sits in each seat in turn; ``share`` of the positions are kept, and ``rolled_share`` of those
    played on, unless a greedy player sits there, which roll-outs do not know.

    belief.evidence.EvidenceFull if the posterior of a greedy player does not fit into memory.
    """
    board, states, memory = world(rules)[0], empty(), Memory([own, model])
    copies = empty().view(np.ndarray)
    rows, rolled = np.empty((_MOST_ROWS, size(rules.players))), np.empty(_MOST_ROWS)
    shares = share, 0.0 if "greedy" in (own.name, model.name) else rolled_share
    numbers, inputs, found, won = [], [], [], []
    for game in games:
        seat = game % rules.players
        seats = [model] * rules.players
        seats[seat] = own
        state = states[0]
        seat_policies(state, seats)
        state.tracks[seat] |= KEPT
        new_game(board, state, np.uint64(game_key(seed, game)))
        stream = new_stream(derive_key(seed, game, 1))
        used, over = 0, False
        while not over:
            used, over = _record(
                board,
                state,
                memory.work,
                memory.sample,
                seat,
                shares,
                stream,
                copies,
                rows,
                rolled,
                used,
            )
            if not over:
                memory.grow()
        numbers.append(np.full(used, game))
        inputs.append(rows[:used].copy())
        found.append(rolled[:used].copy())
        won.append(np.full(used, float(state.winner == seat)))
    return Positions(*map(np.concatenate, (numbers, inputs, found, won)))
