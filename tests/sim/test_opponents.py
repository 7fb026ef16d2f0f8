"""Opponents: the belief over types, its inputs, and simulations that draw from it."""

import sys

import numpy as np
import pytest
from presets import spec_of

from belief import evidence
from belief.evidence import new_evidence
from benchmarks.observer import Observer
from mcts.kernel.rng import new_stream
from sim import referee
from sim.contract.testing import check_player
from sim.models.likelihood import ACCUSES, NAMES, WALKS
from sim.models.opponent_belief import OpponentBelief
from sim.models.own_cards import WEIGHTS, Reading
from sim.models.responses import RESPONSES, responses
from sim.models.types import PRESETS, TYPES, Mixture, draw_opponents, mixture
from sim.player import PolicyPlayer
from sim.players.registry import make
from sim.policies.registry import Policy, number
from sim.rules import Rules, preset, world
from sim.state import ASK, MOVE, SUGGEST, empty

RULES = Rules()
FEW = Mixture(("heuristic", "closure", "swift", "swift35", "hide35"), (1.0,) * 5)
OWN = Policy("swift", threshold=0.5)


def watch_one(kind, games=range(2), rules=RULES, deals=12, mixed=FEW):
    """Yield an observer after each of some games against one kind."""
    observer = Observer(OWN, mixed, deals)
    for game in games:
        seats = [observer] + [PolicyPlayer(TYPES[kind])] * (rules.players - 1)
        referee.play(rules, seats, 5150, game)
        yield observer


class Omniscient(Observer):
    """Asks the types in the true deal, and hears which cards are shown."""

    def begin(self, rules, seat, view, key):
        super().begin(rules, seat, view, key)
        self.shares = []

    def watch(self, state, action):
        self.truth = np.zeros(21, np.int64)
        for player in range(self._rules.players):
            for card in range(21):
                if state.hand[player] >> card & 1:
                    self.truth[card] = player + 1
        self.truth[[card for card in range(21) if state.face_up >> card & 1]] = -1

    def _look(self, view, facts):
        observed = self.belief.turns(view, self._log.events)
        if len(observed):
            seen = (view[0], observed, self._log.events, self.truth[None])
            self.shares.append(self.belief.shares(*seen))


@pytest.mark.parametrize(
    ("rules", "kind"),
    [
        (RULES, "swift"),
        (preset("classic"), "swift"),
        (preset("cai2006"), "swift"),
        (preset("classic"), "swift35"),  # who accuses wrongly, and is heard
    ],
    ids=str,
)
def test_in_the_true_deal_the_true_type_does_all_that_was_done(rules, kind, monkeypatch):
    monkeypatch.setattr(referee, "as_seen", lambda event, seat: event)
    observer = Omniscient(OWN, FEW)
    true, others, asked = [], [], 0
    for game in range(3):
        seats = [PolicyPlayer(TYPES[kind])] * rules.players
        seats[game % rules.players] = observer
        referee.play(rules, seats, 5151, game, observer.watch)
        for hits, tries in observer.shares:
            true.append((tries - hits)[:, :, FEW.types.index(kind)].sum())
            others.append((tries - hits)[:, :, FEW.types.index("heuristic")].sum())
            asked += tries[:, [ACCUSES, WALKS, NAMES]].min(axis=(1, 2)).sum()
    assert sum(true) == 0 and asked > 10
    assert sum(others) > 20  # the control


def surprise(kind, named=None):
    """Return the mean log loss of the true type at the end of games, in nats."""
    at = FEW.types.index(named or kind)
    found = [np.log(one.belief.of_seat(seat)[at]) for one in watch_one(kind) for seat in (1, 2, 3)]
    return -np.mean(found)


def test_the_true_type_becomes_likelier_and_another_does_not():
    prior = np.log(len(FEW.types))
    losses = {kind: surprise(kind) for kind in ("heuristic", "closure", "hide35")}
    assert max(losses.values()) < 0.3 * prior
    # The control: labels exchanged.
    assert surprise("heuristic", "closure") > prior and surprise("swift35", "hide35") > prior


def test_the_posterior_is_that_of_bayes():
    mixed = Mixture(("swift", "heuristic"), (3.0, 1.0), 0.4)
    company = OpponentBelief(RULES, 2, mixed, 1)
    company.likelihood[:] = np.log(np.random.default_rng(1).random((6, 2)))
    found, joint = np.zeros((4, 2)), 0.0
    for types in np.ndindex(2, 2, 2):
        chance = 0.6 * np.prod([(0.75, 0.25)[i] for i in types])
        chance += 0.4 * (0.75, 0.25)[types[0]] if len({*types}) == 1 else 0.0
        for seat, i in zip((0, 1, 3), types, strict=True):
            chance *= np.exp(company.likelihood[seat, i])
        joint += chance
        for seat, i in zip((0, 1, 3), types, strict=True):
            found[seat, i] += chance
    for seat in (0, 1, 3):
        np.testing.assert_allclose(company.of_seat(seat), found[seat] / joint, atol=1e-12)


