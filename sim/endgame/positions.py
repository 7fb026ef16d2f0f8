"""A late position with exact values, for any player.

The rules have no board: a turn is any room and a suggestion there, or an accusation.  The other
players have accused wrongly, so they only answer, and ``turn_cap`` leaves the seat a few turns.
This single-seat decision problem has exact values (`sim.endgame.solver`); the regret of a choice is
its loss against the best one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from belief.evidence import ContradictoryEvidence
from sim.arena import Memory
from sim.board import N_ROOMS
from sim.endgame.deals import Event, holders, likelihoods, list_deals
from sim.endgame.solver import Solver
from sim.game import apply
from sim.legal import legal
from sim.player import Player
from sim.policies.registry import seat_policy
from sim.rules import Rules, world
from sim.state import ACCUSE, MOVE, N_ACTIONS, TURN
from sim.view import Log, replay_evidence

_TIE = 1e-9


@dataclass(frozen=True)
class Endgame:
    """A solved decision of the only seat with turns left.

    Values are that seat's winning probabilities under optimal play.

    Attributes
    ----------
    rules : their ``turn_cap`` ends the game after the seat's last turn
    seat : the seat to move
    view : (1,) its view (`sim.view.view_of`) at the start of its turn, or in a room (`after`)
    events : the suggestions so far as the seat saw them, oldest first
    deals : int64 (n, 21) all consistent deals: 0 envelope, p + 1 player p, -1 face up
    weights : (n,) probabilities of the deals
    actions : int64 (m,) legal actions, ascending
    values : (m,) values of the actions
    suggestions : (9 rooms, 36 pairs) value of suggesting each trio this turn
    """

    rules: Rules
    seat: int
    view: np.recarray
    events: tuple[Event, ...]
    deals: np.ndarray
    weights: np.ndarray
    actions: np.ndarray
    values: np.ndarray
    suggestions: np.ndarray

    @property
    def best(self) -> float:
        """The value of the best action."""
        return float(self.values.max())

    @property
    def gap(self) -> float:
        """The smallest loss of a suboptimal trio or accusation."""
        trios = self.suggestions.ravel()
        others = np.concatenate([trios, self.values[self.actions >= ACCUSE]])
        return float(self.best - others[others < self.best - _TIE].max())

    def regret(self, action: int) -> float:
        """Return the loss of ``action`` against the best one; ValueError if it is illegal."""
        if action not in self.actions:
            raise ValueError(f"action {action} is not legal in this position")
        return float(self.best - self.values[self.actions == action][0])

    def after(self, move: int) -> Endgame:
        """Return the decision after a ``move`` into a room: which pair to suggest there."""
        if self.view[0].phase != TURN or not MOVE <= move < MOVE + N_ROOMS:
            raise ValueError(f"action {move} is no move at the start of a turn")
        view = self.view.copy()
        apply(world(self.rules)[0], view[0], move)
        values = self.suggestions[move - MOVE]
        return replace(self, view=view, actions=_legal(self.rules, view), values=values)

    def sit(self, player: Player, key: int) -> None:
        """Seat ``player`` and replay all events to it; ``key`` seeds its randomness."""
        player.begin(self.rules, self.seat, self.view.copy(), key)
        for event in self.events:
            player.see(event)

    def choice(self, player: Player, key: int) -> int:
        """Return the action of ``player`` here, after `sit`.

        A compiled policy, which keeps no state, replays the events now and draws from ``key``.
        """
        if player.policy is None:
            return int(player.decide(self.view.copy()))
        board, state = world(self.rules)[0], self.view.copy()[0]
        state.key = np.uint64(key)
        seat_policy(state, self.seat, player.policy)
        log = Log()
        for event in self.events:
            log.append(event)
        replay_evidence(board, state, self.seat, log.events)
        memory = Memory([player.policy])
        return memory.act(board, state)


def solve_position(
    rules: Rules, seat: int, view: np.recarray, events: Sequence[Event], max_deals: int
) -> Endgame | None:
    """Return the solved position of ``view``, or None for more than ``max_deals`` deals.

    Raises ContradictoryEvidence if no deal explains ``events``; ValueError unless the position is
    the start of a turn of ``seat``, without a board, with all other players out.
    """
    seen = view[0]
    if (
        rules.board
        or rules.accuse != "start"
        or rules.last_wins
        or seen.phase != TURN
        or seen.seat != seat
    ):
        raise ValueError(
            "a position to solve must be the start of an own turn, under rules without a board and "
            "with accusations at the start of a turn"
        )
    if not all(seen.out[other] for other in range(rules.players) if other != seat):
        raise ValueError("in a position to solve no other player has turns left")
    cards = int(seen.hand[seat]), int(seen.face_up)
    deals = list_deals(rules.hand_sizes, seat, *cards, events, max_deals)
    if deals is None:
        return None
    if not deals:
        raise ContradictoryEvidence("no deal explains the suggestions")
    weights = likelihoods(deals, seat, events)
    solver = Solver(seat, deals, weights)
    suggestions = solver.suggestions(rules.turn_cap - int(seen.turn) + 1)
    values = np.empty(N_ACTIONS)
    values[MOVE : MOVE + N_ROOMS] = suggestions.max(axis=1)
    accusations = solver.accusations()
    values[ACCUSE : ACCUSE + accusations.size] = accusations.T.ravel()
    actions = _legal(rules, view)
    return Endgame(
        rules=rules,
        seat=seat,
        view=view,
        events=tuple(events),
        deals=holders(deals),
        weights=np.array(weights) / sum(weights),
        actions=actions,
        values=values[actions],
        suggestions=suggestions,
    )


def _legal(rules: Rules, view: np.recarray) -> np.ndarray:
    """Return the legal actions of ``view``, ascending."""
    out = np.empty(N_ACTIONS, np.int64)
    return out[: legal(world(rules)[0], view[0], out)].copy()
