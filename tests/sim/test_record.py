"""Records say what happened and who knows it, replay to the same end, and show every change."""

import json
from collections import Counter
from dataclasses import asdict, replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from recorded import FILE, golden, players, written

from belief.exact import ExactPosterior
from mcts.kernel.rng import new_stream
from sim.board import graph
from sim.cards import CARDS, FIRST_ROOM, ROOMS, SUSPECTS
from sim.chance import game_key
from sim.events import EVENTS, happened, opening
from sim.game import apply, decider, legal, new_game
from sim.knowledge import begin
from sim.policies.table import NAMES, Policy, seat_policies
from sim.record import (
    FORMAT,
    VERSION,
    Record,
    Recorder,
    RecordError,
    checksum,
    knows,
    line,
    read,
)
from sim.referee import play
from sim.replay import replay, states
from sim.rules import FIXED_PLAYERS, PRESETS, Rules, preset, world
from sim.state import EVENT, FACTS, N_ACTIONS, REVEAL, SHOW, empty
from sim.view import relive, view_of

SEED = 5
TABLES = [
    (name, count)
    for name in PRESETS
    for count in range(3, 7)
    if FIXED_PLAYERS.get(name, count) == count
]
HIDDEN = ("hand", "envelope", "face_up", "has_shown")
OPEN = ("winner", "turn", "asked", "spot", "summoned", "out", "suggestions", "known", "phase")


@cache
def game(name, count, number=0):
    """Write down a short game with a wanderer and policies that differ from game to game."""
    names = ["wanderer", Policy("swift", threshold=0.4), *NAMES]
    seats = [names[(number + seat) % len(names)] for seat in range(count)]
    return written(preset(name, players=count, turn_cap=50), seats, SEED, number)


@pytest.fixture
def keep(tmp_path):
    """Write a text to a file and read it as a record."""

    def kept(text) -> Record:
        path = tmp_path / "game.jsonl"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read(path)

    return kept


@pytest.fixture
def fault(keep):
    """Return the error that a text raises, in reading or in replaying."""

    def raised(text) -> RecordError:
        with pytest.raises(RecordError) as caught:
            replay(keep(text))
        assert str(caught.value) == f"line {caught.value.line}: {caught.value.reason}"
        assert "\n" not in caught.value.reason
        return caught.value

    return raised


@pytest.mark.parametrize(("name", "count"), TABLES)
def test_a_record_replays_to_the_same_end(name, count, keep):
    for number in range(3):
        text, result, end = game(name, count, number)
        record = keep(text)
        assert record.rules == preset(name, players=count, turn_cap=50)
        assert (record.seed, record.game) == (SEED, number)
        assert record.end["winner"] == (result.winner if result.winner >= 0 else None)
        assert record.end["turns"] == result.turns
        replayed = replay(record)[0]
        for field in HIDDEN + OPEN:
            np.testing.assert_array_equal(replayed[field], end[field], err_msg=field)


def test_the_games_of_these_tests_hold_every_kind_of_event():
    texts = [game(*table, number)[0] for table in TABLES for number in range(3)]
    found = Counter(json.loads(each)["event"] for text in texts for each in text.splitlines()[1:])
    assert set(found) == set(EVENTS)
    assert any('"right":false' in text for text in texts)
    assert any('"unable":[1,2],"by":3' in text for text in texts)


def test_the_header_says_who_plays(keep):
    names = ["wanderer", Policy("swift", threshold=0.4, showing="least_informative"), "random"]
    record = keep(written(Rules(players=3, turn_cap=3), names, 0, 9)[0])
    assert record.seats[0] == {"label": "wanderer", "policy": "external", "showing": "external"}
    switches = {"threshold": 0.4, "inference": True, "showing": "least_informative"}
    assert record.seats[1] == {"label": "swift", "policy": "swift", **switches}
    assert record.seats[2]["policy"] == "random"
    assert record.end["winner"] is None


@pytest.mark.parametrize("number", range(2))
def test_watching_changes_nothing(number):
    rules = preset("ledford", turn_cap=60)
    for names in (
        ["greedy", "wanderer", "swift", "greedy"],
        [Policy("greedy", threshold=0.5), "heuristic", "closure", "random"],
    ):
        result = written(rules, names, SEED, number)[1]
        assert result == play(rules, players(names), SEED, number)


