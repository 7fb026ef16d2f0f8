"""The entropy player: its recursion against brute force, switches, contract and regret."""

from itertools import pairwise

import numpy as np
import pytest
from endgame_checks import TRIOS, outcomes

from belief.information import entropy, mutual
from mcts.kernel.compile import INTERPRETED
from sim.board import N_ROOMS
from sim.endgame.random_positions import MARGIN, endgame
from sim.player import PolicyPlayer
from sim.players.entropy import EntropyPlayer
from sim.players.foresight import (
    ENVELOPE,
    NEVER,
    ROOM,
    Foresight,
    arrivals,
    turns_later,
    turns_now,
)
from sim.policies.common import turns_to
from sim.referee import play
from sim.rules import Rules, preset, world
from sim.state import EVIDENCE, MOVE, PASSAGE, empty
from sim.view import Log, replay_evidence

FOUND = (
    *(10, 51, 58, 76, 89, 101, 113, 117, 157, 163, 172, 173, 178, 193, 202, 207, 216, 238, 259),
    *(263, 290, 327, 336, 353),
)
"""The games of seed 5, all up to the last, that have an interesting late position."""


@pytest.fixture(scope="module")
def late():
    """Interesting late positions, one a game."""
    found = [endgame(5, game) for game in FOUND[: 2 if INTERPRETED else None]]
    assert all(one.gap > MARGIN and one.best < 1 - MARGIN for one in found)
    return found


def facts_of(one):
    """Return the evidence of the seat of a late position."""
    state = one.view.copy()[0]
    state.tracks[one.seat] = EVIDENCE
    log = Log()
    for event in one.events:
        log.append(event)
    replay_evidence(world(one.rules)[0], state, one.seat, log.events)
    return state.evidence[one.seat]


class ByDeals:
    """The same recursion over the table of deals, in all trios; shares no code with ours.

    With ``even`` every answer that is possible in a deal is as likely, also from players behind the
    first who can answer: the control.
    """

    def __init__(self, one, price, about, even=False):
        self.one, self.price, self.about, self.even = one, price, about, even
        self.hidden = [tuple(np.flatnonzero(deal == 0).tolist()) for deal in one.deals]
        self.split = [[self.answers(deal, cards) for deal in one.deals] for cards in TRIOS]
        alike = {}
        for number, cards in enumerate(TRIOS):
            named = [tuple(card in hidden for card in cards) for hidden in self.hidden]
            alike.setdefault(str((self.split[number], named)), number)
        self.different = list(alike.values())

    def answers(self, deal, cards):
        """Return the answers to ``cards`` in a deal and their chances."""
        if not self.even:
            return outcomes(self.one, deal, cards)
        shown = [(int(deal[c]), c) for c in cards if deal[c] > 0 and deal[c] != self.one.seat + 1]
        return {answer: 1 / len(shown) for answer in shown} or {None: 1.0}

    def bits(self, weights):
        """Return the entropy that is left, for weights that add up to 1; 0 for one envelope."""
        table = {}
        for hidden, weight in zip(self.hidden, weights, strict=True):
            key = hidden if self.about == ENVELOPE else hidden[2]
            table[key] = table.get(key, 0.0) + weight
        return entropy(np.array([*table.values()]))

    def is_known(self, weights):
        """Return whether there is one envelope left."""
        return len({h for h, weight in zip(self.hidden, weights, strict=True) if weight}) == 1

    def information(self, weights, number):
        """Return the bits of the answer to a trio about the named cards."""
        joint = {}
        for deal, weight in enumerate(weights):
            named = tuple(card in self.hidden[deal] for card in TRIOS[number])
            named = named if self.about == ENVELOPE else named[2]
            for answer, chance in self.split[number][deal].items():
                key = (answer, named)
                joint[key] = joint.get(key, 0.0) + weight * chance
        rows, columns = ({key[i] for key in joint} for i in (0, 1))
        return mutual(np.array([[joint.get((r, c), 0.0) for c in columns] for r in rows]))

    def value(self, weights, number, steps, turns=1.0):
        """Return the value of suggesting a trio now, with ``steps`` suggestions in all."""
        if steps == 1:
            return self.information(weights, number) - self.price * turns
        value = self.bits(weights) - self.price * turns
        parts = {}
        for deal, weight in enumerate(weights):
            for answer, chance in self.split[number][deal].items():
                part = parts.setdefault(answer, np.zeros(len(weights)))
                part[deal] += weight * chance
        for part in parts.values():
            chance = part.sum()
            if chance == 0.0:
                continue
            value -= chance * self.bits(part / chance)
            if not self.is_known(part):
                value += chance * self.best(part / chance, steps - 1)
        return value

    def best(self, weights, steps):
        """Return the value of the best trio."""
        return max(self.value(weights, number, steps) for number in self.different)


