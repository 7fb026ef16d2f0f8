"""Players by name, from the nested values of a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from typing import Any

from belief.beliefs.registry import BELIEFS
from mcts.kernel.plugins import entry_points
from mcts.options import MOST_NODES, Budget, Options
from sim.models.types import mixture
from sim.planning.config import TREE, PlannerConfig
from sim.planning.leaf.win_model import choose_model
from sim.planning.planner import Planner
from sim.planning.released.departures import Departures
from sim.planning.released_planner import ReleasedPlanner
from sim.planning.variants import VARIANTS
from sim.planning.ways import MIXTURE
from sim.player import Player, PolicyPlayer
from sim.players.names import PAPERS
from sim.policies.table import NAMES as POLICIES
from sim.policies.table import Policy, switches_of
from sim.rules import Rules

PLANNERS = tuple(VARIANTS)


def make(spec: Mapping[str, Any], rules: Rules) -> Player:
    """Return the player that ``spec`` describes, for games under ``rules``.

    ``spec`` has the keys of the configuration's ``player`` group: for a compiled policy ``name``
    and its switches, for a planner the sections ``rollout``, ``actions``, ``search``, ``budget``;
    a player of `sim.players.names.PAPERS` has its switches beside ``name``; one of another package
    (entry point of ``sleuth.players``) has settings of its own.

    Raises
    ------
    ValueError
        On an unknown name, an impossible value or rules that the player does not fit, in one
        sentence.
    BrokenPlugin
        If the player is another package's, and cannot be loaded.
    """
    name = spec["name"]
    label = spec.get("label") or name
    if name in POLICIES:
        return PolicyPlayer(compiled(spec), label)
    if name in PAPERS:
        return import_module(PAPERS[name]).make(spec, rules)
    outside = entry_points("sleuth.players")
    if name in outside:
        return outside[name].load()(spec, rules)
    if name not in PLANNERS:
        known = ", ".join((*POLICIES, *PLANNERS, *PAPERS, *outside))
        raise ValueError(f"unknown player {name!r}: choose one of {known}")
    config = planner_config(spec)
    if config.model_share > 0.0:  # refused here, and not when the first game begins
        choose_model(config.win_model, rules, config.model)
    if BELIEFS[config.belief].needs_shares and not rules.shares:
        raise ValueError(f"belief={config.belief}: needs rules with hands by category (shares)")
    player = (ReleasedPlanner if config.departures.mask else Planner)(config, label)
    player.showing = spec["showing"]
    return player


def planner_config(spec: Mapping[str, Any]) -> PlannerConfig:
    """Return the configuration that ``spec``, as for `make`, describes; ValueError as `make`."""
    actions, search, budget, rollout = (
        spec[key] for key in ("actions", "search", "budget", "rollout")
    )
    options = Options(
        **search,
        rollouts_per_leaf=rollout["per_leaf"],
        widening_base=actions["widening"]["base"],
        widening_exponent=actions["widening"]["exponent"],
        nodes=nodes_for(budget, search["keep_tree"]),
    )
    others = rollout["opponents"]
    mixed = mixture(spec["mixture"]) if spec["opponents"] == MIXTURE else None
    moves = mixed.likeliest if mixed else modelled(spec["opponents"], spec["model"])
    return PlannerConfig(
        variant=spec["name"],
        **{
            key: spec[key]
            for key in ("belief", "redraw", "trees", "own_card_weight", "transpositions")
        },
        predictive_answers=spec["answers"] == "predictive",
        opponents=moves,
        mixture=mixed,
        rollout=modelled(rollout["policy"], rollout),
        best_response=rollout["best_response"],
        rollout_opponents=None if others is None else modelled(others, spec["model"]),
        horizon=rollout["horizon"],
        model_share=rollout["model_share"],
        win_model=rollout["win_model"],
        candidates=actions["candidates"] if actions["offer"] == "candidates" else 0,
        **{
            key: actions[key]
            for key in ("informative", "hiding", "summoning", "accusations", "least_accused")
        },
        departures=Departures(**spec["departures"]),
        options=options,
        budget=Budget(simulations=budget["simulations"], seconds=budget["seconds"]),
    )


def modelled(name: str, switches: Mapping[str, Any]) -> Policy | str:
    """Return policy ``name`` with those of ``switches`` that it has; `TREE` is none."""
    if name == TREE:
        return name
    has = switches_of(name)
    return Policy(name, **{key: switches[key] for key in has if key in switches})


def compiled(spec: Mapping[str, Any]) -> Policy:
    """Return the compiled policy that ``spec`` describes; ValueError as `make`."""
    switches = {
        key: spec[key] for key in (switch.name for switch in fields(Policy)[1:]) if key in spec
    }
    return Policy(spec["name"], **switches)


def nodes_for(budget: Mapping[str, Any], keeps: bool) -> int:
    """Return the nodes to allocate: as given, else one a simulation, else 100,000.

    A tree that is kept gets room for four searches.  ValueError if that is too many.
    """
    if budget["nodes"] is not None:
        return budget["nodes"]
    if budget["simulations"] is None:
        return 100_000
    nodes = (4 if keeps else 1) * budget["simulations"] + 1
    if nodes > MOST_NODES:
        raise ValueError(
            f"budget.simulations={budget['simulations']} would make a tree of {nodes:,} nodes, of "
            f"at most {MOST_NODES:,}: give budget.nodes"
        )
    return nodes
