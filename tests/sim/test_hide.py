"""Hide: equal to swift at prices 0, and the effect of each price."""

import numpy as np
import pytest
from positions import leak_of, steps

from belief import public
from belief.information import closed_form
from belief.leakage import BOUND, COLUMNS, LANES, tabulate, weapon_columns
from sim.arena import play_many
from sim.chance import game_key
from sim.game import apply, decider, new_game, open_decision
from sim.policies import hide
from sim.policies.registry import Policy, choose, seat_policies
from sim.rules import PRESETS, Rules, world
from sim.state import ACCUSE, ASK, OVER, TURN, empty

BOARD = world(Rules())[0]
SWIFT = Policy("swift", threshold=0.35)
OPEN = Policy("hide", threshold=0.35, hiding=0.0, summoning=0.0)


# The public view.


def recompute(rules, face_up, events):
    """Return the public view from the log alone."""
    view = np.zeros((21, 7))
    public.open_view(view, rules.players, world(rules)[0].hand_sizes, face_up)
    for asker, cards, answerer, _ in events:
        for step in range(1, rules.players):
            player = (asker + step) % rules.players
            if player == answerer:
                public.note_refutation(view, player, cards & ~face_up)
                break
            public.note_pass(view, player, cards & ~face_up)
    return view


@pytest.mark.parametrize("name", PRESETS)
def test_the_public_view_follows_from_the_public_log(name):
    rules, events = PRESETS[name], []
    policies = ["hide", *["swift"] * (rules.players - 1)]
    for state, _ in steps(rules, policies, 0):
        events += [tuple(int(x) for x in event) for event in state.event[: state.events]]
        if state.phase == TURN:
            expected = recompute(rules, int(state.face_up), events)
            np.testing.assert_array_equal(state.public, expected)
    assert len(events) > 4
    # The control: another order of the same log gives another view.
    assert not np.array_equal(recompute(rules, int(state.face_up), events[::-1]), state.public)


# What it chooses.


def test_without_prices_it_is_swift_until_it_is_alone():
    games, same = np.arange(400), 0
    for seat in range(2):
        seats = [SWIFT] * 4
        seats[seat] = OPEN
        played = [play_many(Rules(), who, 3, games) for who in ([SWIFT] * 4, seats)]
        others = [other for other in range(4) if other != seat]
        alone = played[0].out[:, others].all(axis=1)
        assert alone.any()
        for field in ("winner", "turns", "suggestions", "out"):
            one, other = (getattr(result, field)[~alone] for result in played)
            assert np.array_equal(one, other)
        same += (played[0].winner == played[1].winner)[alone].sum() < alone.sum()
    assert same == 2  # the control: alone, it waits, and wins where swift was wrong


def test_alone_it_waits_for_proof():
    """Everybody else is out: swift accuses what it thinks likely, and is wrong at times."""
    wrong = {"swift": 0, "hide": 0}
    for name in wrong:
        board = world(Rules())[0]
        for game in range(20):
            state = empty()[0]
            seat_policies(state, [Policy(name, threshold=0.2), *["swift"] * 3])
            new_game(board, state, np.uint64(game_key(3, game)))
            state.out[1:4] = 1
            while state.phase != OVER:
                open_decision(state)
                apply(board, state, int(choose(board, state, decider(state))))
            wrong[name] += state.winner != 0
    assert wrong["hide"] == 0 and wrong["swift"] > 5


# How it finds its choice, and when it accuses.


def thinking(games=4, **switches):
    """Yield the state before each suggestion of a hide in seat 0, and its table."""
    policy = Policy("hide", threshold=0.5, **switches)
    for game in range(games):
        for state, action in steps(Rules(), [policy, *["swift"] * 3], game):
            if ASK <= action < ACCUSE and state.seat == 0:
                table = np.full((21, COLUMNS), np.nan)
                shown, everyone = state.has_shown[0], hide.still_playing(BOARD, state, 0)
                tabulate(state.marginals, state.public, 0, 4, everyone, shown, (1 << 21) - 1, table)
                yield state, table


@pytest.mark.parametrize("switches", [{}, {"hiding": 4.0, "summoning": 0.5}])
def test_what_it_leaves_out_unseen_is_no_better(switches):
    looked = 0
    columns = np.empty((COLUMNS, LANES))
    for state, table in thinking(**switches):
        weapon_columns(table, columns)
        for room in range(9):
            nets = []
            for pair in range(36):
                trio = pair // 6, 6 + pair % 6, 12 + room
                bits = closed_form(state.marginals, 0, *trio)
                cost = state.hiding[0] * leak_of(table, 4, *trio)
                cost += state.summoning[0] * hide.summons(BOARD, state, 0, pair // 6, room)
                nets.append(max(bits - cost, hide.LEAST * bits))
            seen = state, 4, 0, room, hide.called_by(BOARD, state, 0, room), table, columns
            pair, net = hide.best_pair(*seen, 0, -1.0)
            assert net == pytest.approx(max(nets)) == pytest.approx(nets[pair])
            # Which pair is tried first decides nothing, not even among equals.
            assert {hide.best_pair(*seen, first, -1.0) for first in range(36)} == {(pair, net)}
            assert hide.best_pair(*seen, 0, net + 0.01)[1] == net + 0.01
            looked += 1
    assert looked > 100


def test_the_others_never_gain_less_than_the_bound():
    nearest = np.inf
    for _, table in thinking(games=2):
        for trio in ((s, w, r) for s in range(6) for w in range(6, 12) for r in range(12, 21)):
            gained = leak_of(table, 4, *trio) - table[list(trio), BOUND].sum()
            assert gained > -1e-9
            nearest = min(nearest, gained)
    assert nearest < 0.01  # the control: a bound that is never reached would prove little


def bar(turn=1, out=(), **switches):
    """Return the probability that hide asks for in seat 0."""
    state = empty()[0]
    seat_policies(state, [Policy("hide", **switches), *["swift"] * 3])
    new_game(BOARD, state, np.uint64(game_key(3, 1)))
    state.turn = turn
    for seat in out:
        state.out[seat] = 1
    return hide.least_chance(BOARD, state, 0)


def test_the_threshold_follows_those_who_are_out():
    assert bar(threshold=0.4) == bar(turn=50, out=(2,), threshold=0.4) == 0.4
    assert bar(out=(1, 3), threshold=0.4, by_out=0.05) == pytest.approx(0.5)
    assert bar(out=(1, 2, 3), threshold=0.4, by_out=-0.1) == 1.0  # alone
    assert bar(out=(1,), threshold=1.0, by_out=-0.1) == 1.0  # who waits, waits
