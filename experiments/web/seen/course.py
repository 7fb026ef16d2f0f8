"""The course of a finished game: the bits each seat had left, and how often it would have won.

For spectators of games that are over, or in which nobody sits: the chance of winning is counted in
games that are played on from the true state, dice and choices drawn anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from experiments.matches.details import EnvelopeEntropies
from mcts.kernel.rng import fold
from sim.game import advance
from sim.policies.table import SLOW, Policy, seat_policy
from sim.records.record import Record
from sim.records.replay import states
from sim.rules import Rules, world
from sim.state import EVIDENCE, EXTERNAL, OVER, TURN, empty

FIRST_LINE = 2
"""Of the events in a record; the header is line 1."""

STAND_IN = Policy("swift")
"""Plays on for whoever is no fast compiled policy."""


@dataclass(frozen=True)
class Turn:
    """What stood at the end of a turn; turn 0 is the deal.

    Attributes
    ----------
    turn, line : its number, and the line of the record that it ends with
    bits : by seat, entropy of the envelope under the exact posterior; None: no room for it
    chance : by seat, share of games won when played on; the rest nobody won
    """

    turn: int
    line: int
    bits: tuple[float | None, ...]
    chance: tuple[float, ...]


def course(record: Record, games: int = 100, key: int = 1) -> Iterator[Turn]:
    """Yield the turns of ``record``, each played on ``games`` times with chance named by ``key``.

    Raises
    ------
    sim.records.record.RecordError
        As `sim.records.replay.states`.
    """
    rules, entropies, line = record.rules, EnvelopeEntropies(), FIRST_LINE - 1
    for events, state in states(record):
        line += len(events)
        now = state[0]
        if now.phase not in (TURN, OVER):
            continue
        seats = range(rules.players)
        bits = tuple(entropies.of(now.evidence[seat]) for seat in seats)
        turn = int(now.turn) - int(now.phase != OVER)
        chance = _chances(rules, state, games, int(fold(np.uint64(key), turn)))
        yield Turn(turn, line, bits, chance)


def _chances(rules: Rules, state: np.recarray, games: int, key: int) -> tuple[float, ...]:
    """Return by seat how many of ``games`` it wins from ``state`` on."""
    root = state.copy()
    for seat in range(rules.players):
        if root[0].policy[seat] == EXTERNAL or root[0].policy[seat] >= SLOW:
            seat_policy(root[0], seat, STAND_IN)
            root[0].tracks[seat] |= EVIDENCE
        root[0].showing[seat] = max(root[0].showing[seat], 0)
    won, board, states = np.zeros(rules.players), world(rules)[0], empty()
    for game in range(games):
        states[0] = root[0]
        played = states[0]
        played.key, played.recording, played.events = fold(np.uint64(key), game), 0, 0
        advance(board, played)
        if played.winner >= 0:
            won[played.winner] += 1
    return tuple((won / games).tolist())
