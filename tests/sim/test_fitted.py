"""The player that learnt from games: what its network is told, and that it keeps the contract."""

from __future__ import annotations

import numpy as np
import pytest
from presets import spec_of

from sim.board import N_ROOMS
from sim.cards import FIRST_ROOM
from sim.contract.testing import check_player
from sim.players import fitted
from sim.players.fitted import FittedPlayer
from sim.players.player import PolicyPlayer
from sim.players.room_choice import visits
from sim.qlearning import network, turns
from sim.qlearning.turns import GAME_SIZE, OF_ROOM
from sim.referee import play
from sim.rules import preset

SPEC = spec_of("fitted")
FERRARI = preset("ferrari2009")


@pytest.mark.parametrize(
    ("rules", "evidence"),
    [("ferrari2009", "exact"), ("cai2006", "repaired")],
)
def test_it_keeps_the_contract(rules, evidence):
    rules = preset(rules)
    spec = {**SPEC, "evidence": evidence}
    assert check_player(lambda: fitted.make(spec, rules), rules) > 20


def test_rules_and_weights_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="rules=ledford does not deal"):
        fitted.make({**SPEC, "evidence": "text"}, preset("ledford"))
    with pytest.raises(ValueError, match=r"is no network: .*learn=games` makes one"):
        fitted.make({**SPEC, "network": "/nowhere.json"}, FERRARI)


def _weights(column, sign):
    """Return a network whose output rises or falls with one input."""
    hidden = np.zeros((turns.SIZE, 1))
    hidden[column, 0] = 1
    settings = {"seed": 0}
    return network.Network(
        hidden, np.zeros(1), np.full(1, float(sign)), np.array(0.0), "logistic", settings
    )


def _column(name):
    return GAME_SIZE + OF_ROOM.index(name)


class Watching(FittedPlayer):
    """Keeps what its network is told, and checks it."""

    def begin(self, rules, seat, view, key):
        super().begin(rules, seat, view, key)
        self.told = []

    def gains(self, s):
        inputs, chances = self.inputs(), self.opinion.chances
        assert inputs.shape == (N_ROOMS, turns.SIZE) and np.isfinite(inputs).all()
        assert np.array_equal(inputs[:, _column("chance that it is the hidden one")], chances[12:])
        own = inputs[:, _column("own card")]
        assert sum(1 << room for room in np.flatnonzero(own)) == self.hand >> FIRST_ROOM
        there = inputs[:, _column("own suggestions there")]
        np.testing.assert_allclose(5 * there, visits(self.log.events, self.seat))
        now = inputs[:, _column("whether that is this turn")] == 1
        far = self.world.steps[:, s.spot[self.seat]]
        here = self.world.room_of[s.spot[self.seat]]
        for room in range(N_ROOMS):
            passage = here >= 0 and self.world.passage[here] == room
            if room != here:
                assert now[room] == (passage or far[room] <= s.roll)
        self.told.append(inputs)
        return super().gains(s)


@pytest.mark.parametrize(("sign", "known"), [(1, 0), (-1, 1)])
def test_it_is_told_the_truth_and_goes_where_the_network_says(sign, known):
    column = _column("chance that it is the hidden one")
    player = Watching("exact", _weights(column, sign))
    gone = []

    def watch(state, action):
        if action >= 0 and state.phase == 0 and state.seat == 0 and action < 9 and player.told:
            gone.append(player.told[-1][action, column])

    for game in range(3):
        play(FERRARI, [player, *map(PolicyPlayer, ("swift", "heuristic"))], 1, game, watch)
    assert len(gone) > 5
    assert np.mean(np.array(gone) > 0) > 0.9 if not known else np.mean(np.array(gone) == 0) > 0.9


def test_entropy_is_that_of_a_fair_coin_where_it_should_be():
    assert turns.entropies(np.array([0, 0.5, 1.0, 0.25])).tolist() == [0, 0.5, 0, 0.5]


def test_at_the_start_all_that_is_not_its_own_is_as_likely():
    class First(Watching):
        def gains(self, s):
            made = super().gains(s)
            self.first = self.told[0]
            return made

    player = First("exact", _weights(0, 1))
    play(FERRARI, [player, *map(PolicyPlayer, ("swift", "heuristic"))], 1, 0)
    assert player.first[0, :6] == pytest.approx(
        [1 / 4, 1 / 5, 1 / 6, 2 / np.log2(6), np.log2(5) / np.log2(6), np.log2(6) / np.log2(9)]
    )
