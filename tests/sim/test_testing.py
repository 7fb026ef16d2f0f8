"""The player contract: sound players pass, and all planted faults are detected."""

import sys

import numpy as np
import pytest

from mcts.kernel.compile import INTERPRETED
from mcts.kernel.rng import below, fold, new_stream
from sim import referee
from sim.contract import testing
from sim.contract.testing import check_player
from sim.legal import legal
from sim.player import Player, PolicyPlayer
from sim.policies.registry import Policy
from sim.rules import preset, world
from sim.state import N_ACTIONS, SHOW
from sim.view import view_of

SPEED = preset("speed", turn_cap=40 if INTERPRETED else 200)


class Wanderer(Player):
    """Any legal action: by its key, and how often it has decided."""

    picks_cards = True

    def begin(self, rules, seat, view, key):
        self.board, self.options = world(rules)[0], np.empty(N_ACTIONS, np.int64)
        self.key, self.taken = key, 0

    def choose(self, view):
        """Return a number by which to choose among what is legal."""
        return below(new_stream(fold(np.uint64(self.key), self.taken)), 1 << 20)

    def decide(self, view):
        self.taken += 1
        offered = legal(self.board, view[0], self.options)
        if view[0].phase != SHOW:  # not to be out before the first question
            offered = max(1, np.count_nonzero(self.options[:offered] < 46))
        return int(self.options[self.choose(view) % offered])


class Peeper(Wanderer):
    """Looks up the stack of calls for the state."""

    def choose(self, view):
        frame = sys._getframe()
        while "state" not in frame.f_locals:
            frame = frame.f_back
        return int(frame.f_locals["state"].envelope)


class Remembering(Peeper):
    """Looks once, at the start."""

    def begin(self, rules, seat, view, key):
        super().begin(rules, seat, view, key)
        self.seen = super().choose(view)

    def choose(self, view):
        return self.seen


class Onlooker(Wanderer):
    """Uses a hand that is in its view, if there is one beside its own."""

    def choose(self, view):
        return int(view[0].hand.sum())


class Clocked(Wanderer):
    """Uses chance of its own."""

    chance = np.random.default_rng(1)

    def choose(self, view):
        return int(self.chance.integers(1 << 20))


class Untidy(Wanderer):
    """Goes on counting in its next game."""

    taken = 0

    def begin(self, rules, seat, view, key):
        before = self.taken
        super().begin(rules, seat, view, key)
        self.taken = before


class Cheat(Wanderer):
    """Accuses whenever it may not."""

    def decide(self, view):
        return 46 if view[0].phase == SHOW else super().decide(view)


class Mute(Wanderer):
    """Shows cards by a rule that does not exist."""

    picks_cards = False
    showing = "none"


@pytest.mark.parametrize("rules", [SPEED, preset("cai2006", turn_cap=60)], ids=["speed", "cai2006"])
def test_a_sound_player_passes(rules):
    assert check_player(lambda: Wanderer("wanderer"), rules, games=3) > 20


@pytest.mark.parametrize(
    ("player", "sentence"),
    [
        (Peeper, r"its decision \d+ is \d+ and not \d+ when hidden information"),
        (Remembering, "when hidden information is exchanged"),
        (Clocked, "in a new instance with the same key: it is not reproducible"),
        (Untidy, "begin does not reset the player"),
        (Cheat, r"mine in seat \d chose action 46"),
        (Mute, "showing is 'none', not one of"),
    ],
)
def test_a_player_that_breaks_the_contract_is_found(player, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_player(lambda: player("mine"), SPEED)


def test_a_view_that_shows_too_much_is_found(monkeypatch):
    def leaky(state, seat):
        seen = view_of(state, seat)
        seen[0].hand[:] = state.hand
        return seen

    check_player(lambda: Onlooker("onlooker"), SPEED, games=1)
    for module in (referee, testing):
        monkeypatch.setattr(module, "view_of", leaky)
    with pytest.raises(AssertionError, match="a view shows hidden information"):
        check_player(lambda: Onlooker("onlooker"), SPEED, games=1)


def test_a_policy_that_breaks_the_contract_is_found(monkeypatch):
    def peeping(state, rules, seat, memory):
        options = np.empty(N_ACTIONS, np.int64)
        return int(options[int(state.envelope) % legal(world(rules)[0], state, options)])

    monkeypatch.setattr(testing, "decide", peeping)
    with pytest.raises(AssertionError, match="decision 0 of swift changes from"):
        check_player(lambda: PolicyPlayer("swift"), SPEED)
    monkeypatch.setattr(testing, "decide", lambda *_: -1)
    with pytest.raises(AssertionError, match="swift in seat 0 chose action -1"):
        check_player(lambda: PolicyPlayer(Policy("swift")), SPEED)
