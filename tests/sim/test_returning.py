"""No pawn enters the same room twice in a row [Xu 2013, s. 3]; assignment of seats."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.cards import SUSPECTS
from sim.contract.testing import check_player
from sim.game import decider
from sim.legal import legal
from sim.player import Player, PolicyPlayer
from sim.referee import play
from sim.rules import Rules, preset, world
from sim.state import N_ACTIONS, empty
from sim.view import view_of

XU = replace(preset("xu2013"), turn_cap=150)


class Returning(Player):
    """The control of the contract: it reads where others were last, as all may."""

    def decide(self, view):
        s, options = view[0], np.empty(N_ACTIONS, np.int64)
        count = legal(world(self.rules)[0], s, options)
        return int(options[int(s.last_room.sum()) % count if decider(s) == self.seat else 0])

    def begin(self, rules, seat, view, key):
        self.rules, self.seat = rules, seat


def test_where_pawns_were_last_lies_open_and_nothing_hidden_does():
    """A player that plays by it keeps the contract: nothing it cannot know changes its moves."""
    assert check_player(lambda: Returning("returning"), XU, games=2) > 5
    seen, truth = view_of(_midgame(), 1), _midgame()
    np.testing.assert_array_equal(seen[0].last_room, truth.last_room)
    assert truth.last_room.any() and not seen[0].envelope and not seen[0].hand[0]


def _midgame():
    kept = empty()

    def watch(state, action):
        if state.turn == 12:
            kept[0] = state

    play(XU, [PolicyPlayer("closure")] * 3, 3, 1, watch)
    return kept[0]


@pytest.mark.parametrize(
    "switches", [{"reenter": True}, {"walls": False}, {"board": False, "movement": "towards"}]
)
def test_rules_that_the_rule_does_not_fit_are_refused(switches):
    with pytest.raises(ValueError, match=r"rules\.returns=false needs"):
        replace(XU, **switches)
    replace(XU, returns=True, **switches)


def test_pawns_are_chosen_by_name_in_order_of_play():
    """Control: by default they are the usual ones, and start elsewhere."""
    rules = preset("cai2006", pawns="Plum-White-Mustard")
    assert rules.suspects == ("Plum", "White", "Mustard") != preset("cai2006").suspects
    board = world(rules)[0]
    assert [int(board.seat_of[SUSPECTS.index(name)]) for name in rules.suspects] == [0, 1, 2]
    assert board.seat_of[SUSPECTS.index("Green")] == -1
    assert board.start[:3].tolist() != world(preset("cai2006"))[0].start[:3].tolist()
    results = [
        play(each, [PolicyPlayer("closure")] * 3, 1, 2) for each in (rules, Rules(players=3))
    ]
    assert all(result.winner >= 0 for result in results)


@pytest.mark.parametrize("pawns", ["Plum", "Plum-White-Plum", "Plum-White-Butler", ""])
def test_pawns_that_are_not_there_are_refused_in_a_sentence(pawns):
    with pytest.raises(ValueError, match=r"^rules.pawns must be usual, or 3 of ") as why:
        preset("cai2006", pawns=pawns)
    assert "\n" not in str(why.value)
    with pytest.raises(ValueError, match=r"with rules\.starts=box"):
        preset("released", pawns="Plum-White-Mustard-Green")
