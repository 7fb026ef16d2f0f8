"""The bits of all seats over a game, turn by turn."""

import numpy as np
import pytest
from table_setup import COMPUTER, play_to_prompt, setup

from experiments.web.analysis.notebook import Entropies
from experiments.web.server import records
from experiments.web.tables.table import Table
from sim.records.record import read


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Return the file with the record of a game of four computers."""
    folder = tmp_path_factory.mktemp("table")
    table = Table(setup(COMPUTER, COMPUTER, COMPUTER, COMPUTER, turn_cap=3000), folder)
    play_to_prompt(table)
    (folder / "game.jsonl").write_text(table.game.record())
    return folder / "game.jsonl"


def test_bits_fall_to_nothing_for_the_winner(path):
    record, turns = read(path), records._turns(path)
    assert [turn["turn"] for turn in turns] == list(range(record.end["turns"] + 1))
    bits = np.array([turn["bits"] for turn in turns])
    assert (bits[0] > 6).all()
    assert (np.diff(bits.mean(axis=1)) < 0).sum() > 5
    assert bits[-1, record.end["winner"]] == 0


def test_a_game_under_way_has_the_same_bits_so_far(path):
    record, counting = read(path), Entropies(read(path).rules)
    whole = [(turn["turn"], tuple(turn["bits"])) for turn in records._turns(path)]
    for shown in range(1, len(record.events), 7):
        found = counting.turns(record.events[:shown])
        assert found == whole[: len(found)]
    assert len(found) > len(whole) / 2
