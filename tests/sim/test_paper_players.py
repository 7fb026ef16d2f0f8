"""The papers' players: contract, switches and settings; their decisions have their own files."""

from __future__ import annotations

from functools import cache

import pytest
from presets import spec_of

from mcts.kernel.compile import INTERPRETED
from sim.contract.testing import check_player
from sim.player import PolicyPlayer
from sim.players.registry import make
from sim.qlearning import network
from sim.referee import play
from sim.rules import PRESETS, preset

CONTRACT = [
    ("bn", "ferrari2009", {"evidence": "repaired", "again": "same"}),
    ("bn", "cai2006", {"evidence": "text"}),
    ("bn", "ferrari2009", {"evidence": "text2006"}),
    ("bn", "cai2006", {"evidence": "exact", "again": "same"}),
    ("neural", "ferrari2009", {"evidence": "repaired"}),
    ("neural", "cai2006", {"evidence": "text"}),
    ("neural", "speed", {"evidence": "exact"}),
    ("hunter", "ferrari2009", {"evidence": "repaired", "benefit_weight": 40}),
    ("hunter", "cai2006", {"evidence": "text", "benefit_weight": 40}),
    ("hunter", "ledford", {"evidence": "exact", "benefit_weight": 40}),
    ("entropy", "xu2013", {}),
    ("entropy", "classic", {}),
    ("entropy", "speed", {"candidates": 2, "threshold": 0.6}),
]


@pytest.mark.parametrize(("name", "rules", "switches"), CONTRACT, ids=str)
def test_they_keep_the_contract(name, rules, switches):
    rules = preset(rules, turn_cap=60)
    spec = {**spec_of(name), **switches}
    assert check_player(lambda: make(spec, rules), rules, games=1, swaps=1) > 4


NEAR = {"distance_divisor": 24}
SWITCHES = {
    "bn": [
        {"evidence": "text"},
        {"evidence": "text2006"},
        {"evidence": "exact"},
        {"again": "same"},
        {"threshold": 0.4},
    ],
    "neural": [
        {"q": "zero"},
        {"evidence": "text"},
        {"threshold": 0.5},
        {"distance_weight": 0.01},
        NEAR,
        {"visit_weight": 0.3},
        {"accuses": "end"},
    ],
    "hunter": [
        {"strategy": "closed"},
        {"unit": "turns"},
        {"goal": "likeliest"},
        {"benefit_weight": 0},
        {"test_weight": 5},
        {"distance_weight": 3},
    ],
    "entropy": [
        {"price": 0.0},
        {"threshold": 0.2},
        {"candidates": 1},
    ],
}


PLAYED = {
    "bn": (5, 8, 3000, "random"),
    "neural": (3, 4, 3000, "random"),
    "hunter": (5, 8, 3000, "random"),
    "entropy": (3, 3, 60, "heuristic"),
}
"""Seed, games and cap on turns of the games in which they all matter, and who sits third."""


USUAL = {"hunter": {"benefit_weight": 40}}
"""Where the switches of a player matter."""


@cache
def play_out(name, switches):
    """Return all actions of a player in some games."""
    seed, games, cap, third = PLAYED[name]
    rules, actions = preset("ferrari2009", turn_cap=cap), []
    player = make({**spec_of(name), **USUAL.get(name, {}), **dict(switches)}, rules)
    decide = player.decide

    def note(view):
        actions.append(decide(view))
        return actions[-1]

    player.decide = note
    for game in range(games):
        play(rules, [player, PolicyPlayer("heuristic"), PolicyPlayer(third)], seed, game)
    return actions


@pytest.mark.skipif(INTERPRETED, reason="too few games")
@pytest.mark.parametrize(
    ("name", "switches"), [(name, one) for name in SWITCHES for one in SWITCHES[name]], ids=str
)
def test_every_switch_changes_the_play(name, switches):
    assert {*switches} <= {*spec_of(name)}
    assert play_out(name, tuple(switches.items())) != play_out(name, ())


def test_without_benefit_the_hunter_is_the_player_of_the_network():
    """(With more of it, it is not: see above.)"""
    assert play_out("hunter", (("benefit_weight", 0),)) == play_out("bn", ())


def test_its_function_changes_the_play_of_neural(tmp_path):
    """The grid, and weights with another sign, where rooms are near enough to matter."""
    shipped = network.load()
    turned = {name: -getattr(shipped, name) for name in ("output_weights", "output_bias")}
    kept = {name: getattr(shipped, name) for name in ("hidden_weights", "hidden_bias")}
    other = network.Network(
        **kept, **turned, activation=shipped.activation, settings=shipped.settings
    )
    path = tmp_path / "network.json"
    path.write_text(other.dumps())
    usual = play_out("neural", tuple(NEAR.items()))
    for switch in ({"q": "grid"}, {"network": str(path)}):
        assert play_out("neural", tuple({**NEAR, **switch}.items())) != usual


@pytest.mark.parametrize(
    ("name", "switches", "reason"),
    [
        ("neural", {"q": "deep"}, "q=deep: choose one of network, zero, grid"),
        ("neural", {"network": "/nowhere.json"}, "/nowhere.json is no network"),
        ("neural", {"distance_weight": -1}, "distance_weight=-1: must be at least 0"),
        ("neural", {"distance_divisor": 0}, "distance_divisor=0: must be above 0"),
        ("entropy", {"price": float("nan")}, "price=nan: must be at least 0"),
    ],
)
def test_impossible_values_are_refused_in_a_sentence(name, switches, reason):
    with pytest.raises(ValueError, match=reason) as refused:
        make({**spec_of(name), **switches}, preset("ferrari2009"))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["bn", "neural", "hunter"])
def test_rules_that_do_not_fit_are_refused_in_a_sentence(name):
    for rules in sorted(set(PRESETS) - {"ferrari2009", "cai2006"}):
        with pytest.raises(ValueError, match=f"hands by category, which rules={rules}") as no:
            make({**spec_of(name), "evidence": "text"}, PRESETS[rules])
        assert "\n" not in str(no.value)
