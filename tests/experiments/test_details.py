"""Rows of details say what a seat saw and spent, and watching changes nothing."""

from __future__ import annotations

from dataclasses import replace
from math import log2

import numpy as np
import pyarrow as pa
import pytest

from belief import matrix
from belief.evidence import EvidenceFull
from experiments.matches import details
from experiments.matches.details import KINDS, EnvelopeEntropies, Observer, together
from mcts.inspect import root_table
from mcts.kernel.rng import below, new_stream
from mcts.options import Budget
from sim.legal import legal
from sim.planning.config import PlannerConfig
from sim.planning.planner import Planner
from sim.player import Player, PolicyPlayer
from sim.policies.registry import Policy
from sim.records.record import Recorder, read
from sim.records.replay import states
from sim.referee import play
from sim.rules import preset, world
from sim.state import ACCUSE, ASK, N_ACTIONS, REVEAL, SHOW

SEED = 3


class Thinker(Player):
    """Acts and shows at random, without accusing if it can; says it searched where it could choose.

    ``searched`` says for each decision whether it did.
    """

    picks_cards = True

    def __init__(self) -> None:
        super().__init__("thinker")
        self._options = np.empty(N_ACTIONS, np.int64)

    def begin(self, rules, seat, view, key):
        self._world, self._stream, self.searched = world(rules)[0], new_stream(key), []
        self.decisions, self.simulations, self.search_seconds = 0, 0, 0.0

    def decide(self, view):
        options = self._options[: legal(self._world, view[0], self._options)]
        quiet = options[(options < ACCUSE) | (options >= REVEAL)]
        self.searched.append(len(quiet) > 1)
        if self.searched[-1]:
            self.decisions += 1
            self.simulations += 10 + self.decisions
            self.search_seconds += 0.25
        return int(quiet[below(self._stream, len(quiet))])


def seats_of(*who):
    return [PolicyPlayer(each) if each else Thinker() for each in who]


PREDICTED = ("value", "going_on", "accusing")
"""Columns of decisions that are read off the table of a search."""

TABLES = {
    "ledford with a planner": (preset("ledford"), ("heuristic", None, "random", "closure")),
    "classic": (preset("classic"), ("swift", None, "heuristic", None)),
    "ferrari2009": (preset("ferrari2009"), ("closure", "heuristic", None)),
}


@pytest.fixture(params=TABLES)
def table(request):
    """Return rules, and who sits where (None: a `Thinker`)."""
    rules, who = TABLES[request.param]
    return replace(rules, turn_cap=min(rules.turn_cap, 120)), who


BOLD = Policy("swift", threshold=0.2)


def observe(rules, seats, game, watch=None):
    """Play a game; return its result, its rows by kind."""
    observer = Observer("a match", rules, seats, game, KINDS)
    result = play(rules, seats, SEED, game, together(watch, observer))
    return result, observer.rows


def test_watching_changes_nothing(table):
    rules, who = table
    for game in range(2):
        seats = seats_of(*who)
        assert observe(rules, seats, game)[0] == play(rules, seats, SEED, game)


def test_rows_take_in_what_everybody_heard(tmp_path, monkeypatch):
    who = (BOLD, "closure", BOLD, "heuristic")
    for accusations in ("secret", "heard"):
        check_record(preset("classic", accusations=accusations), who, 0, tmp_path)
    monkeypatch.setattr(Observer, "_hear", lambda *_: None)
    with pytest.raises(AssertionError):
        for game in range(4):
            check_record(preset("classic"), who, game, tmp_path)


@pytest.mark.parametrize(
    ("name", "players", "bits"), [("ledford", 4, 30.0), ("classic", 3, 15 * log2(3))]
)
def test_the_whole_belief_begins_with_its_bits(name, players, bits):
    # A card neither own nor face up is as likely with each other player as in the envelope.
    rules = preset(name, players=players)
    for game in range(2):
        rows = observe(rules, seats_of(*["heuristic"] * players), game)[1]["suggestions"]
        assert rows[0]["entropy_before"] == pytest.approx(bits, abs=1e-9)
        assert max(row["entropy_after"] for row in rows) < bits


def test_the_whole_belief_is_that_of_the_heuristic(table):
    (rules, who), compared = table, 0
    for game in range(2):
        kept = []  # by suggestion: entropies of all matrices before it, and after its answer

        def keep(state, action, kept=kept):
            bits = [matrix.entropy(belief) for belief in state.belief[: rules.players]]
            if kept and len(kept[-1]) == 1 and state.phase != SHOW:
                kept[-1].append(bits)
            if ASK <= action < ACCUSE:
                kept.append([bits])

        rows = observe(rules, seats_of(*who), game, keep)[1]["suggestions"]
        for row, (before, after) in zip(rows, kept, strict=True):
            if who[row["seat"]] == "heuristic":
                assert row["entropy_before"] == pytest.approx(before[row["seat"]], abs=1e-9)
                assert row["entropy_after"] == pytest.approx(after[row["seat"]], abs=1e-9)
                compared += 1
    assert compared > 5


