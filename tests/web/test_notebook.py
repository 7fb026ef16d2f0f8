"""A seat's notebook beside the truth and the exact posterior."""

import numpy as np
import pytest
from table_setup import COMPUTER, person, play_to_prompt, setup

from experiments.web.analysis.notebook import (
    MAYBE,
    NO,
    YES,
    Entropies,
    Knowledge,
    notebook,
    round_chance,
)
from experiments.web.server import records
from experiments.web.tables.table import Table
from sim.cards import CARDS
from sim.records.record import knows, read


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Return a table of computers whose game is over."""
    table = Table(setup(*[COMPUTER] * 4, turn_cap=3000), tmp_path_factory.mktemp("over"))
    assert play_to_prompt(table) is None
    return table


def truth(table):
    """Return by card who has it: 0 the envelope, seat + 1, -1 nobody."""
    holder = dict.fromkeys(CARDS, -1)
    for event in table.game.events:
        if event["event"] == "deal":
            holder |= dict.fromkeys(event["cards"], event["seat"] + 1)
        elif event["event"] == "envelope":
            holder |= dict.fromkeys(event["cards"], 0)
    return holder


def test_what_is_proved_is_true_and_grows(table):
    holder, certain = truth(table), []
    for end in range(0, len(table.game.events), 40):
        pages = [
            notebook(Knowledge.of(table.game.rules, seat, table.game.events[:end]), chance=False)
            for seat in range(4)
        ]
        for page in pages:
            for line in page["cards"]:
                for place, said in enumerate(line["holders"]):
                    assert said != (NO if holder[line["card"]] == place else YES)
        said = [said for page in pages for line in page["cards"] for said in line["holders"]]
        certain.append(len(said) - said.count(MAYBE))
    assert certain == sorted(certain) and certain[0] < certain[-1]


def test_chances_are_the_exact_posterior(table):
    knowledge = Knowledge.of(table.game.rules, 1, table.game.events[:60])
    page = notebook(knowledge, chance=True)
    chance = np.array(page["chance"])
    for line, row in zip(page["cards"], chance, strict=True):
        for said, p in zip(line["holders"], row, strict=True):
            assert {YES: p == 1.0, NO: p == 0.0, MAYBE: True}[said]
    np.testing.assert_allclose(chance[:, 0].sum(), 3.0, atol=1e-3)
    np.testing.assert_allclose(chance[:, 1:].sum(axis=0), 4.0, atol=2e-3)
    assert 0 < page["bits"] < np.log2(6 * 6 * 9)
    without = notebook(knowledge, chance=False)
    assert without["chance"] is without["bits"] is None and without["cards"] == page["cards"]


def test_nothing_but_what_is_certain_is_told_as_certain():
    chances = [1.0, 1.0 - 1e-15, 0.99997, 0.5, 0.00002, 1e-15, 0.0]
    assert list(map(round_chance, chances)) == [1.0, 1.0, 0.9999, 0.5, 0.0001, 0.0, 0.0]


def test_a_notebook_is_made_of_what_its_seat_knows(table):
    """Events that it does not know may say anything; the control is one that it knows."""
    events = table.game.events[:120]
    mine = notebook(Knowledge.of(table.game.rules, 0, events), chance=True)
    wrong = {"card": CARDS[0], "cards": [CARDS[0]]}
    other = [event if knows(event, 0) else {**event, **wrong} for event in events]
    assert other != events
    for received in (other, [event for event in events if knows(event, 0)]):
        assert notebook(Knowledge.of(table.game.rules, 0, received), chance=True) == mine
    fewer = Knowledge.of(table.game.rules, 0, events[:80])
    assert notebook(fewer, chance=True) != mine


def test_while_a_card_is_to_be_shown_nothing_is_concluded(tmp_path):
    """Ann has asked, Bob has not shown yet: the notebook is that of before her question."""
    table = Table(setup(person("Ann"), person("Bob"), COMPUTER, COMPUTER), tmp_path)
    stream, between = np.random.default_rng(7), 0
    while prompt := play_to_prompt(table):
        if prompt.shows and table.known_to(None)[-1]["seat"] != prompt.seat:
            asker = table.known_to(None)[-1]["seat"]
            page = notebook(Knowledge.of(table.game.rules, asker, table.known_to(asker)), False)
            assert len(page["cards"]) == len(CARDS)
            between += asker in (0, 1)
        fit = [action for action in prompt.choices if not 46 <= action < 370]
        table.answer(prompt.seat, prompt.number, int(stream.choice(fit)))
    assert between


def test_while_cards_are_dealt_the_own_hand_alone_is_known(table):
    for end in range(6):
        page = notebook(Knowledge.of(table.game.rules, 1, table.game.events[:end]), chance=True)
        dealt = table.game.events[1]["cards"] if end > 1 else []
        sure = [line["card"] for line in page["cards"] if MAYBE not in line["holders"]]
        if end < 5:
            assert sorted(sure) == sorted(dealt) and page["chance"] is page["bits"] is None
        else:
            assert len(sure) > 4 and page["bits"] is not None, "the control: all are dealt"


def test_the_bits_of_a_game_under_way_are_those_of_its_record_so_far(table, tmp_path):
    """Turn by turn; they fall to nothing for the winner."""
    (tmp_path / "game.jsonl").write_text(table.game.record())
    record, turns = read(tmp_path / "game.jsonl"), records._turns(tmp_path / "game.jsonl")
    assert [turn["turn"] for turn in turns] == list(range(record.end["turns"] + 1))
    bits = np.array([turn["bits"] for turn in turns])
    assert (bits[0] > 6).all() and bits[-1, record.end["winner"]] == 0
    counting, whole = Entropies(record.rules), [(one["turn"], tuple(one["bits"])) for one in turns]
    for shown in range(1, len(record.events), 7):
        found = counting.turns(record.events[:shown])
        assert found == whole[: len(found)]
    assert len(found) > len(whole) / 2