def test_a_recorder_writes_down_one_game_as_often_as_it_is_played():
    assert golden() == golden()


def test_the_record_kept_as_data_replays():
    record = read(FILE)
    assert replay(record)[0].winner == record.end["winner"]
    assert set(EVENTS) == {event["event"] for event in (*record.events, record.end)}
    assert any(event.get("right") is False for event in record.events)


# What a seat knows


class Knowledge:
    """What follows from the events that one seat knows: the fields of its view, and its log."""

    def __init__(self, rules, seat):
        self.rules, self.seat, self.board = rules, seat, world(rules)[0]
        self.view = empty()[0]
        self.view.winner = self.view.answerer = -1
        self.view.spot[:] = self.board.start
        self.events = []

    def hear(self, event):
        kind, seat, view = event["event"], event["seat"], self.view
        cards = sum(1 << CARDS.index(name) for name in event.get("cards", ()))
        if kind == "deal":
            view.hand[seat] = cards
        elif kind == "face_up":
            view.face_up = cards
        elif kind == "roll":
            view.roll, view.seat, view.turn = event["steps"], seat, event["turn"]
        elif kind in ("reach", "passage"):
            view.spot[seat], view.summoned[seat] = self.spot(event), 0
        elif kind == "suggestion":
            self.suggested(event, cards)
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
        elif kind == "verdict":
            view.out[seat] = not event["right"]
        elif kind == "end":
            view.winner = -1 if event["winner"] is None else event["winner"]

    def spot(self, event):
        if event["xy"] is None:
            return self.board.first_door[ROOMS.index(event["room"])]
        squares = {tuple(xy): spot for spot, xy in graph().nodes(data="xy")}
        return squares[tuple(event["xy"])]

    def suggested(self, event, cards):
        view, seat, called = self.view, event["seat"], event["called"]
        view.cards = cards
        view.asked += 1
        view.suggestions[seat] += 1
        view.summoned[seat] = 0
        self.events.append((seat, cards, -1, -1))
        if not self.rules.board:
            view.spot[seat] = self.board.start[seat]
        if called is not None:
            suspect, _, room = (CARDS.index(name) for name in event["cards"])
            assert self.rules.suspects[called] == SUSPECTS[suspect]
            view.spot[called] = self.board.first_door[room - FIRST_ROOM]
            view.summoned[called] = 1

    def evidence(self):
        """Return what the seat has learnt, from its log."""
        self.view.tracks[self.seat] = FACTS
        log = np.array(self.events, EVENT).view(np.recarray)
        relive(self.board, self.view, self.seat, log)
        return self.view.evidence[self.seat]


@pytest.mark.parametrize(("name", "count"), TABLES)
def test_what_is_known_to_a_seat_is_its_view(name, count, keep):
    record = keep(game(name, count, 1)[0])
    fields = ["winner", "cards", "answerer", "asked", "spot", "summoned", "out", "suggestions"]
    fields += ["face_up", "hand", "has_shown"]
    if record.rules.board:  # nobody rolls without one, so the next turn is announced by its action
        fields += ["turn", "seat", "roll"]
    known = [Knowledge(record.rules, seat) for seat in range(count)]
    for events, state in states(record):
        for each in known:
            for event in events:
                if event["event"] == "end":
                    assert event["known_to"] == "all"
                if knows(event, each.seat):
                    each.hear(event)
            view = view_of(state[0], each.seat)[0]
            for field in fields:
                np.testing.assert_array_equal(each.view[field], view[field], err_msg=field)
            if state[0].phase != SHOW:  # of a suggestion one learns when it is answered
                assert each.evidence().tobytes() == state[0].evidence[each.seat].tobytes()


def test_each_kind_of_event_is_known_to_those_it_concerns():
    """Of the rest, the tests with views and with other deals tell."""
    record = read(FILE)
    for event, after in pairwise([*record.events, record.end]):
        kind, seat = event["event"], event["seat"]
        if kind in ("deal", "move", "walk", "stay"):
            assert event["known_to"] == [seat]
        elif kind == "show":
            assert event["known_to"] == sorted((seat, event["by"]))
        elif kind == "envelope":
            assert event["known_to"] == []
        else:
            wrong = kind == "accusation" and not after["right"]
            assert event["known_to"] == ([seat] if wrong else "all")


