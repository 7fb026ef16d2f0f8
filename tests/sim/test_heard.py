"""Accusations that are heard: who is told what and when, what follows from it, and who errs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from heard import BOLD, CLASSIC, LEFT, accused, fresh, two_by_two, wrong
from presets import spec_of
from recorded import FILE, Wanderer, record_of

from belief.exact.solver import ExactPosterior
from sim.arena import play_many
from sim.endgame.deals import holders, likelihoods, list_deals
from sim.game import advance, apply
from sim.player import PolicyPlayer
from sim.players.registry import make
from sim.policies import csp, swift
from sim.policies.common import was_heard
from sim.policies.table import NAMES, Policy, seat_policy
from sim.records.record import Recorder, RecordError, read
from sim.records.replay import replay
from sim.records.stepped import SteppedGame
from sim.referee import play
from sim.rules import PRESETS, preset, world
from sim.state import ACCUSED, ASK, EVENTS, MOVE, PASS, TURN
from sim.view import Log, replay_evidence, view_of

SECRET = replace(CLASSIC, accusations="secret")
LAST = preset("speed_clue", players=6, last_wins=False)
"""Six who each suggest and then accuse."""


def test_the_box_and_the_contest_let_everybody_hear():
    heard = {name for name, rules in PRESETS.items() if rules.accusations == "heard"}
    assert heard == {"classic", "speed_clue"}
    with pytest.raises(ValueError, match="accusations=aloud: choose one of secret, heard"):
        preset("classic", accusations="aloud")


# Who is told what.


@pytest.mark.parametrize("rules", [CLASSIC, SECRET], ids=["heard", "secret"])
def test_a_wrong_accusation_is_told_to_all_or_to_nobody(rules):
    board, states = fresh(rules)
    s, cards = states[0], accused(wrong(states[0]))
    before = states.copy()
    apply(board, s, wrong(s))
    assert (s.phase, s.seat, s.turn, s.out[0]) == (TURN, 1, 2, 1)
    if rules is SECRET:
        assert not s.events and not s.heard.any() and not s.marginals_of
        for field in ("evidence", "belief", "public", "event", "closure", "known"):
            assert s[field].tobytes() == before[0][field].tobytes()
        return
    assert s.event[: s.events].tolist() == [[0, cards, ACCUSED, -1]]
    assert s.heard.tolist() == [cards, 0, 0, 0, 0, 0]
    for seat in range(4):
        chances = ExactPosterior(s.evidence[seat]).envelope_table()
        place = tuple(int(card) for card in np.flatnonzero([cards >> c & 1 for c in range(21)]))
        assert chances[place[0], place[1] - 6, place[2] - 12] == 0.0
        assert (before[0].evidence[seat].excluded, s.evidence[seat].excluded) == (0, 1)
        assert view_of(s, seat)[0].heard[0] == cards


def test_two_accusations_in_a_round_and_a_right_one():
    board, states = fresh()
    s = states[0]
    first, second = wrong(s), wrong(s, 1)
    for action in (first, second, first):
        apply(board, s, action)
    names = [accused(first), accused(second), accused(first)]
    assert s.event[: s.events].tolist() == [[i, c, ACCUSED, -1] for i, c in enumerate(names)]
    assert [s.evidence[seat].excluded for seat in range(4)] == [2] * 4
    apply(board, s, next(a for a in range(46, 370) if accused(a) == s.envelope))
    assert (s.winner, s.events, s.heard[3]) == (3, 3, 0), "a right one ends the game"


def test_a_round_of_six_cannot_fill_the_events():
    """All five others suggest and accuse wrongly before the seat decides again."""
    board, states = fresh(LAST, game=5)
    s = states[0]
    for seat in range(1, 6):
        seat_policy(s, seat, Policy("swift", threshold=1e-6))
    s.showing[:] = 0
    for action in (MOVE, ASK, PASS):
        apply(board, s, action)
        advance(board, s)
    said = [kind == ACCUSED for kind in s.event[: s.events, 2]]
    assert said == [False, *[False, True] * 5][: len(said)] and sum(said) == 5
    assert s.seat == 0 and s.events == 11 < EVENTS


class Notes(Wanderer):
    """Notes what it hears, and when it decides."""

    def begin(self, rules, seat, view, key):
        super().begin(rules, seat, view, key)
        self.rules, self.seat, self.notes, self.log = rules, seat, [], Log()

    def see(self, event):
        self.log.append(event)
        self.notes.append(event)

    def decide(self, view):
        self.notes.append(int(view[0].turn))
        s = view.copy()[0]
        replay_evidence(world(self.rules)[0], s, self.seat, self.log.events)
        assert (s.heard == view[0].heard).all(), "its log says what lies open"
        return super().decide(view)


def notes(rules, game, stepped):
    """Play a game with two bold players; return what was noted, and the record."""
    seats = [PolicyPlayer(BOLD), Notes(), PolicyPlayer(BOLD), Notes()]
    recorder = Recorder(rules, seats, 9, game)
    if stepped:
        table = SteppedGame(rules, seats, 9, game)
        while not table.over:
            table.act(table.decide())
        return [seats[1].notes, seats[3].notes], table.record()
    play(rules, seats, 9, game, recorder)
    return [seats[1].notes, seats[3].notes], recorder.text()


def test_players_hear_it_before_the_next_turn(tmp_path):
    rules, told = replace(CLASSIC, turn_cap=60), 0
    for game in range(6):
        noted, text = notes(rules, game, False)
        assert (noted, text) == notes(rules, game, True)
        record = record_of(text, tmp_path)
        replay(record)
        said = [event for event in record.events if event["event"] == "accusation"]
        aloud = [
            [note for note in one if type(note) is tuple and note[2] == ACCUSED] for one in noted
        ]
        ends = [event for event in record.events if event["event"] == "verdict"]
        false = [(e["seat"], e["turn"]) for e in ends if not e["right"]]
        assert all(event["known_to"] == "all" for event in said)
        assert [[note[0] for note in one] for one in aloud] == [[seat for seat, _ in false]] * 2
        for one in noted:
            for seat, turn in false:
                place = next(
                    i for i, n in enumerate(one) if type(n) is tuple and n[::2] == (seat, ACCUSED)
                )
                turns = [
                    [note for note in part if type(note) is int]
                    for part in (one[:place], one[place:])
                ]
                assert all(t <= turn for t in turns[0]) and all(t > turn for t in turns[1])
                told += 1
    assert told > 3


def test_under_secret_rules_nobody_is_told(tmp_path):
    rules, silent = replace(SECRET, turn_cap=60), 0
    for game in range(6):
        noted, text = notes(rules, game, False)
        assert not any(type(note) is tuple and note[2] == ACCUSED for one in noted for note in one)
        said = [e for e in record_of(text, tmp_path).events if e["event"] == "accusation"]
        silent += sum(event["known_to"] == [event["seat"]] for event in said)
    assert silent > 0


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
    rules, view, events = two_by_two(names)
    s, log = view[0], Log()
    seat_policy(s, 0, Policy("swift", threshold=0.3))
    for event in events:
        log.append(event)
    replay_evidence(world(rules)[0], s, 0, log.events)
    listed = list_deals(rules.hand_sizes, 0, int(s.hand[0]), 0, events, 99)
    assert {deal.envelope for deal in listed} == {*LEFT[names:]} and len(listed) == 8 - 2 * names
    weights = np.array(likelihoods(listed, 0, events)) / len(listed)
    counted = [weights @ (holders(listed) == holder) for holder in range(7)]
    np.testing.assert_allclose(
        ExactPosterior(s.evidence[0]).marginals, np.transpose(counted), atol=1e-12
    )
    swift.refresh(world(rules)[0], s, 0)
    cards, chance = swift.likeliest(s)
    assert cards in LEFT[names:] and chance == pytest.approx(1 / (4 - names), abs=1e-9)
    assert swift.to_accuse(world(rules)[0], s, 0) == (cards if names else 0), "from 0.3 on"
    assert csp.to_accuse(world(rules)[0], s, 0) == (LEFT[3] if names == 3 else 0)


# Nobody accuses what was heard.


def repeats(rules, seats, games):
    """Play games; return accusations that were heard or made before, and all but the first."""
    again = later = 0

    for game in range(games):
        made = set()

        def watch(state, action, made=made):
            nonlocal again, later
            if cards := accused(action):
                again += cards in made
                later += bool(made)
                assert not was_heard(state, cards)
                made.add(cards)

        play(rules, seats, 7, game, watch)
    return again, later


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rules", ["classic", "speed_clue"])
def test_no_policy_accuses_what_was_heard(rules, name):
    own = Policy(name, threshold=0.2) if name in ("swift", "hide", "greedy") else Policy(name)
    seats = [PolicyPlayer(which) for which in (BOLD, own, BOLD, own)]
    again, later = repeats(preset(rules, turn_cap=120), seats, 8)
    assert again == 0 and later > 3


def test_in_secret_they_do():
    """The control: who does not hear makes the same mistake."""
    seats = [PolicyPlayer(BOLD) for _ in range(4)]
    assert repeats(SECRET, seats, 20)[0] > 0


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("bn", {"evidence": "exact", "threshold": 0.5}),
        ("hunter", {"evidence": "exact", "threshold": 0.5}),
        ("neural", {"evidence": "exact", "threshold": 0.5}),
        ("entropy", {"threshold": 0.3}),
        ("bn", {"threshold": 0.5}),
        ("hunter", {"threshold": 0.5}),
    ],
)
def test_no_player_of_the_papers_does(name, changes):
    """With their own tables, which have no place for what was heard, they keep silent."""
    base = (
        preset("classic", players=3)
        if "evidence" in changes or name == "entropy"
        else preset("ferrari2009")
    )
    rules = replace(base, accusations="heard", turn_cap=90)
    seats = [PolicyPlayer(BOLD), make(spec_of(name, **changes), rules), PolicyPlayer(BOLD)]
    again, later = repeats(rules, seats, 8)
    assert again == 0 and later > 3


def test_who_hears_plays_another_game():
    """(That who does not plays as before there was the switch, the golden games say.)"""
    games = [
        play_many(rules, [BOLD, "csp", "heuristic", BOLD], 5, np.arange(40))
        for rules in (CLASSIC, SECRET)
    ]
    same = games[0].turns == games[1].turns
    first_wrong = games[0].out.any(axis=1)
    assert same[~first_wrong].all() and (~first_wrong).any() and not same.all()