def check_record(rules, who, game, folder):
    """Raise AssertionError unless rows say what the record of the game says.

    The envelope's entropies are compared with those of the evidence that the state machine keeps
    for each seat, the cards known with the events known to the seat.
    """
    seats = seats_of(*who)
    recorder = Recorder(rules, seats, SEED, game)
    rows = observe(rules, seats, game, recorder)[1]
    path = folder / "game.jsonl"
    path.write_text(recorder.text())
    record = read(path)
    suggestions, searches = iter(rows["suggestions"]), iter(rows["decisions"])
    searched = [iter(getattr(seat, "searched", ())) for seat in seats]
    knows = [
        {
            card
            for event in record.events[: rules.players + 1]
            for card in event["cards"]
            if event["seat"] in (seat, None)
        }
        for seat in range(rules.players)
    ]
    hands = [set(event["cards"]) for event in record.events[: rules.players]]
    envelopes, row, before = EnvelopeEntropies(), None, []
    for events, state in states(record):
        chosen = events[0]
        if "action" in chosen:
            seat = chosen.get("by", chosen["seat"])
            if next(searched[seat], False):
                decision = next(searches)
                assert decision["envelope"] == pytest.approx(before[seat])
                said = [decision[key] for key in ("turn", "seat", "kind", "player")]
                assert said == [chosen["turn"], seat, chosen["event"], "thinker"]
        for event in events:
            seat = event["seat"]
            match event["event"]:
                case "suggestion":
                    row, named = next(suggestions), set(event["cards"])
                    assert [row["suspect"], row["weapon"], row["room"]] == event["cards"]
                    said = [row[key] for key in ("turn", "seat", "player")]
                    assert said == [event["turn"], seat, seats[seat].name]
                    assert row["known"] == len(knows[seat] & named)
                    assert row["own"] == len(hands[seat] & named)
                    assert row["envelope_before"] == pytest.approx(before[seat])
                case "refute":
                    assert row["answered_by"] == (-1 if event["by"] is None else event["by"])
                case "show":
                    knows[seat].add(event["card"])
        before = [envelopes.of(state[0].evidence[seat]) for seat in range(rules.players)]
        if row and state[0].phase != SHOW:
            assert row["envelope_after"] == pytest.approx(before[row["seat"]])
            row = None
    assert next(suggestions, None) is next(searches, None) is None
    assert bool(rows["decisions"]) == (None in who)


def test_rows_say_what_the_record_says(table, tmp_path):
    check_record(*table, 1, tmp_path)


def test_a_posterior_without_room_leaves_the_entropies_empty(monkeypatch):
    def full(*_):
        raise EvidenceFull("no room")

    monkeypatch.setattr(details, "ExactPosterior", full)
    rules, who = TABLES["ledford with a planner"]
    rows = observe(rules, seats_of(*who), 1)[1]
    empty_columns = {
        "suggestions": ["envelope_before", "envelope_after"],
        "decisions": ["envelope", *PREDICTED],
    }
    for kind, schema in KINDS.items():
        made = pa.Table.from_pylist(rows[kind], schema)
        for name in schema.names:
            assert made[name].null_count == len(made) * (name in empty_columns.get(kind, ()))


def test_what_a_search_expects_is_written_down():
    """Of each decision searched: the chosen action's mean, the best without accusing, and P."""
    rules, seen = preset("ledford", turn_cap=60), []

    class Watched(Planner):
        def decide(self, view):
            before, action = self.decisions, super().decide(view)
            if self.decisions > before:
                seen.append((self.result, action))
            return action

    config = PlannerConfig(budget=Budget(simulations=60), accusations=2, least_accused=0.01)
    seats = [Watched(config, "planner"), *seats_of("swift", "heuristic", "closure")]
    rows = observe(rules, seats, 3)[1]["decisions"]
    assert len(rows) == len(seen) > 5
    kinds = set()
    for row, (result, action) in zip(rows, seen, strict=True):
        table = {each.action: each for each in root_table(result, int)}
        accusing = [each.edge_data for each in table.values() if ACCUSE <= each.action < REVEAL]
        others = [each.value for each in table.values() if not ACCUSE <= each.action < REVEAL]
        assert row["value"] == table[action].value
        assert row["accusing"] == max(accusing, default=None)
        assert row["going_on"] == max(others, default=None)
        kinds.add(row["accusing"] is None)
    assert kinds == {True, False}
