"""Players from the configuration."""

from dataclasses import fields, replace

import pytest
from omegaconf import OmegaConf
from presets import PLANNER_PRESETS, leaves, spec_of

from sim.planning.config import PlannerConfig
from sim.planning.planner import Planner
from sim.planning.variants import VARIANTS
from sim.players.registry import PLANNERS, POLICIES, make
from sim.policies.registry import Policy, policy
from sim.rules import Rules


def plan_of(spec):
    """Return the plan of the planner that ``spec`` describes."""
    planner = make(spec, Rules())
    assert isinstance(planner, Planner)
    return planner.config


def test_the_shipped_configuration_is_the_default_plan():
    config, default = plan_of(spec_of("bmcts")), PlannerConfig()
    models = {name: policy(getattr(default, name)) for name in ("opponents", "rollout")}
    default = replace(default, **models)
    for one, other in ((config, default), (config.options, default.options)):
        for field in fields(one):
            assert getattr(one, field.name) == getattr(other, field.name), field.name
    assert config == default


def test_every_planner_has_a_preset():
    assert tuple(VARIANTS) == PLANNERS and set(PLANNERS) < set(PLANNER_PRESETS)
    variants = {name: plan_of(spec_of(name)).variant for name in PLANNER_PRESETS}
    assert {name: variants[name] for name in PLANNERS} == {name: name for name in PLANNERS}
    for name, variant in variants.items():
        if name.endswith("_faithful"):
            assert variant == name.removesuffix("_faithful")
        assert make(spec_of(name), Rules()).name == name


def test_root_only_is_flat_and_bmcts_with_one_node():
    plans = [plan_of(spec_of(name)) for name in ("root_only", "flat", "bmcts")]
    plans[2] = replace(plans[2], options=replace(plans[2].options, nodes=1))
    first, second, third = plans
    assert first == second and first.search_options == third.search_options
    assert replace(first, variant="bmcts", options=third.options) == third


CHANGES = {
    "name": "flat",
    "belief": "constrained",
    "answers": ("predictive", {"belief": "factored"}),
    "redraw": "decision",
    "trees": 5,
    "own_card_weight": 0.5,
    "transpositions": False,
    "opponents": "uniform",
    "mixture": ("swift:2,heuristic", {"opponents": "mixture"}),
    "model.threshold": (0.5, {"opponents": "swift"}),
    "model.inference": False,
    "model.own_card_weight": (0.5, {"opponents": "swift"}),
    "model.hiding": (0.5, {"opponents": "hide"}),
    "model.summoning": (0.5, {"opponents": "hide"}),
    "model.by_out": (0.1, {"opponents": "hide"}),
    "model.walk": ("adjacent", {"opponents": "csp"}),
    "rollout.policy": "uniform",
    "rollout.best_response": True,
    "rollout.threshold": 0.5,
    "rollout.hiding": (0.5, {"rollout.policy": "hide"}),
    "rollout.summoning": (0.5, {"rollout.policy": "hide"}),
    "rollout.by_out": (0.1, {"rollout.policy": "hide"}),
    "rollout.opponents": "uniform",
    "actions.offer": "all",
    "actions.candidates": 7,
    "actions.hiding": 0.5,
    "actions.summoning": 0.5,
    "actions.accusations": 2,
    "actions.least_accused": 0.5,
    "actions.patience": 0.1,
    "actions.widening.base": 2,
    "actions.widening.exponent": 0.25,
    "search.mode": "leaf",
    "search.threads": (2, {"search.oversubscribe": True}),  # wherever the tests run
    "search.workers": (2, {"search.mode": "root"}),
    "search.merge": "vote",
    "search.in_flight": "none",
    "search.virtual_loss": 2,
    "search.exploration": 0.3,
    "search.root_exploration": 0.6,
    "search.rollout_share": 0.5,
    "search.pruning": 0.1,
    "search.maximum": (True, {"search.pruning": 0.5}),
    "search.exact": (True, {"search.pruning": 0.5}),
    "search.action_types": True,
    "search.common_random_numbers": True,
    "search.final": "mean",
    "search.keep_tree": True,
    "search.oversubscribe": True,
    "budget.simulations": 1001,
    "budget.seconds": 1.5,
    "budget.nodes": 7,
}
"""Another value, and others that it needs beside it."""


