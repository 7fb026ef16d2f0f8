"""A changed record is refused, with the changed line and the reason."""

import json
from dataclasses import asdict

import pytest
from recorded import FILE, record_of, short_game

from sim.cards import CARDS
from sim.records.record import FORMAT, VERSION, RecordError, checksum, line
from sim.records.replay import replay
from sim.rules import Rules
from sim.state import REVEAL


@pytest.fixture
def keep(tmp_path):
    """Write a text to a file and read it as a record."""
    return lambda text: record_of(text, tmp_path)


@pytest.fixture
def fault(keep):
    """Return the error that a text raises, in reading or in replaying."""

    def read_fault(text) -> RecordError:
        with pytest.raises(RecordError) as caught:
            replay(keep(text))
        assert str(caught.value) == f"line {caught.value.line}: {caught.value.reason}"
        assert "\n" not in caught.value.reason
        return caught.value

    return read_fault


@pytest.fixture(scope="module")
def lines():
    return FILE.read_text().splitlines()


def text_of(lines):
    return "".join(f"{line}\n" for line in lines)


def test_every_changed_byte_is_found_in_its_line(fault):
    text = short_game("speed", 3, 1)[0].encode()
    assert 3000 < len(text) < 40_000
    flips = [(at, 1 << at % 7) for at in range(0, len(text), 61)]
    flips += [(at, 2) for at, byte in enumerate(text) if byte == ord("\n")][::5]
    for at, bit in flips:
        changed = bytearray(text)
        changed[at] ^= bit
        assert fault(bytes(changed)).line == 1 + text[:at].count(b"\n"), (at, bit)


def test_a_truncated_record_is_found(fault, lines):
    text = text_of(lines)
    for length in range(0, len(text), 211):
        raised = fault(text[:length])
        whole = text[:length].count("\n")
        assert raised.line == (whole if text[:length].endswith("\n") else whole + 1)
    assert fault(text[:-1]).reason == "the line is cut off: the record is truncated"
    assert fault("").reason == "the file is empty"


def change_line(lines, kind, change, skip=0):
    """Return the number of an event's line, and the text of the record with it changed."""
    found = [i for i, text in enumerate(lines) if json.loads(text).get("event") == kind]
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


@pytest.mark.parametrize(
    ("kind", "change", "reason"),
    [
        ("deal", put(known_to="all"), "known_to is 'all', but in the game it is [0]"),
        ("envelope", put(known_to=[1]), "known_to is [1], but in the game it is []"),
        ("roll", put(steps=99), "steps is 99, but in the game it is "),
        ("roll", put(event="rol"), "unknown event 'rol'"),
        ("roll", drop("steps"), "the key 'steps' is missing"),
        ("roll", put(known_to=[4]), "known_to must be 'all' or a list of seats, not [4]"),
        ("move", put(action=10**30), "may not take action 1000000000000000000000000000000 here"),
        ("move", put(goal="Cellar"), "goal is 'Cellar', but in the game it is"),
        ("suggestion", put(action=REVEAL), f"may not take action {REVEAL} here"),
        ("show", another_card, ""),
        ("verdict", put(right=1), "right is 1, but in the game it is False"),
        ("end", put(digest="0" * 16), "digest is '0000000000000000', but in the game it is "),
    ],
)
def test_a_changed_event_is_found_and_explained(fault, lines, kind, change, reason):
    number, text = change_line(lines, kind, change)
    raised = fault(text)
    assert raised.line == number
    assert reason in raised.reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (put(format="chess"), f"not a game record: it must begin with format {FORMAT!r}"),
        (put(version=2), f"unknown version 2: this program reads version {VERSION}"),
        (drop("seed"), "the key 'seed' is missing"),
        (put(seed=-1), "seed must be a number from 0 to 2^63 - 1, not -1"),
        (put(rules={"name": "ledford", "luck": 1}), "rules.luck: unknown setting"),
        (put(rules={**asdict(Rules()), "dice": 3}), "rules.dice=3: must be at most 2"),
        (put(seats=[{"label": "random"}] * 4), "the key 'policy' is missing"),
        (put(seats=[{"label": "x", "policy": "external"}] * 4), "the key 'showing' is missing"),
    ],
)
def test_a_changed_header_is_found_and_explained(fault, lines, change, reason):
    """Also by somebody who knows how its check is made."""
    value = json.loads(lines[0])
    change(value)
    raised = fault(text_of([line(value), *lines[1:]]))
    assert raised.line == 1
    raised = fault(text_of([check(value), *lines[1:]]))
    assert (raised.line, raised.reason) == (1, reason)


def check(value):
    """Return a header with the check that its content has."""
    value.pop("check")
    value["check"] = checksum([line(value)])
    return line(value)


def test_another_game_in_the_header_is_found_in_the_deal(fault, lines):
    value = json.loads(lines[0])
    value["game"] += 1
    assert fault(text_of([check(value), *lines[1:]])).line == 2


def test_a_switch_younger_than_the_record_has_its_default(keep, lines):
    value = json.loads(lines[0])
    del value["rules"]["board"], value["seats"][1]["inference"]
    older = [check(value), *lines[1:-1]]
    end = json.loads(lines[-1])
    end["check"] = checksum(older)
    assert replay(keep(text_of([*older, line(end)])))[0].winner == end["winner"]


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (b"{", "not JSON (Expecting property name enclosed in double quotes)"),
        (b"[" * 100_000, "not JSON (maximum recursion depth exceeded"),
        (b"\xff\xfe\x00", "not JSON ("),
        (b'{"turn":0,"turn":0}', "spaces, keys or numbers are not written as in a record"),
    ],
)
def test_a_line_that_is_no_json_is_explained(fault, lines, second, reason):
    raised = fault(b"\n".join([lines[0].encode(), second, *map(str.encode, lines[2:]), b""]))
    assert raised.line == 2
    assert raised.reason.startswith(reason)
