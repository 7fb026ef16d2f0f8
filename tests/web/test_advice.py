"""Advice at a decision of a recorded game: from whom, and from what."""

import pytest
from omegaconf import OmegaConf
from table_setup import COMPUTER, play_to_prompt, setup

from belief.exact.solver import ExactPosterior
from experiments.explain.recorded import consider, decisions
from experiments.settings import config
from experiments.settings.commandline import Refusal
from experiments.web.analysis.advice import (
    AS_GOOD,
    LESS,
    PROVED,
    SAME,
    UNKNOWN,
    VERDICTS,
    Verdict,
    advise,
    is_accusation,
    judge,
    weigh,
)
from experiments.web.tables.table import Table
from sim.players.registry import make
from sim.records.record import read
from sim.state import ACCUSE, REVEAL, WALK


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """Return the record of a game of four computers."""
    folder = tmp_path_factory.mktemp("table")
    table = Table(setup(COMPUTER, COMPUTER, COMPUTER, COMPUTER, turn_cap=3000), folder)
    play_to_prompt(table)
    (folder / "game.jsonl").write_text(table.game.record())
    return read(folder / "game.jsonl")


@pytest.fixture(scope="module")
def review_game(tmp_path_factory):
    """Return the record of a game in which two computers do anything, and best with few looks."""
    folder = tmp_path_factory.mktemp("reviewed")
    anything = {"name": "random", "showing": "random"}
    table = Table(setup(anything, COMPUTER, anything, COMPUTER, turn_cap=3000), folder)
    play_to_prompt(table)
    (folder / "game.jsonl").write_text(table.game.record())
    settings = config.compose("compare", ["player=best", "player.budget.simulations=60"]).player
    return read(folder / "game.jsonl"), OmegaConf.to_container(settings, resolve=True)


def test_each_decision_of_a_whole_game_has_a_verdict_that_contradicts_nothing(review_game):
    """The winner's accusation, actions that are not on the list, and the same again."""
    record, best = review_game
    verdicts, searched_again = [], 0
    for line in lines(record):
        received = advise(record, line, best, judged=True)
        played, made = record.events[line - 2]["action"], received["verdict"]
        verdicts.append(made)
        assert made["kind"] in VERDICTS and made["kind"] != UNKNOWN
        assert 0.0 <= made["loss"] <= 1.0 and made["spread"] >= 0.0
        if made["kind"] in (PROVED, SAME, AS_GOOD) or received["action"] == played:
            assert made["loss"] == made["spread"] == 0.0 and made["kind"] != LESS
        listed = {row["action"] for row in received.get("table", ()) if row["visits"]}
        searched_again += not is_accusation(played) and played not in listed
        for row in received.get("table", ()):
            if row["action"] == received["action"] and not is_accusation(row["action"]):
                assert made["chance"] == row["value"], "of the search that is shown"
    assert verdicts[-1] == {"kind": PROVED, "loss": 0.0, "spread": 0.0, "chance": 1.0}
    assert record.events[lines(record)[-1] - 2]["seat"] == record.end["winner"]
    assert searched_again > 3 and {made["kind"] for made in verdicts} == {*VERDICTS} - {UNKNOWN}


def test_who_does_not_accuse_though_all_is_proved_loses_what_is_left(review_game):
    record, best = review_game
    decision = list(decisions(record))[-1]
    player = make(best, record.rules)
    proved = consider(player, decision, 0)
    posterior = ExactPosterior(player.evidence[0])
    weighed = {one: weigh(player, decision, {proved, one}, posterior) for one in range(3)}
    other, worth = next((one, worth) for one, worth in weighed.items() if one in worth)
    made = judge(other, proved, worth)
    assert worth[proved] == (1.0, 0.0) and 0.0 <= worth[other][0] < 1.0  # a walk somewhere
    assert (made.kind, made.chance) == (LESS, 1.0) and made.loss == 1.0 - worth[other][0]
    wrong = ACCUSE + (proved - ACCUSE + 1) % (REVEAL - ACCUSE)
    assert judge(wrong, proved, weigh(player, decision, {proved, wrong}, posterior)).loss == 1.0
    square = weigh(player, decision, {proved, WALK}, posterior)
    assert judge(WALK, proved, square) == Verdict(UNKNOWN, None, None, 1.0)


def test_a_policy_judges_what_needs_no_search(review_game):
    record, _ = review_game
    made = [advise(record, line, COMPUTER, judged=True)["verdict"] for line in lines(record)]
    assert made[-1]["kind"] == PROVED
    assert {one["kind"] for one in made} == {PROVED, SAME, UNKNOWN}
    assert all((one["loss"] is None) == (one["kind"] == UNKNOWN) for one in made)


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