def ours(one, price, about, steps):
    """Return the best trio and its value by `Foresight` when it looks at every trio."""
    ahead = Foresight(one.rules, one.seat, price, len(TRIOS), about, True, 1.0)
    facts = facts_of(one)
    ahead.solve(facts)
    return ahead._best(facts, np.ones(N_ROOMS), int(one.view[0].spot[one.seat]), steps)


def number_of(cards):
    """Return the place of a mask in `TRIOS`."""
    return TRIOS.index(tuple(card for card in range(21) if cards >> card & 1))


@pytest.mark.parametrize(("about", "steps"), [(ENVELOPE, 1), (ENVELOPE, 2), (ROOM, 1)])
def test_values_are_those_of_brute_force_over_the_deals(late, about, steps):
    apart = 0
    for one in late[: 1 if steps > 1 else 4]:
        cards, value = ours(one, 0.3, about, steps)
        brute = ByDeals(one, 0.3, about)
        assert value == pytest.approx(brute.best(one.weights, steps), abs=1e-9)
        chosen = brute.value(one.weights, number_of(cards), steps)
        assert chosen == pytest.approx(value, abs=1e-9)
        control = ByDeals(one, 0.3, about, even=True)
        apart += abs(value - control.value(one.weights, number_of(cards), steps)) > 1e-3
    assert apart or about == ROOM


def regret(player, one):
    """Return what ``player`` loses in a whole turn."""
    one.sit(player, 1)
    first = one.choice(player, 1)
    lost = one.regret(first)
    if first < PASSAGE:
        then = one.after(first)
        lost += then.regret(then.choice(player, 1))
    return lost


def test_regret_falls_with_the_horizon_and_room_entropy_alone_loses_more(late):
    def mean(**switches):
        return np.mean([regret(EntropyPlayer(**switches), one) for one in late])

    ahead = [mean(horizon=horizon) for horizon in (1, 2, 3)]
    assert ahead[1] < 0.8 * ahead[0] and ahead[2] == ahead[1]  # a third is of no use here
    for horizon in (1, 2):
        assert mean(horizon=horizon, about="room") > ahead[horizon - 1] + 0.003


def test_a_room_is_not_left_for_itself_if_that_is_barred():
    rules = preset("ferrari2009", turn_cap=300)

    def double(same_room):
        rooms, doubles = [], 0
        for game in range(1 if INTERPRETED else 5):
            player = EntropyPlayer(same_room=same_room, price=0.0)
            rooms.clear()

            def note(state, action):
                if state.seat == 0 and 10 <= action < 46:
                    rooms.append(int(world(rules)[0].room_of[state.spot[0]]))

            play(rules, [player, PolicyPlayer("random"), PolicyPlayer("random")], 3, game, note)
            doubles += sum(a == b for a, b in pairwise(rooms))
        return doubles

    assert double(False) == 0
    assert INTERPRETED or double(True) > 0


def test_turns_are_those_of_the_policies_and_later_of_the_dice():
    rules = preset("classic")
    board, state = world(rules)[0], empty()[0]
    now, later = np.empty(N_ROOMS), np.empty(N_ROOMS)
    for spot in range(0, 205, 3):
        state.spot[0], state.roll = spot, 5
        turns_now(board, state, 0, now)
        turns_later(board, spot, later)
        here = int(board.room_of[spot])
        for room in set(range(N_ROOMS)) - {here}:
            if here >= 0 and board.passage[here] == room:
                assert now[room] == later[room] == 1.0
            else:
                assert now[room] == turns_to(board, state, 0, room)
                assert later[room] == board.turns[board.steps[room, spot]]
        if here >= 0:
            assert now[here] == later[here] == 2.0
            state.summoned[0] = 1
            turns_now(board, state, 0, now)
            assert now[here] == 1.0
            state.summoned[0] = 0
    turns_later(world(Rules())[0], int(board.first_door[0]), later)
    assert later[0] == NEVER  # without free movement nobody steps out and in


@pytest.mark.parametrize("doors", ["entry", "any"])
def test_arrivals_are_where_the_walk_ends(doors):
    from sim.game import apply, new_game
    from sim.legal import legal
    from sim.state import N_ACTIONS, TURN

    rules = Rules(doors=doors, blocking=False)
    board, state, options = world(rules)[0], empty()[0], np.empty(N_ACTIONS, np.int64)
    for room in range(N_ROOMS):
        for spot in range(0, 205, 7):
            if board.room_of[spot] == room:
                continue
            state.policy[:] = -1
            new_game(board, state, np.uint64(1))
            state.spot[0] = spot
            for _ in range(40):
                state.phase, state.seat, state.roll = TURN, 0, 3
                assert MOVE + room in options[: legal(board, state, options)]
                apply(board, state, MOVE + room)
                if board.room_of[state.spot[0]] == room:
                    break
            assert state.spot[0] == arrivals(rules)[room, spot]
