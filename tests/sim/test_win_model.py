"""Inputs of a win model, what it makes of them, and files that are none."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from belief.beliefs.constrained import fit
from belief.evidence import ENVELOPE
from belief.public import surest
from sim import network_files
from sim.board import N_ROOMS
from sim.cards import CATEGORY_MASK, FIRST_ROOM, N_CARDS
from sim.planning.config import PlannerConfig
from sim.planning.leaf import win_model
from sim.planning.leaf.features import GAME, OTHER, OWN, describe, size
from sim.planning.leaf.positions import is_leaf
from sim.planning.leaf.value import leaf_value
from sim.planning.leaf.win_model import Weights, WinModel
from sim.player import PolicyPlayer
from sim.policies.swift import ROUNDS
from sim.policies.table import Policy
from sim.referee import play
from sim.rules import preset, world
from sim.state import END, SUGGEST, TURN, empty

SEATS = [
    Policy("hide", threshold=0.4, own_card_weight=0.1),
    Policy("swift", threshold=0.35),
    Policy("heuristic"),
    Policy("swift"),
]


class Position(NamedTuple):
    """The parts of a position that `leaf_value` reads ..."""

    world: np.ndarray
    seat: int
    horizon: int
    model_share: float
    win_model: Weights


class Scratch(NamedTuple):
    """... and of a workspace."""

    state: np.ndarray
    inputs: np.ndarray
    hidden: np.ndarray


AGAINST_GUESS = [OTHER.index(name) for name in OTHER if "deal" in name or "right guess" in name]


@pytest.fixture(scope="module")
def positions():
    """Return states of three games that a leaf of seat 0 may be like, each an array of one."""
    found = []

    def watch(state, action):
        if action >= 0 and is_leaf(state, 0):
            found.append(empty())
            found[-1][0] = state

    for game in range(3):
        play(preset("ledford"), [PolicyPlayer(which) for which in SEATS], 12, game, watch)
    assert any(s[0].out.any() for s in found) and any(s[0].phase == SUGGEST for s in found)
    return found


def describe_state(state, seat=0):
    out = np.full(size(4), np.nan)
    describe(world(preset("ledford"))[0], state, seat, out)
    return out


def plainly(state, seat):
    """Return the features of ``state`` for ``seat``, said once more."""
    board, found = world(preset("ledford"))[0], []
    for player in (seat + np.arange(4)) % 4:
        names = OWN if player == seat else OTHER
        if state.out[player]:
            found += [1.0] + [0.0] * (len(names) - 1)
            continue
        cards = np.array([[mask >> card & 1 for card in range(N_CARDS)] for mask in CATEGORY_MASK])
        if state.tracks[player] & 3 == 3:
            matrix = np.zeros((N_CARDS, 7))
            fit(state.belief[player], state.closure[player], state.evidence[player], ROUNDS, matrix)
            envelope = matrix[:, ENVELOPE] * cards
        else:
            seen, proved = int(state.known[player]), int(state.proved[player])
            left = np.array([1 - (seen >> card & 1) for card in range(N_CARDS)]) * cards
            sure = np.array([proved >> card & 1 for card in range(N_CARDS)]) * cards
            envelope = np.where(sure.any(axis=1, keepdims=True), sure, left).astype(float)
            envelope /= envelope.sum(axis=1, keepdims=True)
        shares = envelope / envelope.sum(axis=1, keepdims=True)
        logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
        guess, chance = shares.argmax(axis=1), shares.max(axis=1).prod()
        true = [int(state.envelope) >> card & 1 for card in range(N_CARDS)]
        right = all(true[card] for card in guess)
        spot, mine = state.spot[player], state.seat == player
        here = board.room_of[spot]
        may_ask = here >= 0 and (state.summoned[player] or (mine and state.phase == SUGGEST))
        rolled = mine and state.phase == TURN
        turns = []
        for room in range(N_ROOMS):
            missing = board.steps[room, spot] - (state.roll if rolled else 0)
            walk = rolled + (board.turns[missing] if missing > 0 else 0.0)
            if room == here:
                walk = 1.0 if may_ask else np.inf
            elif here >= 0 and board.passage[here] == room:
                walk = 1.0
            turns.append(walk)
        rooms = envelope.sum(axis=0)[FIRST_ROOM:]
        worth = np.flatnonzero((rooms > 0) & (rooms < 1))
        block = [
            0.0,
            -(shares * logs).sum() / 10,
            chance,
            min(np.array(turns)[worth]) if len(worth) else min(turns),
            state.summoned[player],
            int(state.known[player]).bit_count() / N_CARDS,
        ]
        if player == seat:
            p = rooms[here] if may_ask else 0.0
            bits = 0.0 if p in (0.0, 1.0) else -p * np.log2(p) - (1 - p) * np.log2(1 - p)
            found += [*block, bits]
            continue
        reaches = float(chance >= state.threshold[player])
        given = (shares * true).sum(axis=1).prod()
        margin = chance - state.threshold[player]
        found += [*block, margin, reaches, chance if right else -chance, reaches * right, given]
    found += [min(state.turn / 4, 30) / 10, state.phase == SUGGEST, state.phase == END]
    return np.array([*found, surest(state.public), *np.eye(4)[(state.seat - seat) % 4]])


def test_features_are_what_they_are_said_to_be(positions):
    assert size(4) == len(OWN) + 3 * len(OTHER) + len(GAME) + 4
    rows = np.array([describe_state(state[0]) for state in positions])
    again = np.array([plainly(state[0], 0) for state in positions])
    np.testing.assert_allclose(rows, again, atol=1e-9)
    assert (rows[:, 1].max(), rows[:, 2].min()) != (0, 0) and np.ptp(rows, axis=0).sum() > 10


def test_the_drawn_envelope_tells_nothing_of_the_own_guess(positions):
    """With another envelope nothing changes but whether the others' guesses are right."""
    changed = set()
    for state in positions:
        other = state.copy()
        other[0].envelope = 1 | 1 << 6 | 1 << 12
        changed |= set(
            np.flatnonzero(describe_state(state[0]) != describe_state(other[0])).tolist()
        )
    blocks = [len(OWN) + len(OTHER) * number for number in range(3)]
    assert changed and changed <= {first + at for first in blocks for at in AGAINST_GUESS}


