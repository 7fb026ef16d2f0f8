"""Turn by turn, the bits that each seat had left, and how often it would have won.

Of a game that is watched the bits follow from its events, as they are shown.  Of a recorded one
the chance of winning is counted as well, in games that are played on from the true state with new
dice and choices.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.matches.details import EnvelopeEntropies
from experiments.web.analysis.notebook import Knowledge, notebook
from mcts.kernel.rng import fold
from sim.game import advance
from sim.policies.table import SLOW, Policy, seat_policy
from sim.records.events import Event
from sim.records.record import Record
from sim.records.replay import states
from sim.rules import Rules, world
from sim.state import EVIDENCE, EXTERNAL, OVER, TURN, empty

FIRST_LINE = 2
"""Of the events in a record; the header is line 1."""

STAND_IN = Policy("swift")
"""Plays on for all that are no fast compiled policies."""

_INFORMATIVE = ("deal", "suggestion", "refute", "show")
"""Events after which a seat may know more."""

Bits = tuple[float | None, ...]
"""By seat, entropy of the envelope under the exact posterior; None: it does not fit in memory."""


@dataclass(frozen=True)
class Turn:
    """The end of a turn; turn 0 is the deal.

    Attributes
    ----------
    turn, line : its number, and the line of the record that it ends with
    bits : by seat
    chance : by seat, share of games won when played on; the rest had no winner
    """

    turn: int
    line: int
    bits: Bits
    chance: tuple[float, ...]


def timeline(record: Record, games: int = 100, key: int = 1) -> Iterator[Turn]:
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
        bits = tuple(entropies.of(now.evidence[seat]) for seat in range(rules.players))
        turn = int(now.turn) - int(now.phase != OVER)
        chance = _play_on(rules, state, games, int(fold(np.uint64(key), turn)))
        yield Turn(turn, line, bits, chance)


def _play_on(rules: Rules, state: np.recarray, games: int, key: int) -> tuple[float, ...]:
    """Return by seat the share of ``games`` that it wins from ``state`` on."""
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


class Entropies:
    """The bits of all seats of a game under way; turns that are over are computed once.

    Attributes
    ----------
    rules : of the game
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._turns: list[tuple[int, Bits]] = []
        self._at = 0
        self._working = threading.Lock()

    def turns(self, events: Sequence[Event]) -> list[tuple[int, Bits]]:
        """Return number and bits of the turns that are over, the deal first.

        Parameters
        ----------
        events : all that have been shown of the game; each time as many or more
        """
        with self._working:
            for end in range(self._at, len(events) - 1):
                if events[end]["turn"] < events[end + 1]["turn"]:
                    self._add(events[self._at : end + 1], events[: end + 1])
                    self._at = end + 1
            return list(self._turns)

    def _add(self, turn: Sequence[Event], events: Sequence[Event]) -> None:
        learnt = any(event["event"] in _INFORMATIVE for event in turn)
        bits = self._turns[-1][1] if self._turns and not learnt else self._bits(events)
        self._turns.append((turn[0]["turn"], bits))

    def _bits(self, events: Sequence[Event]) -> Bits:
        known = (Knowledge.of(self.rules, seat, events) for seat in range(self.rules.players))
        return tuple(notebook(one, chance=True)["bits"] for one in known)