def test_every_value_of_the_configuration_reaches_the_plan():
    """(What it changes in a search: see the tests of choices.)"""
    assert set(leaves(spec_of("bmcts"))) == {"_target_", "label", "showing", *CHANGES}
    plans = [plan_of(spec_of("bmcts"))]
    for leaf, value in CHANGES.items():
        value, beside = value if isinstance(value, tuple) else (value, {})
        spec = OmegaConf.create(spec_of("bmcts"))
        for key in beside:
            OmegaConf.update(spec, key, beside[key])
        before = plan_of(OmegaConf.to_container(spec))
        OmegaConf.update(spec, leaf, value)
        config = plan_of(OmegaConf.to_container(spec))
        assert config != before and config not in plans, leaf
        plans.append(config)


SWITCHED = {
    "heuristic": {"inference": False},
    "swift": {"inference": False, "threshold": 0.4, "own_card_weight": 0.2},
    "greedy": {"threshold": 0.4, "own_card_weight": 0.2},
    "hide": {
        "inference": False,
        "threshold": 0.4,
        "own_card_weight": 3.0,
        "hiding": 0.3,
        "summoning": 0.1,
        "by_out": -0.05,
    },
    "likely": {"inference": False, "threshold": 0.4, "own_card_weight": 0.2},
    "csp": {"walk": "adjacent"},
}


@pytest.mark.parametrize("name", POLICIES)
def test_every_switch_of_the_configuration_reaches_the_policy(name):
    spec = spec_of(name)
    switched = {**SWITCHED.get(name, {}), "showing": "least_informative"}
    assert set(spec) == {"_target_", "name", "label", *switched}
    player = make({**spec, **switched, "label": "mine"}, Rules())
    assert player.policy == Policy(name, **switched) and player.name == "mine"


def test_model_switches_reach_the_policies_that_have_them():
    spec = spec_of("bmcts", model__threshold=0.5, model__inference=False, opponents="swift")
    config = plan_of(spec)
    assert config.opponents == config.model == Policy("swift", threshold=0.5, inference=False)
    assert config.rollout == Policy("swift")  # the own seat has its own threshold
    mixed = plan_of(
        {
            **spec,
            "opponents": "uniform",
            "rollout": {**spec["rollout"], "opponents": "heuristic", "threshold": 0.25},
        }
    )
    assert (mixed.opponents, mixed.model) == (
        Policy("uniform"),
        Policy("heuristic", inference=False),
    )
    assert mixed.rollout == Policy("swift", threshold=0.25)


def test_a_response_is_what_was_chosen_against_its_model_when_it_first_plays(monkeypatch):
    asked = []

    def choose(rules, own, model):
        asked.append((own.name, model))
        return replace(own, threshold=model.threshold)

    monkeypatch.setattr("sim.players.response.best_response", choose)
    for threshold in (0.4, 0.7):
        spec = spec_of("response", opponents="swift", model__threshold=threshold)
        player = make(spec, Rules())
        assert not asked
        assert player.policy == player.policy == Policy("hide", threshold=threshold)
        assert asked.pop() == ("hide", Policy("swift", threshold=threshold)) and not asked


def test_unknown_players_are_refused():
    with pytest.raises(ValueError, match="unknown player 'heursitic'"):
        make({"name": "heursitic"}, Rules())


@pytest.mark.parametrize(
    ("target", "reason"),
    [("os.system", "must be a class of settings"), ("sim.none.Settings", "cannot be imported")],
)
def test_a_target_is_a_class_of_settings(target, reason):
    with pytest.raises(ValueError, match=f"_target_={target}: {reason}"):
        make({"_target_": target, "name": "swift"}, Rules())
