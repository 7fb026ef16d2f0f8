"""When to accuse: a rule learnt from games of the arena, by optimal stopping.

Whether the own seat accuses changes nothing before it does: the others neither see its belief nor
answer otherwise.  So one set of games in which it waits shows what every rule would have come to.
Each own turn of such a game is a row: the probability of its best guess, whether that was right,
the round, how many were out, and how near the others were (the likeliest envelope of the public
view).  A rule accuses in the first row in which the probability reaches its bar, and wins if it was
right there; a game that somebody else ends first is lost.  The bar is linear in the three others
(`sim.policies.hide`), and its four numbers are those that win most, found by differential evolution
[Storn & Price 1997] over the same rows.  What was learnt belongs to the opponents that it was
learnt against, and is reported on other games.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import differential_evolution

from belief.evidence import count
from belief.public import surest
from mcts.kernel.compile import jit
from sim.arena import Memory, act
from sim.chance import game_key
from sim.game import apply, new_game
from sim.policies import greedy, hide, swift
from sim.policies.table import TIMING, Policy, seat_policies
from sim.rules import Rules, world
from sim.state import OVER, SHOW, SUGGEST, State, World, empty

CERTAIN = 1.0 - 1e-6
"""A seat that waits accuses from this probability on: one that waits for proof alone would not fit
its belief to the sizes of hands."""

GAMES = 8_000
SEED = 5_001
"""Of the games that rules are learnt from; nothing is reported on it."""

_BOUNDS = ((0.05, 0.99), (-0.06, 0.06), (-0.25, 0.25), (-1.0, 1.0))
_MOST_ROWS = 4_000


class Turns(NamedTuple):
    """What one seat could have accused on, a row for each of its turns, by game and in order.

    Attributes
    ----------
    game : (n,) number of the game
    chance : (n,) probability of the best guess, by the belief of the seat
    right : (n,) 1.0 where it was the envelope
    round, out, near : (n,) rounds so far, opponents out, probability of the likeliest envelope in
        the public view
    alone : (n,) True where nobody else played
    games : how many games there were
    """

    game: np.ndarray
    chance: np.ndarray
    right: np.ndarray
    round: np.ndarray
    out: np.ndarray
    near: np.ndarray
    alone: np.ndarray
    games: int


@jit
def _watch(
    world: World, s: State, work: tuple, sample: tuple, seat: int, rows: np.ndarray, used: int
) -> tuple[int, bool]:
    """Play to the end, writing (chance, right, round, out, near) into ``rows[used:]``.

    Returns how many rows are in use, and False if ``work`` is too small: then it can be called
    again with the same state.
    """
    while s.phase != OVER:
        if s.seat == seat and s.phase != SHOW and s.phase != SUGGEST and used < len(rows):
            swift.refresh(world, s, seat)
            found, chance = swift.best_guess(s)
            row = rows[used]
            row[0] = chance
            row[1] = 1.0 if found == s.envelope else 0.0
            row[2] = s.turn // world.players
            row[3] = world.players - 1 - count(hide.still_playing(world, s, seat))
            row[4] = surest(s.public)
            used += 1
        action = act(world, s, work, sample)
        if action == greedy.UNSOLVED:
            return used, False
        apply(world, s, action)
    return used, True


def watched(rules: Rules, own: Policy, model: Policy, seed: int, games: int) -> Turns:
    """Return the turns of ``own``, a ``hide`` that waits, in games against ``model`` alone.

    It sits in each seat in turn.

    Raises
    ------
    ValueError
        If ``own`` is another policy.
    belief.evidence.EvidenceFull
        If the posterior of a greedy player does not fit into memory.
    """
    if own.name != "hide":
        raise ValueError(f"hide alone can learn when to accuse, not {own.name}")
    patient = replace(own, threshold=CERTAIN, **dict.fromkeys(TIMING, 0.0))
    board, states, memory = world(rules)[0], empty(), Memory([model])
    rows, parts = np.empty((_MOST_ROWS, 5)), []
    for game in range(games):
        seat = game % rules.players
        seats = [model] * rules.players
        seats[seat] = patient
        seat_policies(states[0], seats)
        new_game(board, states[0], np.uint64(game_key(seed, game)))
        used, over = 0, False
        while not over:
            used, over = _watch(board, states[0], memory.work, memory.sample, seat, rows, used)
            if not over:
                memory.grow()
        parts.append(np.column_stack([np.full(used, game), rows[:used]]))
    columns = np.concatenate(parts).T
    alone = columns[4] == rules.players - 1
    return Turns(columns[0].astype(np.int64), *columns[1:], alone=alone, games=games)


def share_won(turns: Turns, rule: np.ndarray) -> float:
    """Return the share of games that are won by accusing as ``rule`` says.

    ``rule`` is (4,): the bar in round 0 with nobody out, and what it gains by round, by each
    opponent out and by the public probability.  From 1 on, and alone, it waits until it is certain.
    """
    bar = rule[0] + rule[1] * turns.round + rule[2] * turns.out + rule[3] * turns.near
    bar = np.where(turns.alone, CERTAIN, np.minimum(bar, CERTAIN))
    reached = np.flatnonzero(turns.chance >= bar)
    game = turns.game[reached]
    first = np.ones(len(game), bool)
    first[1:] = game[1:] != game[:-1]
    return float(turns.right[reached[first]].sum()) / turns.games


def best_rule(turns: Turns, seed: int = 1) -> np.ndarray:
    """Return the rule (4,) that wins most of the games of ``turns``, rounded to a thousandth."""
    found = differential_evolution(
        lambda rule: -share_won(turns, rule),
        _BOUNDS,
        maxiter=30,
        popsize=12,
        tol=0.0,
        polish=False,
        seed=np.random.default_rng(seed),
    )
    return np.round(found.x, 3)


@cache
def timed(rules: Rules, own: Policy, model: Policy, seed: int = SEED, games: int = GAMES) -> Policy:
    """Return ``own`` with the threshold and timing that win most games against ``model`` alone.

    Raises
    ------
    ValueError, belief.evidence.EvidenceFull
        As `watched`.
    """
    rule = best_rule(watched(rules, own, model, seed, games))
    return replace(own, threshold=rule[0], **dict(zip(TIMING, rule[1:].tolist(), strict=True)))
