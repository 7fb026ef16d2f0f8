"""Players from the configuration."""

from dataclasses import fields
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from sim.planner import Plan, Planner
from sim.player import PolicyPlayer
from sim.players import POLICIES, make
from sim.policies.table import Policy
from sim.rules import Rules

PLAYERS = Path(__file__).parents[2] / "conf/player"


def spec_of(name):
    """Return the values of a file of the configuration's ``player`` group."""
    spec = OmegaConf.to_container(OmegaConf.load(PLAYERS / f"{name}.yaml"))
    del spec["defaults"]
    return spec


def plan_of(spec):
    """Return the plan of the planner that ``spec`` describes."""
    planner = make(spec, Rules())
    assert type(planner) is Planner and planner.name == "bmcts"
    return planner.plan


def test_the_shipped_configuration_is_the_default_plan():
    plan, default = plan_of(spec_of("bmcts")), Plan()
    for one, other in ((plan, default), (plan.options, default.options)):
        for field in fields(one):
            assert getattr(one, field.name) == getattr(other, field.name), field.name
    assert plan == default


CHANGES = {
    "opponents": "uniform",
    "rollout.policy": "uniform",
    "actions.offer": "all",
    "actions.candidates": 7,
    "actions.accusations": 2,
    "actions.least_accused": 0.5,
    "actions.widening.base": 2,
    "actions.widening.exponent": 0.25,
    "search.threads": 2,
    "search.in_flight": "none",
    "search.exploration": 0.3,
    "search.final": "mean",
    "search.oversubscribe": True,
    "budget.simulations": 1001,
    "budget.seconds": 1.5,
    "budget.nodes": 7,
}


def leaves(section, above=""):
    """Return the dotted names of all values."""
    return [
        leaf
        for key, value in section.items()
        for leaf in (leaves(value, f"{above}{key}.") if isinstance(value, dict) else [above + key])
    ]


def test_every_value_of_the_configuration_reaches_the_plan():
    assert set(leaves(spec_of("bmcts"))) == {"name", "label", "showing", *CHANGES}
    default = plan_of(spec_of("bmcts"))
    plans = [default]
    for leaf, value in CHANGES.items():
        spec = OmegaConf.create(spec_of("bmcts"))
        OmegaConf.update(spec, leaf, value)
        if leaf == "search.threads":  # wherever the tests run
            spec.search.oversubscribe = True
        plan = plan_of(spec)
        assert plan not in plans, leaf
        plans.append(plan)


@pytest.mark.parametrize("name", POLICIES)
def test_policies_are_configured_by_their_name(name):
    player = make(spec_of(name), Rules())
    assert type(player) is PolicyPlayer
    assert player.policy == Policy(name) and player.name == name


SWITCHED = {
    "heuristic": {"inference": False},
    "swift": {"inference": False, "threshold": 0.4},
    "greedy": {"threshold": 0.4},
}


@pytest.mark.parametrize("name", POLICIES)
def test_every_switch_of_the_configuration_reaches_the_policy(name):
    spec = spec_of(name)
    switched = {**SWITCHED.get(name, {}), "showing": "least_informative"}
    assert set(spec) == {"name", "label", *switched}
    player = make({**spec, **switched, "label": "mine"}, Rules())
    assert player.policy == Policy(name, **switched) and player.name == "mine"


def test_a_planner_is_labelled_and_shows_as_configured():
    planner = make({**spec_of("bmcts"), "label": "mine", "showing": "least_informative"}, Rules())
    assert (planner.name, planner.showing) == ("mine", "least_informative")


def test_a_switch_that_a_policy_does_not_have_is_refused():
    with pytest.raises(ValueError, match="closure has no switch 'threshold'"):
        make({"name": "closure", "threshold": 0.5}, Rules())
    with pytest.raises(ValueError, match="greedy is too slow inside a simulation"):
        Plan(opponents="greedy")


def test_unknown_players_are_refused():
    with pytest.raises(ValueError, match="unknown player 'heursitic'"):
        make({"name": "heursitic"}, Rules())
