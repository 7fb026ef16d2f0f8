"""Records with beliefs of players replay like those without."""

from __future__ import annotations

import json

import numpy as np
import pytest
from recorded import record_of

from belief.beliefs.registry import make_belief
from belief.evidence import ENVELOPE
from mcts.kernel.rng import new_stream
from sim.cards import CARDS
from sim.player import PolicyPlayer
from sim.players.bayes import BayesPlayer
from sim.players.neural import NeuralPlayer
from sim.records.record import Recorder, RecordError
from sim.records.replay import replay, states
from sim.referee import play
from sim.rules import preset
from sim.suggestion_events import setting_of, suggestion_events
from sim.view import as_seen

RULES = preset("ferrari2009")


def write(game=2, beliefs=True):
    seats = [
        BayesPlayer(evidence="repaired"),
        PolicyPlayer("csp"),
        NeuralPlayer(evidence="exact"),
    ]
    recorder = Recorder(RULES, seats, 3, game, beliefs)
    play(RULES, seats, 3, game, recorder)
    return recorder.text()


def cards_of(names):
    return sum(1 << CARDS.index(name) for name in names)


def test_beliefs_stand_between_the_events_and_change_none_of_them(tmp_path):
    with_beliefs, without = (record_of(write(beliefs=on), tmp_path) for on in (True, False))
    assert [one for one in with_beliefs.events if one["event"] != "belief"] == list(without.events)
    assert replay(with_beliefs)[0].spot.tolist() == replay(without)[0].spot.tolist()
    assert len(with_beliefs.beliefs(0)) > 3 and not without.beliefs(0)
    assert not with_beliefs.beliefs(1)  # a compiled policy says nothing
    seen = [one for one in with_beliefs.known_to(1) if one["event"] == "belief"]
    assert not seen and with_beliefs.known_to(2).count(with_beliefs.beliefs(2)[0]) == 1


def test_a_belief_is_what_the_seat_could_conclude_by_then(tmp_path):
    """Control: a suggestion less gives another."""
    record = record_of(write(), tmp_path)
    hands = {one["seat"]: cards_of(one["cards"]) for one in record.events[:3]}
    names = {0: "tables_repaired", 2: "exact"}
    asked, met, behind = [], 0, 0
    for events, _ in states(record):
        for one in events:
            if one["event"] == "suggestion":
                asked.append([one["seat"], cards_of(one["cards"]), -1, -1])
            elif one["event"] == "refute" and one["by"] is not None:
                asked[-1][2] = one["by"]
            elif one["event"] == "show":
                asked[-1][3] = CARDS.index(one["card"])
            elif one["event"] == "belief":
                seat, found = one["seat"], []
                for known in (asked, asked[:-1]):
                    twin = make_belief(
                        names[seat], setting_of(RULES, seat, hands[seat], 0), new_stream(1)
                    )
                    seen = [as_seen(tuple(each), seat) for each in known]
                    twin.observe(suggestion_events(seen, seat, 3)[0])
                    off = np.abs(twin.marginals()[:, ENVELOPE] - one["envelope"]).max()
                    found.append(off < 1e-8)
                assert found[0]
                met, behind = met + 1, behind + (not found[1])
    assert met > 8 and behind > 3


def test_a_belief_that_was_changed_is_found_by_the_check(tmp_path):
    rows = write().splitlines()
    at = next(i for i, row in enumerate(rows) if '"event":"belief"' in row)
    changed = json.loads(rows[at])
    changed["envelope"][0] += 0.5
    rows[at] = json.dumps(changed, separators=(",", ":"))
    record = record_of("".join(f"{row}\n" for row in rows), tmp_path)
    with pytest.raises(RecordError, match="check"):
        replay(record)
