"""The course of a finished game beside what is known of its end."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from table_setup import COMPUTER, play_to_prompt, setup

from experiments.web.analysis.timeline import timeline
from experiments.web.tables.table import Table
from sim.records.record import read


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """Return the record of a game of four computers."""
    folder = tmp_path_factory.mktemp("table")
    table = Table(setup(COMPUTER, COMPUTER, COMPUTER, COMPUTER, turn_cap=3000), folder)
    play_to_prompt(table)
    (folder / "game.jsonl").write_text(table.game.record())
    return read(folder / "game.jsonl")


def test_bits_fall_and_the_winner_is_sure_in_the_end(record):
    turns = list(timeline(record, games=40))
    assert [turn.turn for turn in turns] == list(range(record.end["turns"] + 1))
    assert turns[-1].line == len(record.events) + 2
    bits = np.array([turn.bits for turn in turns])
    winner = record.end["winner"]
    assert (bits[0] > 6).all() and (np.diff(bits.mean(axis=1)) < 0).sum() > 5
    assert bits[-1, winner] == 0
    chance = np.array([turn.chance for turn in turns])
    assert chance[-1, winner] == 1 and (chance.sum(axis=1) <= 1 + 1e-9).all()
    assert 0.05 < chance[0, winner] < 0.6 < chance[-2, winner]


def test_each_line_ends_a_turn(record):
    received = (*record.events, record.end)
    for turn in list(timeline(record, games=1))[1:-1]:
        assert received[turn.line - 2]["event"] == "roll"
        assert received[turn.line - 2]["turn"] == turn.turn + 1


def test_a_turn_can_be_told_as_json(record):
    for turn in timeline(record, games=1):
        assert json.loads(json.dumps(asdict(turn)))["turn"] == turn.turn


def test_chances_are_those_of_other_dice(record):
    """The same key gives the same, another key others."""
    first, again, other = (
        [turn.chance for turn in timeline(record, games=20, key=key)] for key in (1, 1, 2)
    )
    assert first == again != other
