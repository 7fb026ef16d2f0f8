"""A late position with its exact values, to put to any player.

The rules have no board: a turn is any room and a suggestion there, or an accusation instead.  The
other players have accused wrongly, so they only answer, and ``turn_cap`` leaves the seat a few
turns.  What is left is a decision problem of one seat, whose values are exact
(`sim.endgame.solver`); what a choice loses against the best one is its regret.
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
    """A solved decision of the only seat that still has turns.

    Values are probabilities of winning for that seat, under best play from there on.

    Attributes
    ----------
    rules : whose ``turn_cap`` ends the game after the last own turn
    seat : who decides
    view : (1,) what it sees (`sim.view.view_of`), at the start of its turn, or in a room (`after`)
    events : the suggestions so far as it saw them, oldest first
    deals : int64 (n, 21) all deals that explain them: 0 envelope, p + 1 player p, -1 face up
    weights : (n,) their probabilities
    actions : int64 (m,) everything legal here, in order of number
    values : (m,) of each
    suggestions : (9 rooms, 36 pairs) value of spending this turn on each trio
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
        """The least cost of not choosing best: of a trio not as good, or of accusing now."""
        trios = self.suggestions.ravel()
        others = np.concatenate([trios, self.values[self.actions >= ACCUSE]])
        return float(self.best - others[others < self.best - _TIE].max())

    def regret(self, action: int) -> float:
        """Return what ``action`` loses against the best one; ValueError if it is not legal."""
        if action not in self.actions:
            raise ValueError(f"action {action} is not legal in this position")
        return float(self.best - self.values[self.actions == action][0])

    def after(self, move: int) -> Endgame:
        """Return the decision that follows a ``move`` into a room: which pair to suggest there."""
        if self.view[0].phase != TURN or not MOVE <= move < MOVE + N_ROOMS:
            raise ValueError(f"action {move} is no move at the start of a turn")
        view = self.view.copy()
        apply(world(self.rules)[0], view[0], move)
        values = self.suggestions[move - MOVE]
        return replace(self, view=view, actions=_legal(self.rules, view), values=values)

    def sit(self, player: Player, key: int) -> None:
        """Let ``player`` take the seat and hear all events; ``key`` names its chance."""
        player.begin(self.rules, self.seat, self.view.copy(), key)
        for event in self.events:
            player.see(event)

    def choice(self, player: Player, key: int) -> int:
        """Return what ``player`` does here, after it has sat down (`sit`).

        A compiled policy, which keeps no state, sees the events now and draws from ``key``.
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
    rules: Rules, seat: int, view: np.recarray, events: Sequence[Event], most: int
) -> Endgame | None:
    """Return the position of ``view`` with its values, or None if it has more than ``most`` deals.

    ContradictoryEvidence if no deal explains ``events``; ValueError if the position is of another
    kind: it is not the start of a turn of ``seat``, there is a board, or others have turns as well.
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
            "a position to solve is the start of an own turn, without a board, where accusations "
            "are made"
        )
    if not all(seen.out[other] for other in range(rules.players) if other != seat):
        raise ValueError("in a position to solve no other player has turns left")
    cards = int(seen.hand[seat]), int(seen.face_up)
    deals = list_deals(rules.hand_sizes, seat, *cards, events, most)
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
    """Return the legal actions of ``view``, in order of number."""
    out = np.empty(N_ACTIONS, np.int64)
    return out[: legal(world(rules)[0], view[0], out)].copy()
