"""Wrong accusations at tables of bold players: heard by everybody, or as the control in secret."""

import asyncio
import io
import os
from dataclasses import replace

import numpy as np
import pytest
from in_process import inside
from rich.console import Console
from seat_messages import play_pair, unknowable
from table_setup import COMPUTER, person, play_to_prompt, setup

from belief.exact.solver import ExactPosterior
from experiments.explain import __main__ as explain
from experiments.explain.recorded import decisions, list_seen
from experiments.web.analysis import notebook
from experiments.web.analysis.advice import advise
from experiments.web.analysis.notebook import Knowledge, evidence_of
from experiments.web.tables import requests
from experiments.web.tables.table import Table
from sim.cards import CARDS
from sim.records.record import read
from sim.records.replay import states
from sim.rules import preset
from sim.state import ACCUSED

BOLD = {**COMPUTER, "threshold": 0.2}
CLASSIC = {"name": "classic", "turn_cap": 300}
GAMES = range(4)
HAND, FACE_UP = (
    sum(1 << CARDS.index(card) for card in cards)
    for cards in (("Mustard", "knife", "lead pipe", "Study"), ("rope", "candlestick"))
)


def wrong(events):
    """Return the wrong accusations among ``events`` of a whole game."""
    made = [event for event in events if event["event"] == "accusation"]
    return [event for event in made if event["seat"] != events[-1]["winner"]]


def deaf(events, seat):
    """Return what `list_seen` does, without accusations."""
    return [event for event in list_seen(events, seat) if event[2] != ACCUSED]


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """Return games of bold computers in which accusations were heard, and among them wrong."""
    found = []
    for game in GAMES:
        folder = tmp_path_factory.mktemp("game")
        table = Table(setup(*[BOLD] * 4, game=game, **CLASSIC), folder)
        play_to_prompt(table)
        (folder / "game.jsonl").write_text(table.game.record())
        found.append(read(folder / "game.jsonl"))
    assert sum(len(wrong((*record.events, record.end))) for record in found) > 4
    return found


@pytest.mark.parametrize("accusations", ["heard", "secret"])
def test_no_message_to_a_seat_tells_it_what_another_accused_in_secret(
    tmp_path, monkeypatch, accusations
):
    """Streams, questions, pages and notebooks of Ann; what is heard reaches her."""
    monkeypatch.setattr(os, "fsync", lambda file: None)
    reached, noted, total = 0, 0, 0

    async def play(game):
        seats = (person("Ann"), BOLD, BOLD, BOLD)
        at = replace(setup(*seats, game=game, accusations=accusations, **CLASSIC), pace=0.0)
        async with inside(tmp_path / str(game)) as server:
            return await play_pair(server, at, 0)

    for game in GAMES:
        traffic = asyncio.run(play(game))
        assert unknowable(traffic) == []
        events = [part["event"] for part in traffic.messages if part["kind"] == "event"]
        reached += sum(one["seat"] != 0 for one in wrong(events))
        noted += sum('"accused":[[' in part[-1] for part in traffic.got if "notebook" in part)
        total += sum(one["seat"] != 0 for one in wrong(traffic.events))
    assert total and reached == (total if accusations == "heard" else 0)
    assert (noted > 0) == (accusations == "heard")


def test_a_notebook_holds_what_the_state_machine_lets_its_seat_learn(records, monkeypatch):
    """The control takes no accusation in."""

    def differing():
        found = 0
        for record in records:
            end = 0
            for events, state in states(record):
                end += len(events)
                for seat in range(4) if events[0]["event"] == "accusation" else ():
                    known = Knowledge.of(record.rules, seat, record.events[:end])
                    own = ExactPosterior(evidence_of(known)).envelope_table()
                    kept = ExactPosterior(state[0].evidence[seat]).envelope_table()
                    found += not np.allclose(own, kept, atol=1e-12)
                    assert len(known.turns) >= len(known.suggestions)
        return found

    assert not differing()
    monkeypatch.setattr(notebook, "list_seen", deaf)
    assert differing()


@pytest.mark.parametrize("informative", [notebook._INFORMATIVE, ("deal", "suggestion", "show")])
def test_bits_after_each_turn_take_in_what_was_heard(records, monkeypatch, informative):
    """In the control an accusation is no news."""
    monkeypatch.setattr(notebook, "_INFORMATIVE", informative)
    stale = 0
    for record in records:
        events = (*record.events, {**record.end, "turn": record.end["turns"] + 1})
        for turn, bits in notebook.Entropies(record.rules).turns(events):
            known = [event for event in record.events if event["turn"] <= turn]
            page = notebook.notebook(Knowledge.of(record.rules, 2, known), chance=True)
            stale += bits[2] != page["bits"]
    assert (stale == 0) == ("accusation" in informative)


def test_a_policy_that_is_asked_later_has_heard_what_the_player_had(records, monkeypatch):
    """Its accusations are those of the record; without what it heard some are others."""

    def differing():
        return sum(
            advise(record, one.line, BOLD)["action"] != one.action
            for record in records
            for one in decisions(record)
            if record.events[one.line - 2]["event"] == "accusation"
        )

    assert not differing()
    monkeypatch.setattr("experiments.explain.recorded.list_seen", deaf)
    assert differing()


def test_a_notebook_lists_an_accusation_unless_its_marks_say_it():
    """Of two envelopes that are left one was accused: with both facts the other is certain."""
    rules = preset("ledford")

    def page(*said):
        masks = [sum(1 << CARDS.index(card) for card in cards) for _, cards, _ in said]
        rows = [(by, mask, what, -1) for (by, _, what), mask in zip(said, masks, strict=True)]
        known = Knowledge(rules, 0, HAND, FACE_UP, rows, range(1, 1 + len(rows)))
        return notebook.notebook(known, chance=False)

    plum = 0, ("Plum", "rope", "Study"), -1
    library = 0, ("Mustard", "knife", "Library"), -1
    heard = 2, ("Plum", "revolver", "Library"), ACCUSED
    assert page(plum, heard)["accused"] == [list(heard[1])]
    assert page(plum, library)["accused"] == page(plum, library, heard)["accused"] == []


def test_explain_says_what_was_accused_and_counts_no_suggestion_for_it(records):
    record, shown = records[1], Console(file=io.StringIO(), width=200)
    *_, last = decisions(record)
    known = record.events[: last.line - 2]
    held = evidence_of(Knowledge.of(record.rules, last.seat, known))
    explain._print_position(shown, last, ExactPosterior(held))
    events = *known, record.end
    text, asked = shown.file.getvalue(), sum(one["event"] == "suggestion" for one in known)
    said = [f"by seat {one['seat']}: {', '.join(one['cards'])}\n" for one in wrong(events)]
    assert said and all(words in text for words in (f"suggestions: {asked} so far", *said))


def test_a_table_that_is_older_than_the_switch_keeps_its_secrets():
    composed = requests._compose("rules", "classic")
    older = {key: value for key, value in composed.items() if key != "accusations"}
    for rules, accusations in ((composed, "heard"), (older, "secret")):
        made = setup(*[BOLD] * 4, **{**rules, "turn_cap": 3000})
        assert made.build_rules() == preset("classic", accusations=accusations)
