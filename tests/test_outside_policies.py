"""Policies from outside break no rule: the first choice that does ends its game in a line."""

import json
import pickle
from functools import partial

import numpy as np
import pytest
from test_plugins import POLICIES, describe, run

from sim.chance import game_key
from sim.game import new_game
from sim.policies import registry as policies
from sim.policies.registry import seat_policies
from sim.rules import preset, world
from sim.state import empty

ROGUE = """
from mcts import jit
from sim.policies import uniform
REQUIRES = 0
to_accuse, turn, suggestion = uniform.to_accuse, uniform.turn, uniform.suggestion
@jit
def {}(world, s, seat):
    return {}
"""

ROGUES = {
    "wide": ("suggestion", 100_000),
    "low": ("suggestion", -5),
    "walks": ("suggestion", 3),
    "far": ("turn", 5000),
    "through": ("turn", 9),  # by a passage, from the corridor
    "stays": ("turn", 391),
    "asks": ("turn", -1),  # where nobody summoned it
    "three": ("to_accuse", 0b111),
    "beyond": ("to_accuse", 1 << 40 | 1 << 12 | 1 << 6 | 1),
}

PLAY = """
import json
import numpy as np
from mcts.options import Budget, Options
from sim.arena import play_many
from sim.planning.config import PlannerConfig
from sim.planning.planner import Planner
from sim.player import PolicyPlayer
from sim.policies.registry import NAMES
from sim.referee import play
from sim.rules import preset

rules, said = preset("ledford", turn_cap=60), {}
few = {"options": Options(nodes=9), "budget": Budget(simulations=8)}
games = {
    "arena": lambda name: play_many(rules, [name, *["uniform"] * 3], 1, np.arange(2)),
    "referee": lambda name: play(rules, sit(PolicyPlayer(name)), 1, 0),
    "rollout": lambda name: play(rules, sit(plan(rollout=name)), 1, 0),
    "model": lambda name: play(rules, sit(plan(opponents=name)), 1, 0),
}

def plan(**part):
    return Planner(PlannerConfig("pomcp", **part, **few))

def sit(player):
    return [player, *(PolicyPlayer("uniform") for _ in range(3))]

for name in NAMES[NAMES.index("hide") + 1 : -1]:
    for where in games if name == "wide" else ("arena",):
        try:
            games[where](name)
            said[f"{name} {where}"] = "played"
        except Exception as fault:
            said[f"{name} {where}"] = str(fault)
print(json.dumps(said))
"""


def test_a_policy_from_outside_that_breaks_the_rules_ends_its_game_in_a_line(tmp_path):
    """In the arena, at the referee, in a roll-out and as a model; the same by the rules plays."""
    rogues = {**ROGUES, "good": ("unused", 0)}
    for name, fault in rogues.items():
        (tmp_path / f"{name}.py").write_text(ROGUE.format(*fault))
    points = {POLICIES: {name: name for name in rogues}}
    describe(tmp_path, {"name": "rogue", "version": "1.0", "entry-points": points})
    said = json.loads(run(PLAY, tmp_path, NUMBA_DISABLE_JIT="1"))
    assert said.pop("good arena") == "played"
    assert len(said) == len(ROGUES) + 3
    for at, line in said.items():
        name = at.partition(" ")[0]
        part, value = ROGUES[name]
        assert line == (
            f"rogue 1.0: '{name}' of sleuth.policies returned {value} from {part}, which the rules "
            "do not allow here; fix or uninstall the package"
        )


def test_the_check_is_compiled_and_its_exception_travels():
    """Control: what the rules allow raises nothing."""
    board, state = world(preset("ledford"))[0], empty()[0]
    seat_policies(state, ["uniform"] * 4)
    new_game(board, state, np.uint64(game_key(1, 0)))
    hide = policies.number("hide")
    check = partial(policies._check, board, state, hide)
    check(policies._TURN, 0)
    with pytest.raises(policies.IllegalChoice) as raised:
        check(policies._TURN, 391)
    again = pickle.loads(pickle.dumps(raised.value))
    line = "sim.policies.hide returned 391 from turn, which the rules do not allow here"
    assert str(raised.value) == str(again) == line