def opening_moves(record, turns):
    """Return the events of the first turns, and what each seat has learnt in them."""
    told = []
    for events, state in states(record):
        told += events
        if state[0].turn > turns:
            break
    return told, state[0].evidence.copy()


def told_with_another_deal(record, events, seat, deal):
    """Play the actions of ``events`` with hidden cards that ``seat`` cannot tell from the real."""
    board, state, before = world(record.rules)[0], empty(), empty()
    s = state[0]
    seat_policies(s, [None] * record.rules.players)
    new_game(board, s, np.uint64(game_key(record.seed, record.game)))
    of = [int(sum(1 << card for card in np.flatnonzero(deal == column))) for column in range(7)]
    s.envelope, s.hand[:] = of[0], of[1:]
    for each in range(record.rules.players):
        begin(board, s, each)
    told = opening(board, s)
    shown = [e["action"] for e in events if e["event"] == "show" and knows(e, seat)]
    options = np.empty(N_ACTIONS, np.int64)

    def take(action):
        assert action in options[: legal(board, s, options)]
        before[0] = s
        apply(board, s, action)
        told.extend(happened(board, before[0], action, s))

    for event in events:
        if "action" in event and event["event"] != "show":
            take(event["action"])
            if s.phase == SHOW:
                last = legal(board, s, options) - 1
                ours = seat in (s.seat, decider(s))
                before_now = sum(e["event"] == "show" and knows(e, seat) for e in told)
                take(shown[before_now] if ours else int(options[last]))
    return told


@pytest.mark.parametrize("name", ["ledford", "classic", "speed"])
def test_hidden_cards_change_nothing_that_a_seat_knows(name, keep):
    tried = differing = 0
    for number in range(4):
        record = keep(game(name, 4, number)[0])
        events, evidence = opening_moves(record, 12)
        accused = [set(event["cards"]) for event in events if event["event"] == "accusation"]
        for seat in range(4):
            for deal in ExactPosterior(evidence[seat]).sample(new_stream(number), 4):
                if {CARDS[card] for card in np.flatnonzero(deal == 0)} in accused:
                    continue  # what was wrong would be right
                told = told_with_another_deal(record, events, seat, deal)
                ours, theirs = (
                    [event for event in each if knows(event, seat) and event["event"] != "end"]
                    for each in (told, events)
                )
                assert ours == theirs
                tried += 1
                differing += told != events
    assert differing > 0.9 * tried > 20


# Changed records


@pytest.fixture(scope="module")
def lines():
    return FILE.read_text().splitlines()


def text_of(lines):
    return "".join(f"{each}\n" for each in lines)


def test_every_changed_byte_is_found_in_its_line(fault):
    text = game("speed", 3, 1)[0].encode()
    assert 3000 < len(text) < 40_000
    flips = [(at, 1 << at % 7) for at in range(0, len(text), 61)]
    flips += [(at, 2) for at, byte in enumerate(text) if byte == ord("\n")][::5]
    for at, bit in flips:
        changed = bytearray(text)
        changed[at] ^= bit
        assert fault(bytes(changed)).line == 1 + text[:at].count(b"\n"), (at, bit)


def test_every_missing_line_is_found(fault, lines):
    for i in [*range(0, len(lines) - 1, 3), len(lines) - 1]:
        rest = lines[:i] + lines[i + 1 :]
        raised = fault(text_of(rest))
        assert raised.line == min(i + 1, len(rest))
    assert raised.reason == "no end of the game follows: the record is truncated"


def test_swapped_and_doubled_lines_are_found(fault, lines):
    for i in {*range(0, len(lines) - 1, 5), len(lines) - 2}:
        swapped = [*lines[:i], lines[i + 1], lines[i], *lines[i + 2 :]]
        # An end before its time is well formed: what follows it is not.
        assert fault(text_of(swapped)).line == i + 1 + (i == len(lines) - 2)
        assert fault(text_of([*lines[: i + 1], *lines[i:]])).line == i + 2
    assert fault(text_of([*lines, lines[-1]])).line == len(lines) + 1


