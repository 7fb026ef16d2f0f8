"""Accusation rules learnt from arena games, by optimal stopping.

A decision to accuse changes nothing before it: opponents neither see the belief nor answer
differently.  So one set of games in which the own seat waits evaluates all rules.  Each own turn is
a row: probability of the best guess, whether it is right, and number of opponents out.  A rule
accuses in the first row whose probability reaches the bar, and wins if right; a game that an
opponent ends before is lost.  The bar is a threshold, which for ``hide`` changes per opponent out.
All bars of a grid are evaluated.  The result is specific to the opponents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from belief.evidence import count
from mcts.kernel.compile import jit
from sim.arena import Memory, act
from sim.chance import game_key
from sim.game import apply, new_game
from sim.policies import greedy, hide, swift
from sim.policies.common import may_accuse
from sim.policies.registry import Policy, seat_policies
from sim.rules import Rules, world
from sim.state import OVER, State, World, empty

CERTAIN = 1.0 - 1e-6
"""Threshold of a waiting seat; at 1 the belief would not be fitted to hand sizes."""

WATCHED = ("swift", "hide")
"""Policies that accuse by the recorded belief."""

THRESHOLDS = (1.0, *(round(0.98 - 0.02 * step, 2) for step in range(40)))
"""Thresholds to try, waiting for proof first."""

BY_OUT = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, -0.05, -0.1)
"""Changes of the threshold per opponent out to try, 0 first."""

_MOST_ROWS = 4_000


class Turns(NamedTuple):
    """Possible accusations of one seat, a row per own turn, in order of games.

    Attributes
    ----------
    game : (n,) int64, number of the game
    chance : (n,) probability of the best guess, by the seat's belief
    right : (n,) 1.0 if the guess is the envelope
    out : (n,) number of opponents out
    waits : (n,) True if the seat waits under every rule: ``hide``, alone
    games : number of games
    """

    game: np.ndarray
    chance: np.ndarray
    right: np.ndarray
    out: np.ndarray
    waits: np.ndarray
    games: int


@jit
def _watch(
    world: World, s: State, work: tuple, sample: tuple, seat: int, rows: np.ndarray, used: int
) -> tuple[int, bool]:
    """Play to the end, writing (chance, right, out) into ``rows[used:]``.

    Returns the number of used rows, and False if ``work`` is too small; it can then be called again
    with the same state.
    """
    while s.phase != OVER:
        if s.seat == seat and may_accuse(world, s) and used < len(rows):
            swift.refresh(world, s, seat)
            found, chance = swift.likeliest(s)
            row = rows[used]
            row[0] = chance
            row[1] = 1.0 if found == s.envelope else 0.0
            row[2] = world.players - 1 - count(hide.still_playing(world, s, seat))
            used += 1
        action = act(world, s, work, sample)
        if action == greedy.UNSOLVED:
            return used, False
        apply(world, s, action)
    return used, True


def collect_turns(
    rules: Rules, own: Policy, model: Policy, seed: int, games: Sequence[int]
) -> Turns:
    """Return the turns of waiting ``own`` in ``games`` against ``model``; its seat rotates.

    Raises ValueError if ``own`` is not in `WATCHED`, belief.evidence.EvidenceFull if the posterior
    of a greedy player does not fit into memory.
    """
    if own.name not in WATCHED:
        raise ValueError(f"{' and '.join(WATCHED)} alone can be watched, not {own.name}")
    patient = replace(own, threshold=CERTAIN)
    board, states, memory = world(rules)[0], empty(), Memory([model])
    rows, parts = np.empty((_MOST_ROWS, 3)), [np.empty((0, 4))]
    for game in games:
        seat = game % rules.players
        seats = [patient if other == seat else model for other in range(rules.players)]
        seat_policies(states[0], seats)
        new_game(board, states[0], np.uint64(game_key(seed, game)))
        used, over = 0, False
        while not over:
            used, over = _watch(board, states[0], memory.work, memory.sample, seat, rows, used)
            if not over:
                memory.grow()
        parts.append(np.column_stack([np.full(used, game), rows[:used]]))
    number, chance, right, out = np.concatenate(parts).T
    waits = (out == rules.players - 1) & (own.name == "hide")
    return Turns(number.astype(np.int64), chance, right, out, waits, len(games))


def join_turns(first: Turns, second: Turns) -> Turns:
    """Return the turns of two disjoint sets of games."""
    columns = (np.concatenate(both) for both in zip(first[:-1], second[:-1], strict=True))
    return Turns(*columns, games=first.games + second.games)


@jit
def _count_wins(
    game: np.ndarray,
    chance: np.ndarray,
    right: np.ndarray,
    out: np.ndarray,
    waits: np.ndarray,
    threshold: float,
    by_out: float,
) -> float:
    won, ended = 0.0, -1
    for row in range(len(game)):
        if game[row] == ended:
            continue
        bar = threshold if threshold >= 1.0 else threshold + by_out * out[row]
        if chance[row] >= (CERTAIN if waits[row] else min(bar, CERTAIN)):
            ended = game[row]
            won += right[row]
    return won


def share_won(turns: Turns, threshold: float, by_out: float = 0.0) -> float:
    """Return the share of games won by accusing at ``threshold``.

    The threshold changes by ``by_out`` per opponent out; 1 waits for certainty.
    """
    return _count_wins(*turns[:-1], threshold, by_out) / turns.games


def best_rule(turns: Turns, by_out: Sequence[float] = BY_OUT) -> tuple[float, float]:
    """Return the (threshold, change per opponent out) that wins the most games of ``turns``.

    Candidates are `THRESHOLDS` and ``by_out``; ties go to waiting, and to no change.
    """
    waiting = [(1.0, 0.0)]
    rules = waiting + [(bar, gain) for gain in by_out for bar in THRESHOLDS if bar < 1.0]
    return max(rules, key=lambda rule: share_won(turns, *rule))