def test_simulations_draw_the_posterior():
    company = OpponentBelief(RULES, 2, Mixture(("swift", "heuristic"), (3.0, 1.0), 0.4), 1)
    company.likelihood[:] = np.log(np.random.default_rng(1).random((6, 2)))
    types, chances = company.seating
    state, stream, drawn = empty()[0], new_stream(5), []
    state.policy[2] = 99
    for _ in range(4000):
        draw_opponents(state, 2, 4, types, chances, stream)
        drawn.append(state.policy[:4].copy())
    drawn = np.array(drawn)
    assert (drawn[:, 2] == 99).all()
    for seat in (0, 1, 3):
        share = (drawn[:, seat] == number("swift")).mean()
        assert abs(share - company.of_seat(seat)[0]) < 0.03
    alike = (drawn[:, [0, 1, 3]] == drawn[:, :1]).all(axis=1).mean()
    apart = [company.of_seat(seat)[0] for seat in (0, 1, 3)]
    assert alike > np.prod(apart) + np.prod(1 - np.array(apart)) + 0.05


class Leaking(Observer):
    """Chooses by the bytes of its belief, so that whatever that reads changes what it does."""

    def decide(self, view):
        super().decide(view)
        digest = int(np.ascontiguousarray(self.belief.likelihood).view(np.uint64).sum() % 8)
        room = (digest + int(view[0].turn)) % 9
        if view[0].phase == SUGGEST:
            return ASK + digest
        here = world(self._rules)[0].room_of[view[0].spot[self._seat]]
        return MOVE + (room if here != room else (room + 1) % 9)


class Peeping(Leaking):
    """Looks into the true envelope."""

    def _look(self, view, facts):
        frame = sys._getframe()
        while "state" not in frame.f_locals or not frame.f_locals["state"].envelope:
            frame = frame.f_back
        super()._look(view, facts)
        self.belief.likelihood[1] += float(int(frame.f_locals["state"].envelope) % 97)


def test_the_belief_is_a_function_of_the_view():
    rules = preset("ledford", turn_cap=32)
    assert check_player(lambda: Leaking(OWN, FEW, 4), rules, games=2, swaps=1) >= 6
    with pytest.raises(AssertionError, match="when hidden information is exchanged"):
        check_player(lambda: Peeping(OWN, FEW, 4), rules, games=2, swaps=3)


def test_a_planner_with_a_mixture_keeps_the_contract_of_players():
    rules = preset("ledford", turn_cap=16)
    free = {"budget__simulations": 20, "actions__least_accused": 0.8}
    spec = spec_of("best", opponents="mixture", **free)
    assert check_player(lambda: make(spec, rules), rules, games=1, swaps=1) >= 3
    assert make(spec, rules).config.mixture == PRESETS["usual"]


def test_the_reply_is_the_best_of_the_table():
    found = responses(RULES, FEW.types)
    for own in ("swift", "hide"):
        tried = [place for place, one in enumerate(RESPONSES) if one.name == own]
        for at, one in enumerate(np.eye(len(FEW.types))):
            reply = found.best_reply(Policy(own), one)
            assert [reply == RESPONSES[place] for place in tried].count(True) == 1
            best = found.points[tried, at].max()
            assert found.points[RESPONSES.index(reply), at] == best
    assert found.best_reply(Policy("heuristic"), one) == Policy("heuristic")


@pytest.mark.parametrize("own", [True, False])
def test_what_is_named_teaches_the_weight(own):
    """Seat 1 has named Mustard, Plum, the Candlestick and the Dagger: it holds all, or none."""
    cards, types = (0, 1, 6, 7), np.array([1.0])
    reading = Reading([1, 2, 3], np.array([0.15]))
    before = reading.weight(1, types)
    records = new_evidence()
    seen = records.view(np.recarray)[0]
    evidence.reset(seen, 4, 0, np.array([5, 5, 4, 4, 0, 0]), 0b111 << 15 | 0b11 << 4, 0)
    seen.named[1] = sum(1 << card for card in cards)
    for card in cards:
        if own:
            evidence.has_card(seen, 1, card)
        else:
            evidence.note_pass(seen, 1, 1 << card)
    reading.take_in(seen)
    after = reading.weight(1, types)
    assert after > 5 * before if own else after < before
    for at, weight in enumerate(WEIGHTS):  # nothing is open: by hand
        by_hand = (4 * np.log(weight) if own else 0.0) - 4 * np.log1p((weight - 1) * 5 / 21)
        there = reading.likelihood[1, at] - reading.likelihood[1, WEIGHTS.tolist().index(1.0)]
        assert there == pytest.approx(by_hand)
    assert reading.weight(2, types) == pytest.approx(before)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("nobody", "unknown type of opponents 'nobody': choose one of random"),
        ("swift:x", "'swift:x' has no number for a weight"),
        ("swift:0", "a mixture needs a weight above 0 for each type"),
        ("swift,swift", "a mixture needs one type at least, and each once"),
    ],
)
def test_what_is_no_mixture_is_refused(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        mixture(text)