def test_a_truncated_record_is_found(fault, lines):
    text = text_of(lines)
    for length in range(0, len(text), 211):
        raised = fault(text[:length])
        whole = text[:length].count("\n")
        assert raised.line == (whole if text[:length].endswith("\n") else whole + 1)
    assert fault(text[:-1]).reason == "the line is cut off: the record is truncated"
    assert fault("").reason == "the file is empty"


def changed(lines, kind, change, skip=0):
    """Return the number of an event's line, and the text of the record with it changed."""
    found = [i for i, each in enumerate(lines) if json.loads(each).get("event") == kind]
    at = found[skip]
    event = json.loads(lines[at])
    change(event)
    return at + 1, text_of([*lines[:at], line(event), *lines[at + 1 :]])


def put(**values):
    return lambda event: event.update(values)


def drop(key):
    return lambda event: event.pop(key)


def another_card(event):
    """Let another card be shown, with the action that goes with it."""
    event["card"] = next(name for name in CARDS if name != event["card"])
    event["action"] = REVEAL + CARDS.index(event["card"])


def reorder(event):
    event["turn"] = event.pop("turn")


@pytest.mark.parametrize(
    ("kind", "change", "reason"),
    [
        ("deal", put(cards=["Plum"]), "cards is ['Plum'], but in the game it is ["),
        ("deal", put(known_to="all"), "known_to is 'all', but in the game it is [0]"),
        ("envelope", put(known_to=[1]), "known_to is [1], but in the game it is []"),
        ("roll", put(steps=99), "steps is 99, but in the game it is "),
        ("roll", put(event="rol"), "unknown event 'rol'"),
        ("roll", put(event=["roll"]), "unknown event ['roll']"),
        ("roll", drop("event"), "the key 'event' is missing"),
        ("roll", drop("steps"), "the key 'steps' is missing"),
        ("roll", put(eyes=3), "there is no key 'eyes' here"),
        ("roll", put(known_to="everybody"), "known_to must be 'all' or a list of seats"),
        ("roll", put(known_to=[4]), "known_to must be 'all' or a list of seats, not [4]"),
        ("roll", reorder, "the keys are not in their order"),
        ("reach", put(xy=[0, 0]), "xy is [0, 0], but in the game it is "),
        ("move", put(action=10**30), "may not take action 1000000000000000000000000000000 here"),
        ("move", put(action=True), "may not take action True here"),
        ("move", put(action="8"), "may not take action '8' here"),
        ("move", put(action=-1), "may not take action -1 here"),
        ("move", put(goal="Cellar"), "goal is 'Cellar', but in the game it is"),
        ("suggestion", put(action=REVEAL), f"may not take action {REVEAL} here"),
        ("suggestion", put(cards=["Plum", "rope", "Hall"]), "cards is ['Plum', 'rope', 'Hall']"),
        ("refute", put(unable=[0, 1, 2, 3]), "unable is [0, 1, 2, 3], but in the game it is"),
        ("show", another_card, ""),
        ("verdict", put(right=1), "right is 1, but in the game it is False"),
        ("accusation", put(known_to="all"), "known_to is 'all', but in the game it is ["),
        ("end", put(winner=0), "winner is 0, but in the game it is 1"),
        ("end", put(digest="0" * 16), "digest is '0000000000000000', but in the game it is "),
    ],
)
def test_a_changed_event_is_found_and_explained(fault, lines, kind, change, reason):
    number, text = changed(lines, kind, change)
    raised = fault(text)
    assert raised.line == number
    assert reason in raised.reason


def test_a_card_that_could_not_be_shown_is_named(fault, lines):
    """Where the answerer has a choice, which is where the wanderer shows a card."""
    reasons = set()
    for skip in range(text_of(lines).count('"event":"show"')):
        for card in range(0, len(CARDS), 4):
            number, text = changed(lines, "show", put(card=CARDS[card], action=REVEAL + card), skip)
            if text == text_of(lines):
                continue
            raised = fault(text)
            if "cannot show the" in raised.reason:
                assert raised.line == number and CARDS[card] in raised.reason
                reasons.add(raised.reason.rpartition(", which ")[2])
    assert reasons == {"was not asked for", "is not in its hand"}


