"""Players by name, from the nested values of a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcts.options import Budget, Options
from sim.planner import Plan, Planner
from sim.player import Player, PolicyPlayer
from sim.policies.table import NAMES as POLICIES
from sim.policies.table import Policy
from sim.rules import Rules

PLANNERS = ("bmcts",)


def make(spec: Mapping[str, Any], rules: Rules) -> Player:
    """Return the player that ``spec`` describes, for games under ``rules``.

    ``spec`` has the keys of the configuration's ``player`` group: for a compiled policy ``name``
    and its switches, for a planner the sections ``rollout``, ``actions``, ``search``, ``budget``.

    Raises
    ------
    ValueError
        On an unknown name or an impossible value, in one sentence.
    """
    name = spec["name"]
    label = spec.get("label") or name
    if name in POLICIES:
        return PolicyPlayer(compiled(spec), label)
    if name not in PLANNERS:
        raise ValueError(
            f"unknown player {name!r}: choose one of {', '.join((*POLICIES, *PLANNERS))}"
        )
    actions, search, budget = spec["actions"], spec["search"], spec["budget"]
    options = Options(
        exploration=search["exploration"],
        in_flight=search["in_flight"],
        final=search["final"],
        threads=search["threads"],
        oversubscribe=search["oversubscribe"],
        widening_base=actions["widening"]["base"],
        widening_exponent=actions["widening"]["exponent"],
        nodes=nodes_for(budget),
    )
    plan = Plan(
        opponents=spec["opponents"],
        rollout=spec["rollout"]["policy"],
        candidates=actions["candidates"] if actions["offer"] == "candidates" else 0,
        accusations=actions["accusations"],
        least_accused=actions["least_accused"],
        options=options,
        budget=Budget(simulations=budget["simulations"], seconds=budget["seconds"]),
    )
    player = Planner(plan, label)
    player.showing = spec["showing"]
    return player


def compiled(spec: Mapping[str, Any]) -> Policy:
    """Return the compiled policy that ``spec`` describes; ValueError as `make`."""
    switches = {
        key: spec[key] for key in ("threshold", "inference", "doubt", "showing") if key in spec
    }
    return Policy(spec["name"], **switches)


def nodes_for(budget: Mapping[str, Any]) -> int:
    """Return the nodes to allocate: as given, else one a simulation, else 100,000."""
    if budget["nodes"] is not None:
        return budget["nodes"]
    return 100_000 if budget["simulations"] is None else budget["simulations"] + 1
