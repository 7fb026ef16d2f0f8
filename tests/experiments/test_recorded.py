"""A player learns what its seat had seen, and a decision is found by its line."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.explain import recorded
from experiments.settings.commandline import Refusal
from mcts.kernel.rng import below, new_stream
from sim.legal import legal
from sim.player import Player, PolicyPlayer
from sim.policies.registry import Policy
from sim.records.record import Recorder, read
from sim.referee import play
from sim.rules import preset, world
from sim.state import ACCUSE, N_ACTIONS, REVEAL

FILE = Path(__file__).parents[1] / "data" / "game.jsonl"

SUGGESTS = 15
"""Line of `FILE` with a suggestion of seat 1."""


@pytest.fixture(scope="module")
def turn_decisions():
    """Return the turn decisions of `FILE`."""
    return list(recorded.decisions(read(FILE)))


class Witness(Player):
    """Acts at random, without accusing if it can, and keeps what it learnt at each decision."""

    def __init__(self) -> None:
        super().__init__("witness")
        self.said: list[tuple] = []
        self._stream = new_stream(5)
        self._options = np.empty(N_ACTIONS, np.int64)

    def begin(self, rules, seat, view, key):
        self._rules, self._began, self._seen = rules, (rules, seat, view.tobytes(), key), []

    def see(self, event):
        self._seen.append(tuple(map(int, event)))

    def decide(self, view):
        self.said.append((self._began, tuple(self._seen), view.tobytes()))
        options = self._options[: legal(world(self._rules)[0], view[0], self._options)]
        quiet = options[(options < ACCUSE) | (options >= REVEAL)]
        return int(quiet[below(self._stream, len(quiet))])


def check_telling(folder, name, players):
    """Raise AssertionError unless a player learns from a record what the referee showed it."""
    rules = replace(preset(name, players=players), turn_cap=60)
    witness, seed, game = Witness(), 4, 7
    bold = PolicyPlayer(Policy("swift", threshold=0.1))
    seats = [PolicyPlayer("heuristic"), witness, *[bold] * (players - 2)]
    recorder = Recorder(rules, seats, seed, game)
    play(rules, seats, seed, game, recorder)
    path = folder / "game.jsonl"
    path.write_text(recorder.text())
    again = Witness()
    for decision in recorded.decisions(read(path)):
        if decision.seat == 1:
            recorded.consider(again, decision, seed)
    assert len(witness.said) > 5
    assert any(event[3] >= 0 for event in witness.said[-1][1])
    # Not a plain assert: pytest would print how they differ, line by line, which takes for ever.
    if again.said != witness.said:
        raise AssertionError("a player learns from a record what the referee did not show it")


GAMES = [("classic", 3), ("speed", 5)]


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_the_player_is_told_what_the_referee_told(tmp_path, name, players):
    check_telling(tmp_path, name, players)


FAULTS = {
    "cards shown to others": lambda patch: patch.setattr(recorded, "knows", lambda *_: True),
    "cards shown to it": lambda patch: patch.setattr(recorded, "knows", lambda *_: False),
    "what comes after": lambda patch: patch.setattr(
        recorded.Decision,
        "seen",
        property(lambda self: recorded.list_seen(self.record.events[: self.line], self.seat)),
    ),
    "no accusation that all heard": lambda patch: patch.setattr(recorded, "ACCUSED", -1),
    "the hidden state": lambda patch: patch.setattr(
        recorded, "view_of", lambda state, seat: np.array([state]).view(np.recarray)
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_check_finds_what_it_should_not_be_told(tmp_path, monkeypatch, fault):
    FAULTS[fault](monkeypatch)
    with pytest.raises(AssertionError, match="the referee did not show it"):
        check_telling(tmp_path, "classic", 4)


@pytest.mark.parametrize(
    ("event", "seat", "said"),
    [
        (1, None, "event=1: the record has events on lines 2 to 125"),
        (
            14,
            None,
            "event=14 is no turn decision but 'reach'; the nearest turn decision is event=13",
        ),
        (
            15,
            2,
            "event=15 is a decision of seat 1; the nearest turn decision of seat 2 is event=20",
        ),
    ],
)
def test_what_is_no_decision_names_the_nearest(turn_decisions, event, seat, said):
    with pytest.raises(Refusal, match=re.escape(said)):
        recorded.pick(turn_decisions, event, seat)


def test_what_leaves_no_choice_is_refused(turn_decisions):
    forced = [
        replace(each, choices=1) if each.line == SUGGESTS else each for each in turn_decisions
    ]
    said = "event=15: seat 1 had no choice; the nearest turn decision is event=13"
    with pytest.raises(Refusal, match=said):
        recorded.pick(forced, SUGGESTS, None)
    with pytest.raises(Refusal, match="the record has no other turn decision of seat 1"):
        recorded.pick([each for each in forced if each.seat != 1 or each.choices == 1], 15, 1)