def test_a_change_without_consequences_is_found_at_the_end(fault, lines):
    """Two goals on the same way, say: a legal game, but not the one that was written down."""
    last = 0
    for skip in range(4):
        for room, goal in enumerate(ROOMS):
            _, text = changed(lines, "move", put(goal=goal, action=room), skip)
            if text != text_of(lines):
                raised = fault(text)
                if raised.line == len(lines):
                    assert raised.reason.startswith("check is ")
                    last += 1
    assert last


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (put(format="chess"), f"not a game record: it must begin with format {FORMAT!r}"),
        (put(version=2), f"unknown version 2: this program reads version {VERSION}"),
        (drop("version"), f"unknown version None: this program reads version {VERSION}"),
        (drop("seed"), "the key 'seed' is missing"),
        (put(speed=1), "there is no key 'speed' here"),
        (put(seed=-1), "seed must be a number from 0 to 2^63 - 1, not -1"),
        (put(game=2**63), f"game must be a number from 0 to 2^63 - 1, not {2**63}"),
        (put(game=True), "game must be a number from 0 to 2^63 - 1, not True"),
        (put(rules=[]), "rules must be an object with all switches"),
        (put(rules={"name": "ledford"}), "the key 'players' is missing"),
        (put(rules={**asdict(Rules()), "dice": "1"}), "rules.dice must be like 1, not '1'"),
        (put(rules={**asdict(Rules()), "dice": 3}), "rules.dice must be 1 or 2, got 3"),
        (put(seats=[]), "seats must list 4 players"),
        (put(seats=["random"] * 4), "each of seats must be an object with a label"),
        (put(seats=[{"label": "x", "policy": "y"}] * 4), "the key 'threshold' is missing"),
    ],
)
def test_a_changed_header_is_found_and_explained(fault, lines, change, reason):
    """Also by somebody who knows how its check is made."""
    value = json.loads(lines[0])
    change(value)
    raised = fault(text_of([line(value), *lines[1:]]))
    assert raised.line == 1
    value.pop("check")
    value["check"] = checksum([line(value)])
    raised = fault(text_of([line(value), *lines[1:]]))
    assert (raised.line, raised.reason) == (1, reason)


def test_another_game_in_the_header_is_found_in_the_deal(fault, lines):
    value = json.loads(lines[0])
    value.pop("check")
    value["game"] += 1
    value["check"] = checksum([line(value)])
    assert fault(text_of([line(value), *lines[1:]])).line == 2


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (b"{", "not JSON (Expecting property name enclosed in double quotes)"),
        (b"", "not JSON (Expecting value)"),
        (b"[]", "not a JSON object"),
        (b"[" * 100_000, "not JSON (maximum recursion depth exceeded"),
        (b"\xff\xfe\x00", "not JSON ("),
        (b'{"turn": 0}', "spaces, keys or numbers are not written as in a record"),
        (b'{"turn":0,"turn":0}', "spaces, keys or numbers are not written as in a record"),
    ],
)
def test_a_line_that_is_no_json_is_explained(fault, lines, second, reason):
    raised = fault(b"\n".join([lines[0].encode(), second, *map(str.encode, lines[2:]), b""]))
    assert raised.line == 2
    assert raised.reason.startswith(reason)


def test_a_game_not_over_is_a_truncated_record(fault):
    rules = Rules(turn_cap=5)
    recorder = Recorder(rules, players(["random"] * 4), SEED, 0)
    texts = []

    def watch(state, action):
        recorder(state, action)
        texts.append(recorder.text())

    play(rules, players(["random"] * 4), SEED, 0, watch)
    assert all("truncated" in fault(text).reason for text in texts[:-1])


def test_a_record_of_another_length_is_found(fault, keep):
    """An end without turns to come, of a game that would go on."""
    text = written(Rules(turn_cap=5), ["random"] * 4, SEED, 0)[0]
    record = keep(text)
    longer = replace(record, rules=replace(record.rules, turn_cap=6))
    with pytest.raises(RecordError, match=r"line .*: 'end' where 'roll' is due"):
        replay(longer)
    shorter = replace(record, rules=replace(record.rules, turn_cap=4))
    with pytest.raises(RecordError, match=r"line .*: 'roll' where 'end' is due"):
        replay(shorter)
