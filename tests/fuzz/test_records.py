"""Damaged records do no harm; and the fuzzer finds what would."""

import json

import records

from sim.records import record as written
from sim.records import replay as player

CASES = 500


def test_damaged_records_are_refused_in_a_line_or_replay(tmp_path):
    assert [found for found in records.attack(CASES, 1, tmp_path) if found] == []


def test_the_same_seed_makes_the_same_cases():
    text = records.game(0)
    made = [
        [records.damage_record(records.Random(f"{seed}/3"), text) for seed in (1, 2)] for _ in "ab"
    ]
    assert made[0] == made[1] and made[0][0] != made[0][1]


def test_forged_checks_are_right(tmp_path):
    text = records.game(1)
    values = [json.loads(row) for row in text.splitlines()]
    assert "\n".join(records.forge(values)) + "\n" == text
    values[0]["seats"][0]["label"] = "forger"
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(records.forge(values)) + "\n")
    assert written.read(path).seats[0]["label"] == "forger"


def complains(tmp_path, words):
    """Return whether one of the cases is found with a complaint that has ``words`` in it."""
    return any(words in found.complaint for found in records.attack(CASES, 1, tmp_path) if found)


def test_a_reader_that_trusts_its_file_is_found(monkeypatch, tmp_path):
    monkeypatch.setattr(written, "_check_event", lambda *_: None)
    assert complains(tmp_path, "KeyError")


def test_a_replay_that_does_not_compare_is_found(monkeypatch, tmp_path):
    monkeypatch.setattr(player, "_compare", lambda *_: None)
    assert complains(tmp_path, "it is taken for what it is not")
