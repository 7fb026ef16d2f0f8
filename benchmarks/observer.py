"""A compiled policy that keeps a belief over the others' policies while it plays.

It calibrates that belief: games of known line-ups, without the cost of a search.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belief.exact import solver
from mcts.kernel.rng import derive_key, fold, new_stream
from sim.models.opponent_belief import DEALS, OpponentBelief
from sim.models.types import Mixture
from sim.player import Player
from sim.policies.registry import Policy, choose, seat_policy
from sim.rules import Rules, world
from sim.state import EVIDENCE, TURN
from sim.view import Log, replay_evidence


class Note(NamedTuple):
    """Decisions of the types in the turns before one own turn.

    ``turn`` is that of the observer, ``seats`` (n,) who moved, ``hits`` and ``tries`` (n, `KINDS`,
    types) as `OpponentBelief.shares` returns them.
    """

    turn: int
    seats: np.ndarray
    hits: np.ndarray
    tries: np.ndarray


class Observer(Player):
    """Plays ``policy``, and records its observations of the others.

    Attributes
    ----------
    belief : that of the current game
    notes : of the current game, a `Note` for each own turn
    """

    def __init__(self, plays: Policy, mixture: Mixture, deals: int = DEALS) -> None:
        super().__init__("observer")
        self._plays, self._mixture, self._deals = plays, mixture, deals
        self._work = solver.workspace()

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        """Take ``seat`` in a new game."""
        self._rules, self._seat, self._key, self._log = rules, seat, key, Log()
        self.belief = OpponentBelief(rules, seat, self._mixture, int(derive_key(key, 1)))
        self.notes: list[Note] = []

    def see(self, event: tuple[int, int, int, int]) -> None:
        """Add a suggestion to the log."""
        self._log.append(event)

    def decide(self, view: np.recarray) -> int:
        """Return the policy's action; at the start of a turn, record the others' moves."""
        board, seat = world(self._rules)[0], self._seat
        state = view.copy()[0]
        seat_policy(state, seat, self._plays)
        state.tracks[seat] |= EVIDENCE
        replay_evidence(board, state, seat, self._log.events)
        if state.phase == TURN:
            self._look(view, state.evidence[seat])
        state.key = fold(np.uint64(self._key), 4 * int(state.turn) + int(state.phase))
        state.stream[0] = state.key
        return int(choose(board, state, seat))

    def _look(self, view: np.recarray, facts: np.record) -> None:
        observed = self.belief.turns(view, self._log.events)
        if not len(observed):
            return
        exact = solver.ExactPosterior(facts, self._work)
        deals = exact.sample(new_stream(derive_key(self._key, int(view[0].turn))), self._deals)
        seen = (view[0], observed, self._log.events, deals)
        note = Note(int(view[0].turn), observed.seat.copy(), *self.belief.shares(*seen))
        self.notes.append(note)
        self.belief.take_in(note.seats, note.hits, note.tries)