def make_model(hidden=5, features=None, noise=0):
    draw = np.random.default_rng(noise).normal
    features = size(4) if features is None else features
    weights = Weights(draw(size=(features, hidden)), draw(size=hidden), draw(size=hidden), 0.3)
    return WinModel(weights, {"players": 4, "seed": noise}, {"log_loss": {}})


def test_a_chance_is_that_of_the_network(positions):
    model, rows = make_model(), np.array([describe_state(state[0]) for state in positions])
    weights = model.weights
    hidden = np.maximum(rows @ weights.hidden_weights + weights.hidden_bias, 0)
    odds = hidden @ weights.output_weights + weights.output_bias
    np.testing.assert_allclose(model(rows), 1 / (1 + np.exp(-odds)), atol=1e-12)


def test_a_leaf_is_worth_what_the_mixture_says(positions):
    """All of the model, none of it, and half; each is a chance."""
    model, board = make_model(), world(preset("ledford"))
    for share in (0.0, 0.5, 1.0):
        for horizon in (0, 3):
            for state in positions[::12]:
                value = worth(state, board, model, share, horizon)
                assert 0.0 <= value <= 1.0
                if not horizon and share:
                    chance = model(describe_state(state[0])[None])[0]
                    played = worth(state, board, model, 0.0, 0)
                    assert value == pytest.approx(share * chance + (1 - share) * played)


def worth(state, board, model, share, horizon):
    """Return what a leaf at ``state`` is worth, which is left as it is."""
    leaf = Position(board, 0, horizon, share, model.weights)
    scratch = Scratch(state.copy(), np.zeros(size(4)), np.zeros(len(model.weights.hidden_bias)))
    return leaf_value(leaf, scratch)


def test_a_file_holds_the_model(tmp_path, positions):
    path = tmp_path / "model.json"
    path.write_text(make_model().dumps())
    found = win_model.load(str(path))
    rows = np.array([describe_state(state[0]) for state in positions[:5]])
    assert np.array_equal(found(rows), make_model()(rows))
    assert (found.settings, found.figures) == (make_model().settings, make_model().figures)


def spoilt(change):
    data = json.loads(make_model().dumps())
    change(data)
    return json.dumps(data)


def of_players(number):
    data = json.loads(make_model().dumps())
    data["settings"]["players"] = number
    data["settings_digest"] = network_files.digest(data["settings"])
    return json.dumps(data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "it is not JSON"),
        ("[]", "it is not a mapping of"),
        (spoilt(lambda data: data.pop("figures")), "it is not a mapping of"),
        (spoilt(lambda data: data["settings"].update(seed=9)), "its settings are not those"),
        (spoilt(lambda data: data.update(output_bias=0.1)), "its numbers are not those"),
        (spoilt(lambda data: data.update(figures=[])), "its figures are no mapping"),
        (of_players(float("inf")), "its settings name no number of players"),
        (of_players(10**400), "its weights are not those of"),
        (make_model(features=7).dumps(), "its weights are not those of"),
    ],
)
def test_files_that_are_none_are_refused_in_a_sentence(tmp_path, text, message):
    path = tmp_path / "model.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as fault:
        win_model.load(str(path))
    assert "python -m experiments.win_model" in str(fault.value)


def test_our_model_says_what_made_it_and_beats_the_base_rate():
    found = win_model.load("swift-0.35")
    assert found.settings["opponent"]["name"] == "swift"
    assert found.settings["opponent"]["threshold"] == 0.35
    assert 5100 <= found.settings["seed"] <= 5199 and found.settings["games"] >= 100
    losses = found.figures["log_loss"]
    assert losses["the model"] < losses["base rate"]
    assert len(found.figures["calibration"]) > 5


def test_models_are_chosen_by_the_opponents_or_by_name():
    rules, model = preset("ledford"), Policy("swift", threshold=0.35)
    assert win_model.choose_model(None, rules, model) is win_model.load("swift-0.35")
    assert win_model.choose_model("swift-0.35", rules, Policy("uniform")) is win_model.load(
        "swift-0.35"
    )
    with pytest.raises(ValueError, match=r"no win model .* accuses from 0\.9 on"):
        win_model.choose_model(None, rules, Policy("swift", threshold=0.9))
    with pytest.raises(ValueError, match="of 4 players, not 3"):
        win_model.choose_model("swift-0.35", replace(rules, players=3), model)
    with pytest.raises(ValueError, match=r"no win model: .* fits one"):
        win_model.choose_model("nothing.json", rules, model)
    with pytest.raises(ValueError, match="model_share=nan: must be at least 0"):
        PlannerConfig(model_share=float("nan"))
