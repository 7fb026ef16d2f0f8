"""Records contain all events and who knows them, and replay to the same end."""

import json
from collections import Counter

import numpy as np
import pytest
from recorded import FILE, SHORT_SEED, record_of, short_game, write

from belief.exact.solver import ExactPosterior
from mcts.kernel.rng import new_stream
from sim.cards import CARDS
from sim.chance import game_key
from sim.game import apply, decider, new_game
from sim.knowledge import begin
from sim.legal import legal
from sim.policies.registry import Policy, seat_policies
from sim.records.events import BESIDE, EVENTS, describe_action, opening
from sim.records.record import knows, read
from sim.records.replay import replay, states
from sim.rules import FIXED_PLAYERS, PRESETS, Rules, preset, world
from sim.state import ACCUSED, EVENT, EVIDENCE, N_ACTIONS, SHOW, empty
from sim.view import replay_evidence, view_of

TABLES = [(name, FIXED_PLAYERS.get(name, 3 + place % 4)) for place, name in enumerate(PRESETS)]
HIDDEN = ("hand", "envelope", "face_up", "has_shown")
OPEN = ("winner", "turn", "asked", "spot", "summoned", "out", "suggestions", "known", "phase")


@pytest.fixture
def keep(tmp_path):
    """Write a text to a file and read it as a record."""
    return lambda text: record_of(text, tmp_path)


@pytest.mark.parametrize(("name", "count"), TABLES)
def test_a_record_replays_to_the_same_end(name, count, keep):
    for number in range(3):
        text, result, end = short_game(name, count, number)
        record = keep(text)
        assert record.rules == preset(name, players=count, turn_cap=50)
        assert (record.seed, record.game) == (SHORT_SEED, number)
        assert record.end["winner"] == (result.winner if result.winner >= 0 else None)
        assert record.end["turns"] == result.turns
        replayed = replay(record)[0]
        for field in HIDDEN + OPEN:
            np.testing.assert_array_equal(replayed[field], end[field], err_msg=field)


def test_the_games_of_these_tests_hold_every_kind_of_event():
    texts = [short_game(*table, number)[0] for table in TABLES for number in range(4)]
    found = Counter(json.loads(row)["event"] for text in texts for row in text.splitlines()[1:])
    assert set(found) == set(EVENTS) - {*BESIDE}  # which are there only if asked for
    assert any('"right":false' in text for text in texts)
    assert any('"unable":[1,2],"by":3' in text for text in texts)


def test_the_header_says_who_plays(keep):
    names = ["wanderer", Policy("swift", threshold=0.4), "random"]
    seats = keep(write(Rules(players=3, turn_cap=3), names, 0, 9)[0]).seats
    assert [seat["policy"] for seat in seats] == ["external", "swift", "random"]
    assert seats[1]["threshold"] == 0.4


def test_the_record_kept_as_data_replays():
    record = read(FILE)
    assert replay(record)[0].winner == record.end["winner"]
    found = {event["event"] for event in (*record.events, record.end)}
    assert found == set(EVENTS) - {*BESIDE}
    assert any(event.get("right") is False for event in record.events)


# What a seat knows


class Knowledge:
    """Consequences of the events that one seat knows: the fields of its view, and its log."""

    def __init__(self, rules, seat):
        self.rules, self.seat, self.board = rules, seat, world(rules)[0]
        self.view = empty()[0]
        self.view.winner = self.view.answerer = -1
        self.events = []

    def hear(self, event):
        kind, seat, view = event["event"], event["seat"], self.view
        cards = sum(1 << CARDS.index(name) for name in event.get("cards", ()))
        if kind == "deal":
            view.hand[seat] = cards
        elif kind == "face_up":
            view.face_up = cards
        elif kind == "suggestion":
            view.cards = cards
            view.asked += 1
            self.events.append((seat, cards, -1, -1))
        elif kind == "refute":
            view.answerer = -1 if event["by"] is None else event["by"]
            asked = [(seat + step) % self.rules.players for step in range(1, self.rules.players)]
            assert event["unable"] == (
                asked if event["by"] is None else asked[: asked.index(event["by"])]
            )
            self.events[-1] = (seat, view.cards, view.answerer, -1)
        elif kind == "show":
            card = CARDS.index(event["card"])
            self.events[-1] = (*self.events[-1][:3], card)
            if event["by"] == self.seat:
                view.has_shown[self.seat, seat] |= 1 << card
        elif kind == "accusation":
            self.accused = cards
        elif kind == "verdict":
            view.out[seat] = not event["right"]
            if not event["right"] and self.rules.accusations == "heard":
                view.heard[seat] = self.accused
                self.events.append((seat, self.accused, ACCUSED, -1))
        elif kind == "end":
            view.winner = -1 if event["winner"] is None else event["winner"]

    def evidence(self):
        """Return what the seat has learnt, from its log."""
        self.view.tracks[self.seat] = EVIDENCE
        log = np.array(self.events, EVENT).view(np.recarray)
        replay_evidence(self.board, self.view, self.seat, log)
        return self.view.evidence[self.seat]


