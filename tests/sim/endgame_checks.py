"""Independent checks of late positions: brute force over the table of deals, and real games.

The brute force reads the holders of cards, not the solver's masks, and shares no code with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from mcts.kernel.rng import fold
from sim.endgame.deals import Deal
from sim.endgame.positions import Endgame, solve_position
from sim.endgame.random_positions import MAX_DEALS
from sim.endgame.solver import PAIRS, answers
from sim.game import advance, apply
from sim.rules import world
from sim.state import ACCUSE, ASK, EXTERNAL, MOVE, OVER, empty
from sim.view import view_of

CATEGORIES = (range(6), range(6, 12), range(12, 21))


def table(one: Endgame, weights: np.ndarray) -> np.ndarray:
    """Return the envelopes' joint distribution, (6, 6, 9), for such weights of the deals."""
    joint = np.zeros((6, 6, 9))
    for deal, weight in zip(one.deals, weights, strict=True):
        suspect, weapon, room = np.flatnonzero(deal == 0)
        joint[suspect, weapon - 6, room - 12] += weight
    return joint


def outcomes(one: Endgame, deal: np.ndarray, cards: tuple[int, ...]) -> dict[tuple, float]:
    """Return the answers to a suggestion and their probabilities, from the table of holders."""
    for step in range(1, one.rules.players):
        player = (one.seat + step) % one.rules.players
        held = [card for card in cards if deal[card] == player + 1]
        if held:
            return {(player, card): 1 / len(held) for card in held}
    return {None: 1.0}


TRIOS = list(product(*CATEGORIES))


class BruteForce:
    """Expectimax with neither memory nor classes; weights need not add up to 1."""

    def __init__(self, one: Endgame) -> None:
        self.envelope = [tuple(np.flatnonzero(deal == 0).tolist()) for deal in one.deals]
        self.outcomes = [
            [list(outcomes(one, deal, cards).items()) for deal in one.deals] for cards in TRIOS
        ]

    def value(self, weights: dict[int, float], turns: int) -> float:
        """Return the value of ``weights`` by deal; one deal that is left is won."""
        if turns == 0:
            return 0.0
        if len(weights) == 1:
            return sum(weights.values())
        chance: dict[tuple, float] = {}
        for deal, weight in weights.items():
            chance[self.envelope[deal]] = chance.get(self.envelope[deal], 0.0) + weight
        best = max(chance.values())
        if turns > 1:
            for suggestion in range(len(TRIOS)):
                best = max(best, self.suggestion(weights, suggestion, turns))
        return best

    def suggestion(self, weights: dict[int, float], suggestion: int, turns: int) -> float:
        """Return the value of making the ``suggestion``-th of `TRIOS` now."""
        split: dict[tuple, dict[int, float]] = {}
        for deal, weight in weights.items():
            for answer, share in self.outcomes[suggestion][deal]:
                split.setdefault(answer, {})[deal] = weight * share
        return sum(self.value(part, turns - 1) for part in split.values())

    def suggestions(self, one: Endgame, turns: int) -> np.ndarray:
        """Return the values of all trios, (9 rooms, 36 pairs)."""
        weights = dict(enumerate(one.weights))
        values = [self.suggestion(weights, trio, turns) for trio in range(len(TRIOS))]
        return np.reshape(values, (PAIRS, 9)).T


def again(one: Endgame) -> Endgame:
    """Return ``one``, solved again."""
    return solve_position(one.rules, one.seat, one.view, one.events, MAX_DEALS)


class Optimal:
    """The best play of a position: its actions are solved again after every answer."""

    def __init__(self, one: Endgame) -> None:
        self.one = one
        self.known: dict[tuple, tuple[int, ...]] = {}

    def actions(self, state: np.record, since: tuple) -> tuple[int, ...]:
        """Return what to do in the turn at hand, after the answers ``since``."""
        if since not in self.known:
            rules, seat = self.one.rules, self.one.seat
            view = view_of(state, seat)
            now = solve_position(rules, seat, view, self.one.events + since, MAX_DEALS)
            action = int(now.actions[np.argmax(now.values)])
            if action < ACCUSE:
                room, pair = np.unravel_index(np.argmax(now.suggestions), (9, PAIRS))
                assert now.after(MOVE + room).actions[pair] == ASK + pair
                self.known[since] = (MOVE + int(room), ASK + int(pair))
            else:
                self.known[since] = (action,)
        return self.known[since]

    def wins(self, games: int) -> int:
        """Play the position through the state machine, the deal drawn from its posterior."""
        board, stream = world(self.one.rules)[0], np.random.default_rng(5)
        starts = [dealt(self.one, deal) for deal in self.one.deals]
        won = 0
        for game, deal in enumerate(stream.choice(len(starts), games, p=self.one.weights)):
            state = starts[deal].copy()[0]
            state.key = fold(np.uint64(77), game)
            since: tuple = ()
            while state.phase != OVER:
                for action in self.actions(state, since):
                    apply(board, state, action)
                    advance(board, state)
                since += tuple(tuple(event) for event in state.event[: state.events].tolist())
                state.events = 0
            won += int(state.winner == self.one.seat)
        return won


def dealt(one: Endgame, deal: np.ndarray) -> np.recarray:
    """Return the true state if ``deal`` were the true one."""
    states = empty()
    states[0] = one.view[0]
    state = states[0]
    hands = [sum(1 << int(card) for card in np.flatnonzero(deal == p + 1)) for p in range(6)]
    assert hands[one.seat] == state.hand[one.seat]
    state.hand[:] = hands
    state.envelope = sum(1 << int(card) for card in np.flatnonzero(deal == 0))
    state.policy[:] = EXTERNAL
    state.recording = 1
    return states


def forgets_shares(deal: Deal, seat: int, cards: int) -> Iterator[tuple[int, int, int]]:
    """Show every matching card at once."""
    for answerer, card, _ in answers(deal, seat, cards):
        yield answerer, card, 6


def shows_the_lowest(deal: Deal, seat: int, cards: int) -> Iterator[tuple[int, int, int]]:
    """Show no other card than the first."""
    answerer, card, _ = next(answers(deal, seat, cards))
    yield answerer, card, 6


def forgets_the_order(deal: Deal, seat: int, cards: int) -> Iterator[tuple[int, int, int]]:
    """Ask from seat 0 on."""
    return answers(deal, -1, cards) if seat else answers(deal, seat, cards)


FAULTS = (forgets_shares, shows_the_lowest, forgets_the_order)
