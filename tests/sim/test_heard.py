"""Heard accusations: who hears them, what follows, and who errs."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from heard import BOLD, CLASSIC, LEFT, cards_of, two_by_two
from presets import spec_of
from recorded import FILE, Wanderer, record_of

from belief.exact.solver import ExactPosterior
from sim.endgame.deals import holders, list_deals
from sim.player import PolicyPlayer
from sim.players.registry import make
from sim.policies import csp, swift
from sim.policies.registry import NAMES, Policy, choose, seat_policy
from sim.records.record import Recorder, RecordError, read
from sim.records.replay import replay
from sim.records.stepped import SteppedGame
from sim.referee import play
from sim.rules import preset, world
from sim.state import ACCUSED, EVENT
from sim.view import Log, replay_evidence

# Who hears what.


class Notes(Wanderer):
    """Notes what it hears, and the turns in which it decides."""

    def begin(self, rules, seat, view, key):
        super().begin(rules, seat, view, key)
        self.rules, self.seat, self.notes, self.log = rules, seat, [], Log()

    def see(self, event):
        self.log.append(event)
        self.notes += [(event[0], ACCUSED)] if event[2] == ACCUSED else []

    def decide(self, view):
        self.notes.append(int(view[0].turn))
        s = view.copy()[0]
        replay_evidence(world(self.rules)[0], s, self.seat, self.log.events)
        assert (s.heard == view[0].heard).all(), "its log says what lies open"
        return super().decide(view)


def play_and_note(rules, game, stepped):
    """Play a game with two bold players; return what two others noted, and the record."""
    seats = [PolicyPlayer(BOLD), Notes(), PolicyPlayer(BOLD), Notes()]
    if stepped:
        table = SteppedGame(rules, seats, 9, game)
        while not table.over:
            table.act(table.decide())
        return [seats[1].notes, seats[3].notes], table.record()
    recorder = Recorder(rules, seats, 9, game)
    play(rules, seats, 9, game, recorder)
    return [seats[1].notes, seats[3].notes], recorder.text()


@pytest.mark.parametrize("spoken", ["heard", "secret"])
def test_players_hear_it_before_the_next_turn_or_never(spoken, tmp_path):
    false = 0
    for game in range(6):
        both, text = play_and_note(replace(CLASSIC, turn_cap=60, accusations=spoken), game, False)
        assert (both, text) == play_and_note(
            replace(CLASSIC, turn_cap=60, accusations=spoken), game, True
        )
        record = record_of(text, tmp_path)
        replay(record)
        for said, verdict in pairwise(record.events):
            if verdict["event"] != "verdict" or verdict["right"]:
                continue
            seat, turn, false = said["seat"], said["turn"], false + 1
            assert said["known_to"] == ("all" if spoken == "heard" else [seat])
            for notes in both:
                assert notes.count((seat, ACCUSED)) == (spoken == "heard")
                at = notes.index((seat, ACCUSED)) if spoken == "heard" else 0
                before, after = ([n for n in p if type(n) is int] for p in (notes[:at], notes[at:]))
                assert spoken == "secret" or max(before, default=0) <= turn < min(after, default=99)
    assert false > 3


def test_a_record_from_before_the_switch_replays_as_secret(tmp_path):
    assert "accusations" not in FILE.read_text().splitlines()[0]
    record = read(FILE)
    assert record.rules.accusations == "secret"
    replay(record)
    with pytest.raises(RecordError, match="known_to is"):  # the control
        replay(replace(record, rules=replace(record.rules, accusations="heard")))


# What follows from it.


@pytest.mark.parametrize("names", range(4))
def test_what_is_left_is_as_likely_as_the_deals_say(names):
    """By hand: of the four envelopes left, each has a quarter, then a third, a half, and all."""
    (s,), events, board = *two_by_two(names), world(CLASSIC)[0]
    seat_policy(s, 0, Policy("swift", threshold=0.3))
    replay_evidence(board, s, 0, np.array(events, EVENT).view(np.recarray))
    deals = list_deals(CLASSIC.hand_sizes, 0, int(s.hand[0]), 0, events, 99)
    assert {deal.envelope for deal in deals} == {*LEFT[names:]} and len(deals) == 8 - 2 * names
    counted = [(holders(deals) == holder).mean(axis=0) for holder in range(7)]
    exact = ExactPosterior(s.evidence[0]).marginals
    np.testing.assert_allclose(exact, np.transpose(counted), atol=1e-12)
    swift.refresh(board, s, 0)
    cards, chance = swift.likeliest(s)
    assert cards in LEFT[names:] and chance == pytest.approx(1 / (4 - names), abs=1e-9)
    assert swift.to_accuse(board, s, 0) == (cards if names else 0), "from 0.3 on"
    assert csp.to_accuse(board, s, 0) == (LEFT[3] if names == 3 else 0)
    seat_policy(s, 0, Policy("heuristic"))
    s.belief[0, [0, 6, 12], 0] = 1.0  # certain of what was heard first, it keeps silent
    assert cards_of(choose(board, s, 0)) == (0 if names else LEFT[0])


# Nobody accuses what was heard.


def repeats(rules, seats, games):
    """Play games; return how many accusations were made before, and how many were not the first."""
    again = later = 0
    for game in range(games):
        made = []
        play(rules, seats, 7, game, lambda state, action, made=made: made.append(cards_of(action)))
        made = [cards for cards in made if cards]
        again, later = again + len(made) - len({*made}), later + len(made[1:])
    return again, later


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rules", ["classic", "speed_clue"])
def test_no_policy_accuses_what_was_heard(rules, name):
    own = Policy(name, threshold=0.2) if name in ("swift", "hide", "greedy") else Policy(name)
    seats = [PolicyPlayer(which) for which in (BOLD, own, BOLD, own)]
    again, later = repeats(preset(rules, turn_cap=120), seats, 8)
    assert again == 0 and later > 3


@pytest.mark.parametrize("evidence", ["exact", "repaired"])
@pytest.mark.parametrize("name", ["bn", "hunter", "neural", "entropy"])
def test_no_player_of_the_papers_does(name, evidence):
    """With tables, which have no place for what was heard, they keep silent."""
    rules = preset("ferrari2009", accusations="heard", accuse="any", turn_cap=90)
    changes = {"threshold": 0.3} if name == "entropy" else {"threshold": 0.5, "evidence": evidence}
    seats = [PolicyPlayer(BOLD), make(spec_of(name, **changes), rules), PolicyPlayer(BOLD)]
    again, later = repeats(rules, seats, 8)
    assert again == 0 and later > 3