@pytest.mark.parametrize(("name", "count"), TABLES)
def test_what_is_known_to_a_seat_is_its_view(name, count, keep):
    record = keep(short_game(name, count, 1)[0])
    fields = ("winner", "cards", "answerer", "asked", "out")
    fields += ("face_up", "hand", "has_shown", "heard")
    known = [Knowledge(record.rules, seat) for seat in range(count)]
    for events, state in states(record):
        for player in known:
            for event in events:
                if event["event"] == "end":
                    assert event["known_to"] == "all"
                if knows(event, player.seat):
                    player.hear(event)
            view = view_of(state[0], player.seat)[0]
            for field in fields:
                np.testing.assert_array_equal(player.view[field], view[field], err_msg=field)
            if state[0].phase != SHOW:  # of a suggestion one learns when it is answered
                assert player.evidence().tobytes() == state[0].evidence[player.seat].tobytes()


def opening_moves(record, turns):
    """Return the events of the first turns, and what each seat has learnt in them."""
    replayed = []
    for events, state in states(record):
        replayed += events
        if state[0].turn > turns:
            break
    return replayed, state[0].evidence.copy()


def told_with_another_deal(record, events, seat, deal):
    """Play the actions of ``events`` with hidden cards that look real to ``seat``."""
    board, state, before = world(record.rules)[0], empty(), empty()
    s = state[0]
    seat_policies(s, [None] * record.rules.players)
    new_game(board, s, np.uint64(game_key(record.seed, record.game)))
    of = [int(sum(1 << card for card in np.flatnonzero(deal == column))) for column in range(7)]
    s.envelope, s.hand[:] = of[0], of[1:]
    for player in range(record.rules.players):
        begin(board, s, player)
    replayed = opening(board, s)
    shown = [e["action"] for e in events if e["event"] == "show" and knows(e, seat)]
    options = np.empty(N_ACTIONS, np.int64)

    def take(action):
        assert action in options[: legal(board, s, options)]
        before[0] = s
        apply(board, s, action)
        replayed.extend(describe_action(board, before[0], action, s))

    for event in events:
        if "action" in event and event["event"] != "show":
            take(event["action"])
            if s.phase == SHOW:
                last = legal(board, s, options) - 1
                ours = seat in (s.seat, decider(s))
                before_now = sum(e["event"] == "show" and knows(e, seat) for e in replayed)
                take(shown[before_now] if ours else int(options[last]))
    return replayed


@pytest.mark.parametrize("name", ["ledford", "classic", "speed"])
def test_hidden_cards_change_nothing_that_a_seat_knows(name, keep):
    tried = differing = 0
    for number in range(4):
        record = keep(short_game(name, 4, number)[0])
        events, evidence = opening_moves(record, 12)
        accused = [set(event["cards"]) for event in events if event["event"] == "accusation"]
        for seat in range(4):
            for deal in ExactPosterior(evidence[seat]).sample(new_stream(number), 4):
                if {CARDS[card] for card in np.flatnonzero(deal == 0)} in accused:
                    continue  # what was wrong would be right
                replayed = told_with_another_deal(record, events, seat, deal)
                ours, theirs = (
                    [event for event in told_by if knows(event, seat) and event["event"] != "end"]
                    for told_by in (replayed, events)
                )
                assert ours == theirs
                tried += 1
                differing += replayed != events
    assert differing > 0.9 * tried > 20
