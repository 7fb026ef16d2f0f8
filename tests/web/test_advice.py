"""Advice at a decision of a recorded game: from whom, and from what."""

import pytest
from omegaconf import OmegaConf
from table_setup import COMPUTER, play_to_prompt, setup

from experiments.explain.recorded import decisions
from experiments.settings import config
from experiments.settings.commandline import Refusal
from experiments.web.analysis.advice import (
    advise,
)
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


def lines(record):
    """Return the lines of decisions with a choice."""
    return [decision.line for decision in decisions(record) if decision.choices > 1]


def test_a_policy_that_draws_nothing_advises_what_it_did(record):
    """Swift breaks ties by chance alone at walks; its suggestions and accusations are its own."""
    asked = [line for line in lines(record) if record.events[line - 2]["event"] != "move"]
    same = [
        advise(record, line, COMPUTER)["action"] == record.events[line - 2]["action"]
        for line in asked
    ]
    assert len(same) > 8 and sum(same) > 0.8 * len(same)
    other = {**COMPUTER, "name": "random"}
    del other["threshold"], other["own_card_weight"]
    differs = [
        advise(record, line, other)["action"] != record.events[line - 2]["action"] for line in asked
    ]
    assert sum(differs) > 0.8 * len(differs)


def test_a_planner_tells_its_root(record):
    settings = config.compose("compare", ["player=bmcts", "player.budget.simulations=30"]).player
    spec, line = OmegaConf.to_container(settings), lines(record)[4]
    received = advise(record, line, spec)
    assert sum(row["visits"] for row in received["table"]) == received["simulations"] == 30
    assert received["line"][0]["words"] == received["words"]
    root, *below = received["tree"]
    assert root["bits"] > 0 and any("exact" in node for node in below)
    assert any(node["bits"] < root["bits"] for node in below if "exact" in node)
    for _, cards in root["envelope"]:
        assert sum(chance for _, chance in cards) == pytest.approx(1.0)
    kinds = {
        name: any(row[name] is not None for row in received["table"]) for name in ("bits", "right")
    }
    assert kinds == {"bits": True, "right": True}
    assert received == advise(record, line, spec) != advise(record, line, spec, seed=1)


def test_where_nothing_is_decided_there_is_no_advice(record):
    with pytest.raises(Refusal, match="is no turn decision"):
        advise(record, 2, COMPUTER)
    with pytest.raises(ValueError, match="unknown player 'nobody'"):
        advise(record, lines(record)[0], {"name": "nobody"})
